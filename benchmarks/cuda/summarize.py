#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What run_all.sh left, as Markdown tables; with --output, as one file to be kept.

  summarize.py FOLDER|FILE... [--output FILE]

FOLDER holds run_all.sh's JSON files, those that there are; FILE is one made from them earlier. Of a part that several
sources have, the last one counts; each part keeps the machine and the commit that it was measured with.
"""
import argparse
import json
import os

PARTS = {"machine": ["machine.json"], "truth": ["truth.json"], "spread": ["spread.json"],
         "tune": ["tune_hot.json", "tune_cold.json", "tune_close.json", "tune_8192.json"], "nvbench": ["nvbench.json"]}


def load(path):
    if not os.path.isdir(path):
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        if "commit" in results["machine"]:  # one for all, as older files have it
            results["machine"] = {part: results["machine"] for part in results if part != "machine"}
        return results
    results = {"machine": {}}
    for part, names in PARTS.items():
        for name in names:
            if not os.path.exists(os.path.join(path, name)):
                continue
            with open(os.path.join(path, name), encoding="utf-8") as file:
                document = json.load(file)
            if part == "machine":
                machine = document
            else:
                results.setdefault(part, []).extend(document["rows"] if isinstance(document, dict) else document)
    results["machine"] = {part: machine for part in results if part != "machine"}
    return results


def key_of(part, row):
    """What two sources of a part have in common."""
    return tuple(row.get(name) for name in ("policy", "list", "size")) if part == "tune" else part


def merge(sources):
    merged = {"machine": {}}
    for results in map(load, sources):
        for part, rows in results.items():
            if part == "machine":
                continue
            rows = [{"policy": "hot", "list": "spread", **row} if part == "tune" else row for row in rows]
            for row in rows:
                if part == "tune":
                    row.setdefault("commit", results["machine"][part]["commit"])
            replaced = {key_of(part, row) for row in rows}
            kept = [row for row in merged.get(part, []) if key_of(part, row) not in replaced]
            merged[part] = kept + rows
            merged["machine"][part] = results["machine"][part]
    return merged


def table(title, header, rows):
    print(f"\n{title}\n\n| " + " | ".join(header) + " |\n" + "|---" * len(header) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def time(ns):
    return f"{ns:.1f} ns" if ns < 10_000 else f"{ns / 1e3:.2f} us"


def percent(share):
    return f"{100 * share:.3g} %"


def power(size):
    """Sizes are powers of two."""
    return f"2^{size.bit_length() - 1}"


def gap(truth):
    """From the fastest to the second: above 1 %, a tune without regret has shown little."""
    times = sorted(entry["median_ns"] for entry in truth)
    return times[1] / times[0] - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="+")
    parser.add_argument("--output")
    options = parser.parse_args()
    results = merge(options.source)
    for part, machine in results["machine"].items():
        print(f"{part}: before: {machine['before']}; after: {machine['after']}; commit {machine['commit']}; "
              f"versions {machine.get('versions', 'not recorded')}")
    if "spread" in results:
        table("Spread, vector add of n floats", ["n", "who", "median", "CV within", "CV between", "wall"],
              [[power(row["size"]), row["who"], time(row["median_ns"]), percent(row["cv_within"]),
                percent(row["cv_between"]), f"{row['wall_ms']:.1f} ms"] for row in results["spread"]])
    if "truth" in results:
        table("Truth", ["kernel", "hot", "same graph, plain events", "CUPTI period", "CUPTI duration", "hot / period - 1",
                        "isolated hot", "profiler, single"],
              [[row["kernel"] + " " + power(row["size"]), time(row["back-to-back"]["median_ns"]),
                time(row["cupti"]["event_ns"]), time(row["cupti"]["period_ns"]), time(row["cupti"]["duration_ns"]),
                percent(row["back-to-back"]["median_ns"] / row["cupti"]["period_ns"] - 1),
                time(row["isolated-hot"]["median_ns"]), time(row["profiler"]["median_ns"])]
               for row in results["truth"]])
    if "tune" in results:
        table("Tuning", ["policy", "list", "size", "a tune", "fixed budget", "share", "wrong", "worst regret", "gap to the second"],
              [[row["policy"], row["list"], str(row["size"]), f"{row['wall_ms']:.1f} ms", f"{row['fixed_budget']['wall_ms']:.0f} ms",
                f"{row['share_of_fixed_budget']:.3f}", f"{row['wrong']} of {len(row['tunes'])}",
                percent(row["worst_regret"]), percent(gap(row["truth"]))] for row in results["tune"]])
    if "nvbench" in results:
        table("nvbench, isolated cold, mean against mean",
              ["n", "ours", "nvbench", "difference", "CV", "nvbench's CV", "wall", "nvbench's wall"],
              [[power(row["size"]), time(row["mean_ns"]), time(row["nvbench_mean_ns"]),
                percent(row["mean_ns"] / row["nvbench_mean_ns"] - 1), percent(row["cv"]), percent(row["nvbench_cv"]),
                f"{row['wall_ms']:.1f} ms", f"{row['nvbench_wall_ms']:.0f} ms"] for row in results["nvbench"]])
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(results, file)


if __name__ == "__main__":
    main()

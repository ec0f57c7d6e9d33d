#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The catalogue of errors, docs/errors.md: statuses and flags with the headers' own words, the loader's codes with
those of docs/loader_codes.md.

  generate_errors.py            writes docs/errors.md
  generate_errors.py --check    fails if that file is not what would be written
"""
import os
import re
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TARGET = os.path.join(ROOT, "docs", "errors.md")
HEADERS = ("sdk/include/bench/plugin_v1.h", "core/include/bench/bench.h")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def constants(prefix):
    """Name, value and comment of each constant that begins so, in the headers' order."""
    for path in HEADERS:
        text = read(path).replace("\\\n", " ")
        found = re.findall(rf"^#define ({prefix}\w*)\s+\(?(-?\d+)u?\)?[ \t]*(?:/\*(.*?)\*/)?", text,
                           flags=re.M | re.S)
        for name, value, comment in found:
            yield name, int(value), " ".join(re.sub(r"\s\*\s", " ", comment).split())


def table(prefix, head):
    lines = [f"| {head} | value | meaning, and what to do |", "|---|---|---|"]
    for name, value, comment in constants(prefix):
        if not comment:
            sys.exit(f"{name} has no comment that says what it means")
        lines.append(f"| `{name}` | {value} | {comment} |")
    return lines


def render():
    loader = [line for line in read("docs/loader_codes.md").splitlines() if line.startswith("| BENCH-L")]
    if not loader:
        sys.exit("docs/loader_codes.md has no codes")
    lines = ["# Catalogue of errors", "",
             "<!-- Made by sdk/abi/generate_errors.py. Do not edit. -->", "",
             "Every failure has a status, chosen by what the caller does next, and an error struct or a line that says what "
             "happened, where, what to do, and the vendor's own code and name. Status 0 is good.", "",
             "## Statuses", "", *table("BENCH_ERROR_", "status"), "",
             "Codes of a later minor act by their hundreds: -100 to -199 as CONFIG_REJECTED, -200 to -299 as UNSUPPORTED, "
             "-300 to -399 as NO_DEVICE, -400 to -499 as DEVICE_LOST, every other value as INTERNAL.", "",
             "## Marks on a sample", "",
             *table("BENCH_SAMPLE_", "mark"), "",
             "## Marks on a result", "", *table("BENCH_RESULT_", "mark"), "",
             "## Codes of the loader", "",
             "Printed by `bench plugins --why`, one line a decision.", "",
             "| code | meaning | what to do |", "|---|---|---|", *loader, ""]
    return "\n".join(lines)


def main():
    text = render()
    if sys.argv[1:] == ["--check"]:
        have = open(TARGET, encoding="utf-8").read() if os.path.exists(TARGET) else ""
        if have != text:
            sys.exit("docs/errors.md is not what the codes give; run sdk/abi/generate_errors.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        with open(TARGET, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()

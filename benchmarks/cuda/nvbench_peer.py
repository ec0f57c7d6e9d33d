#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nvbench (cuda-bench) and ours on the same cubin: isolated cold launches, mean against mean.

  nvbench_peer.py BUILD CUBIN --output FILE [--repeats 5]

Both hold the stream until a launch is enqueued, flush the cache before it and time it by events. nvbench keeps its
defaults; ours uses the method "gate", whose windows are the same thing. Each repeat is a process for nvbench, a
measurement for ours.
"""
import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

SIZES = [2**10, 2**16, 2**20, 2**24]
THREADS = 256


def peer(cubin, output):
    import cuda.bench as nvbench
    import torch

    driver = ctypes.CDLL("libcuda.so.1")

    def vector_add(state):
        size = state.get_int64("size")
        tensors = [torch.rand(size, device="cuda") for _ in range(3)]
        values = [ctypes.c_void_p(t.data_ptr()) for t in tensors] + [ctypes.c_int(size)]
        arguments = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in values])
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        with open(cubin, "rb") as file:
            assert driver.cuModuleLoadData(ctypes.byref(module), file.read()) == 0
        assert driver.cuModuleGetFunction(ctypes.byref(function), module, b"vector_add") == 0
        torch.cuda.synchronize()
        blocks = (size + THREADS - 1) // THREADS

        def launch(launched):
            stream = ctypes.c_void_p(launched.get_stream().addressof())
            driver.cuLaunchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, stream, arguments, None)

        state.exec(launch, batched=False)

    benchmark = nvbench.register(vector_add)
    benchmark.add_int64_axis("size", SIZES)
    nvbench.run_all_benchmarks(["nvbench_peer", "--json", output, "--devices", "0"])


def peer_rows(cubin):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "nvbench.json")
        done = subprocess.run([sys.executable, __file__, "--peer", cubin, output], capture_output=True, text=True)
        if done.returncode or not os.path.exists(output):
            sys.exit(done.stdout[-2000:] + done.stderr[-2000:])
        with open(output, encoding="utf-8") as file:
            document = json.load(file)
    rows = {}
    for state in document["benchmarks"][0]["states"]:
        size = int(state["axis_values"][0]["value"])
        values = {}
        for summary in state.get("summaries") or []:
            for item in summary.get("data") or []:
                if item["name"] == "value":
                    values[summary["tag"]] = float(item["value"])
        rows[size] = values
    return rows


def ours(build, cubin, size, repeats):
    command = [os.path.join(build, "bin", "bench_cuda_measure"), cubin, "vector_add", str(size), "isolated-cold",
               "gate", str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    if sys.argv[1:2] == ["--peer"]:
        return peer(sys.argv[2], sys.argv[3])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("cubin")
    parser.add_argument("--output", required=True)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    begun = time.perf_counter()
    theirs = [peer_rows(options.cubin) for _ in range(options.repeats)]
    peer_wall_s = (time.perf_counter() - begun) / options.repeats / len(SIZES)
    rows = []
    for size in SIZES:
        mine = ours(options.build, options.cubin, size, options.repeats)
        means = [row["mean_ns"] for row in mine]
        peers = [run[size]["nv/cold/time/gpu/mean"] * 1e9 for run in theirs]
        row = {
            "size": size, "mean_ns": statistics.fmean(means), "nvbench_mean_ns": statistics.fmean(peers),
            "cv": statistics.stdev(means) / statistics.fmean(means),
            "nvbench_cv": statistics.stdev(peers) / statistics.fmean(peers),
            "wall_ms": statistics.median(one["wall_ms"] for one in mine),
            "nvbench_wall_ms": statistics.median(run[size].get("nv/cold/walltime", peer_wall_s) * 1e3
                                                 for run in theirs),
            "ours": mine, "nvbench": [run[size] for run in theirs],
        }
        print("{size:>9}: ours {mean_ns:.0f} ns (CV {0:.2f} %, {wall_ms:.0f} ms), nvbench {nvbench_mean_ns:.0f} ns "
              "(CV {1:.2f} %, {nvbench_wall_ms:.0f} ms), difference {2:+.1f} %".format(
                  100 * row["cv"], 100 * row["nvbench_cv"], 100 * (row["mean_ns"] / row["nvbench_mean_ns"] - 1),
                  **row), flush=True)
        rows.append(row)
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump({"rows": rows}, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())

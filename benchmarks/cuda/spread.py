#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spread and wall time of one measurement: ours against triton.testing.do_bench, on the same cubin.

  spread.py BUILD CUBIN --output FILE [--repeats 30] [--processes 3] [--peer-repeats 12] [--peer-processes 3]

BUILD holds bin/bench_cuda_measure. Each repeat is one whole measurement; CV within is over the repeats of a
process, CV between over the processes' means. Times in ns, walls in ms.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys

SIZES = [2**10, 2**16, 2**20, 2**24, 2**28]
OURS = [("hot", "back-to-back", "auto"), ("cold", "isolated-cold", "auto")]
THREADS = 256


def cv(values):
    mean = statistics.fmean(values)
    return statistics.stdev(values) / mean if len(values) > 1 and mean else math.nan


def summary(processes):
    """Of lists of rows {median_ns, wall_ms}, one list a process."""
    medians = [[row["median_ns"] for row in rows] for rows in processes]
    return {
        "median_ns": statistics.median(value for values in medians for value in values),
        "cv_within": statistics.fmean(cv(values) for values in medians),
        "cv_between": cv([statistics.fmean(values) for values in medians]),
        "wall_ms": statistics.median(row["wall_ms"] for rows in processes for row in rows),
    }


def ours(build, cubin, size, policy, method, repeats):
    command = [os.path.join(build, "bin", "bench_cuda_measure"), cubin, "vector_add", str(size),
               policy, method, str(repeats)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def peer(cubin, size, repeats):
    """In a process of its own: prints rows as ours."""
    import ctypes
    import time

    import torch
    import triton.testing

    cuda = ctypes.CDLL("libcuda.so.1")
    a = torch.rand(size, device="cuda")
    b = torch.rand(size, device="cuda")
    c = torch.empty_like(a)
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    with open(cubin, "rb") as file:
        assert cuda.cuModuleLoadData(ctypes.byref(module), file.read()) == 0
    assert cuda.cuModuleGetFunction(ctypes.byref(function), module, b"vector_add") == 0
    values = [ctypes.c_void_p(t.data_ptr()) for t in (a, b, c)] + [ctypes.c_int(size)]
    arguments = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in values])
    blocks = (size + THREADS - 1) // THREADS
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def launch():
        cuda.cuLaunchKernel(function, blocks, 1, 1, THREADS, 1, 1, 0, stream, arguments, None)

    launch()
    torch.cuda.synchronize()
    assert torch.equal(c, a + b)
    for i in range(-1, repeats):
        begun = time.perf_counter()
        median_ms = triton.testing.do_bench(launch, return_mode="median")
        wall_ms = (time.perf_counter() - begun) * 1e3
        if i >= 0:
            print(json.dumps({"median_ns": median_ms * 1e6, "wall_ms": wall_ms}))


def peer_process(cubin, size, repeats):
    done = subprocess.run([sys.executable, __file__, "--peer", cubin, str(size), str(repeats)],
                          capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    if sys.argv[1:2] == ["--peer"]:
        return peer(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("cubin")
    parser.add_argument("--output", required=True)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--peer-repeats", type=int, default=12)
    parser.add_argument("--peer-processes", type=int, default=3)
    options = parser.parse_args()
    rows = []
    for size in SIZES:
        # Our processes and the peer's in turn: the device's state is the same for both.
        raw = {name: [] for name, _, _ in OURS}
        raw["do_bench"] = []
        for process in range(options.processes):
            for name, policy, method in OURS:
                raw[name].append(ours(options.build, options.cubin, size, policy, method,
                                      options.repeats))
            if process < options.peer_processes:
                raw["do_bench"].append(peer_process(options.cubin, size, options.peer_repeats))
        for name, processes in raw.items():
            row = {"size": size, "who": name, **summary(processes)}
            print("{size:>10} {who:9} {median_ns:12.1f} ns  within {0:.3f} %  between {1:.3f} %  "
                  "wall {wall_ms:.1f} ms".format(100 * row["cv_within"], 100 * row["cv_between"],
                                                 **row), flush=True)
            rows.append({**row, "processes": processes})
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump({"rows": rows}, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())

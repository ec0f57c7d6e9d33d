#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tuning 15 tilings of examples/gemm: our tuner against a fixed budget for each (triton.testing.do_bench, 25 ms of
warm-up and 100 ms of measurement), on the same machine code and with the same cache policy; and whether the picks
are right.

  tune_gemm.py BUILD CUBINS --output FILE [--tunes 100] [--truth 1.0] [--sizes 512 2048 8192] [--policy hot|cold]
               [--list spread|close]

CUBINS holds SIZE/gemm_<threads>_<BM>_<BN>[...].cubin, of the close list SIZE/close/... (make_cubins.py). Compiling
and checking are apart for both.
"""
import argparse
import ctypes
import glob
import json
import os
import subprocess
import sys
import time


def fixed_budget(size, policy, images):
    import torch
    import triton.testing

    if policy == "hot":  # do_bench as it is, but for its flush
        triton.runtime.driver.active.clear_cache = lambda cache: None

    cuda = ctypes.CDLL("libcuda.so.1")
    tensors = [torch.rand(size, size, device="cuda") for _ in range(3)]
    values = [ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors]
    arguments = (ctypes.c_void_p * 3)(*[ctypes.addressof(value) for value in values])
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    times, wall_s = [], 0.0
    for path in images:
        threads, rows, columns = map(int, os.path.basename(path).split(".")[0].split("_")[1:4])
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        with open(path, "rb") as file:
            assert cuda.cuModuleLoadData(ctypes.byref(module), file.read()) == 0
        assert cuda.cuModuleGetFunction(ctypes.byref(function), module, b"gemm") == 0

        def launch():
            cuda.cuLaunchKernel(function, size // columns, size // rows, 1, threads, 1, 1, 0, stream,
                                arguments, None)

        launch()
        torch.cuda.synchronize()
        begun = time.perf_counter()
        times.append(triton.testing.do_bench(launch, warmup=25, rep=100, return_mode="median") * 1e6)
        wall_s += time.perf_counter() - begun
    return {"wall_ms": wall_s * 1e3, "median_ns": times, "winner": times.index(min(times))}


def regret(truth, winner):
    """Over the fastest, and whether it exceeds 1 % and what the truth itself can tell."""
    best = min(entry["median_ns"] for entry in truth)
    entry = truth[winner]
    over = entry["median_ns"] / best - 1
    return over, over > 0.01 + entry["half_width"]


def main():
    if sys.argv[1:2] == ["--peer"]:
        print(json.dumps(fixed_budget(int(sys.argv[2]), sys.argv[3], sys.argv[4:])))
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("cubins")
    parser.add_argument("--output", required=True)
    parser.add_argument("--tunes", type=int, default=100)
    parser.add_argument("--truth", type=float, default=1.0, help="seconds for each candidate")
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 2048, 8192])
    parser.add_argument("--policy", choices=["hot", "cold"], default="hot")
    parser.add_argument("--list", choices=["spread", "close"], default="spread")
    options = parser.parse_args()
    folder = "" if options.list == "spread" else options.list
    rows = []
    for size in options.sizes:
        images = sorted(glob.glob(os.path.join(options.cubins, str(size), folder, "*.cubin")))
        done = subprocess.run([os.path.join(options.build, "bin", "bench_cuda_tune"), str(size),
                               str(options.tunes), str(options.truth), options.policy, *images],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        row = {**json.loads(done.stdout), "policy": options.policy, "list": options.list}
        peer = subprocess.run([sys.executable, __file__, "--peer", str(size), options.policy, *images],
                              capture_output=True, text=True)
        if peer.returncode:
            sys.exit(peer.stderr)
        row["fixed_budget"] = json.loads(peer.stdout)
        over = [regret(row["truth"], tune["winner"]) for tune in row["tunes"]]
        walls = sorted(tune["wall_ms"] for tune in row["tunes"])
        row["wall_ms"] = walls[len(walls) // 2]
        row["share_of_fixed_budget"] = row["wall_ms"] / row["fixed_budget"]["wall_ms"]
        row["wrong"] = sum(wrong for _, wrong in over)
        row["worst_regret"] = max(value for value, _ in over)
        print("{policy}, {list} list, size {size}: {wall_ms:.1f} ms a tune, {0:.3f} of the fixed budget's {1:.0f} ms; wrong in "
              "{wrong} of {2}, worst {3:.2f} %; fixed budget's pick {4:.2f} % off".format(
                  row["share_of_fixed_budget"], row["fixed_budget"]["wall_ms"], len(over),
                  100 * row["worst_regret"],
                  100 * regret(row["truth"], row["fixed_budget"]["winner"])[0], **row), flush=True)
        rows.append(row)
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump({"rows": rows}, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())

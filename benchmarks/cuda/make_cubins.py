#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles what the benchmarks run, with nvcc: kernels.cu, and two lists of 15 tilings of examples/gemm for each
size: one with good and bad ones, one of variations of good ones.

  make_cubins.py FOLDER [--arch sm_90] [--sizes 512 2048 8192]
"""
import argparse
import concurrent.futures
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
GEMM = os.path.join(HERE, "..", "..", "examples", "gemm", "gemm.cu")
# BM, BN, BK, TM, TN, VECTOR, PAD: from small blocks to large ones, good and bad.
TILINGS = [
    (32, 32, 8, 2, 2, 1, 0), (32, 32, 16, 4, 4, 4, 4), (32, 64, 8, 4, 4, 4, 0), (64, 32, 16, 4, 4, 1, 4),
    (64, 64, 8, 4, 4, 1, 0), (64, 64, 8, 4, 4, 4, 4), (64, 64, 16, 4, 4, 4, 4), (64, 64, 16, 8, 8, 4, 4),
    (64, 128, 8, 4, 8, 4, 4), (64, 128, 16, 8, 8, 4, 4), (128, 64, 8, 8, 4, 4, 4), (128, 64, 16, 8, 8, 4, 0),
    (128, 128, 8, 8, 8, 4, 4), (128, 128, 8, 8, 8, 1, 0), (128, 128, 16, 8, 8, 4, 4),
]
# The best of them with other depths and paddings: neighbours within a few percent.
CLOSE = [(64, 64, depth, 8, 8, 4, pad) for depth in (16, 32) for pad in (0, 4, 8, 12)]
CLOSE += [(64, 64, depth, 4, 4, 4, pad) for depth in (16, 32) for pad in (4, 8, 12)] + [(64, 128, 16, 8, 8, 4, 8)]
NAMES = ("BM", "BN", "BK", "TM", "TN", "VECTOR", "PAD")


def compile_cubin(source, target, arch, definitions=()):
    subprocess.run(["nvcc", "-cubin", "-O3", "-std=c++17", f"-arch={arch}",
                    *(f"-D{name}={value}" for name, value in definitions), source, "-o", target], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 2048, 8192])
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = [pool.submit(compile_cubin, os.path.join(HERE, "kernels.cu"),
                            os.path.join(options.folder, "kernels.cubin"), options.arch)]
        for size in options.sizes:
            for folder, tilings in (("", TILINGS), ("close", CLOSE)):
                target = os.path.join(options.folder, str(size), folder)
                os.makedirs(target, exist_ok=True)
                for tiling in tilings:
                    values = dict(zip(NAMES, tiling))
                    threads = values["BM"] // values["TM"] * (values["BN"] // values["TN"])
                    name = "gemm_{}_{}.cubin".format(threads, "_".join(map(str, tiling)))
                    done.append(pool.submit(compile_cubin, GEMM, os.path.join(target, name), options.arch,
                                            [("SIZE", size), *values.items()]))
        for one in done:
            one.result()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether libbench_hip.so and libbench_cuda.so read the same of the same kernels, on an NVIDIA GPU: the HIP plugin
runs over a HIP runtime that forwards to the CUDA driver (tests/drivers/hip_on_cuda).

  agree.py BUILD SHIM EXAMPLES --output FILE [--repeats 5]

BUILD holds bin/bench and its library and plugins; SHIM libamdhip64.so.6; EXAMPLES the examples' folder. Both plugins'
processes take turns. Vector additions by `bench run`, hot and cold, and the examples' default configurations.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

VECTOR_ADD = """extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""


def vector_add_problem(folder, language, size):
    """Of `size` floats, as a problem file."""
    def vector(name, access, output=None):
        return {"Name": name, "Type": "float", "MemoryType": "Vector", "AccessType": access, "FillType": "Random",
                "FillValue": 1.0, "Size": str(size), **({"Output": 1} if output else {})}
    problem = {
        "General": {"BenchmarkName": f"vector_add_{size}", "FormatVersion": "1.0.0"},
        "ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "int", "Values": "[256]", "Default": 256}],
                               "Conditions": []},
        "KernelSpecification": {
            "Language": language, "KernelName": "vector_add", "KernelFile": "vector_add.cu", "ProblemSize": [size],
            "GlobalSizeType": "OpenCL", "GlobalSize": {"X": "ProblemSize[0]", "Y": "1", "Z": "1"},
            "LocalSize": {"X": "BLOCK", "Y": "1", "Z": "1"},
            "Arguments": [vector("a", "ReadOnly"), vector("b", "ReadOnly"), vector("c", "WriteOnly", True),
                          {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "AccessType": "ReadOnly",
                           "FillType": "Constant", "FillValue": size}]},
        "x-bench": {"Repeatable": True}}
    with open(os.path.join(folder, "vector_add.cu"), "w", encoding="utf-8") as file:
        file.write(VECTOR_ADD)
    path = os.path.join(folder, f"vector_add_{size}_{language.lower()}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(problem, file)
    return path


def measure(options, path, language, policy):
    environment = dict(os.environ, BENCH_PLUGINS=language.lower(), XDG_CACHE_HOME=options.cache)
    environment["BENCH_PLUGIN_SYSTEM_PATH"] = os.path.join(options.build, "lib", "bench", "plugins-1")
    paths = [os.path.join(options.build, "lib")] + ([options.shim] if language == "HIP" else [])
    environment["LD_LIBRARY_PATH"] = ":".join(paths + [environment.get("LD_LIBRARY_PATH", "")])
    done = subprocess.run([os.path.join(options.build, "bin", "bench"), "run", path, "--json", "--no-store", "--quiet",
                           "--policy", policy], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr)
    measurement = json.loads(done.stdout)["measurement"]
    return {name: measurement[name] for name in ("median_ns", "method", "launches_per_window", "note")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("shim")
    parser.add_argument("examples")
    parser.add_argument("--output", required=True)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    options.build, options.shim = os.path.abspath(options.build), os.path.abspath(options.shim)
    rows, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        options.cache = os.path.join(folder, "cache")
        work = [(f"vector_add 2^{power}", policy,
                 {language: vector_add_problem(folder, language, 2**power) for language in ("CUDA", "HIP")})
                for power in (10, 16, 20, 24) for policy in ("back-to-back", "isolated-cold")]
        for name in ("gemm", "conv2d", "reduce", "softmax"):
            work.append((name, "back-to-back",
                         {language: os.path.join(options.examples, name, f"{name}_{language.lower()}.json")
                          for language in ("CUDA", "HIP")}))
        for name, policy, files in work:
            row = {"kernel": name, "policy": policy, "CUDA": [], "HIP": []}
            try:
                for _ in range(options.repeats):
                    for language, path in files.items():
                        row[language].append(measure(options, path, language, policy))
                medians = {language: statistics.median(one["median_ns"] for one in row[language]) for language in files}
                row["ratio"] = medians["HIP"] / medians["CUDA"]
                print(f"{name:16} {policy:14} cuda {medians['CUDA']:12.1f} ns  hip {medians['HIP']:12.1f} ns  "
                      f"{100 * (row['ratio'] - 1):+.2f} %", flush=True)
            except RuntimeError as error:
                row["failed"] = str(error)
                failed += 1
                print(f"{name} {policy}: {error}", flush=True)
            rows.append(row)
    with open(options.output, "w", encoding="utf-8") as file:
        json.dump({"rows": rows}, file)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

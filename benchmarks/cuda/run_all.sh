#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# All figures of docs/measuring.md on one NVIDIA GPU, in about seven minutes:
#   run_all.sh BUILD CUBINS OUTPUT
# BUILD: a build tree with benchmarks; CUBINS: from make_cubins.py; OUTPUT: a folder for the JSON files.
set -eu
build=$1 cubins=$2 output=$3
here=$(cd "$(dirname "$0")" && pwd)
plugin="$build/lib/bench/plugins-1/libbench_cuda.so"

machine() {
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,temperature.gpu,power.draw --format=csv,noheader
}
before=$(machine)

{
  echo "["
  separator=""
  for kernel in vector_add empty; do
    for size in 1024 65536 1048576 16777216 268435456; do
      [ "$kernel" = vector_add ] || [ "$size" = 1024 ] || continue
      launches=200
      [ "$size" -lt 10000000 ] || launches=20
      echo "$separator{\"kernel\": \"$kernel\", \"size\": $size, \"cupti\":"
      "$build/bin/bench_cuda_truth" "$plugin" "$cubins/kernels.cubin" "$kernel" "$size" "$launches"
      for policy in back-to-back isolated-hot; do
        echo ", \"$policy\":"
        "$build/bin/bench_cuda_measure" "$cubins/kernels.cubin" "$kernel" "$size" "$policy" auto 1
      done
      echo ", \"profiler\":"
      "$build/bin/bench_cuda_measure" "$cubins/kernels.cubin" "$kernel" "$size" isolated-hot profiler 1
      echo "}"
      separator=","
    done
  done
  echo "]"
} >"$output/truth.json"
for policy in hot cold; do
  python3 "$here/tune_gemm.py" "$build" "$cubins" --policy "$policy" --output "$output/tune_$policy.json" \
    --sizes 512 2048
done
python3 "$here/tune_gemm.py" "$build" "$cubins" --list close --output "$output/tune_close.json" --sizes 512 2048
python3 "$here/tune_gemm.py" "$build" "$cubins" --output "$output/tune_8192.json" --sizes 8192 --tunes 20
python3 "$here/spread.py" "$build" "$cubins/kernels.cubin" --output "$output/spread.json"
if python3 -c 'import cuda.bench' 2>/dev/null; then
  python3 "$here/nvbench_peer.py" "$build" "$cubins/kernels.cubin" --output "$output/nvbench.json" --repeats 3
else
  echo "run_all: no cuda-bench package: nvbench is left out" >&2
fi
python3 - "$output/machine.json" "$before" "$(machine)" "${BENCH_COMMIT:-unknown}" <<'PYTHON'
import importlib.metadata, json, sys
versions = {"python": sys.version.split()[0]}
for package in ("torch", "triton", "cuda-bench"):
    try:
        versions[package] = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        versions[package] = None  # was not there: its part of the results is not either
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump({"before": sys.argv[2], "after": sys.argv[3], "commit": sys.argv[4], "versions": versions}, file)
PYTHON
python3 "$here/summarize.py" "$output" --output "$output/cuda.json"

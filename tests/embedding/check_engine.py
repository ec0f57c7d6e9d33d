#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_engine.py PROGRAM cpu|both: runs examples/embed_engine twice on one store. The first run measures, the
second takes all from the store; on a GPU the results agree with the CPU's."""
import subprocess
import sys
import tempfile

program, devices = sys.argv[1], sys.argv[2]
with tempfile.TemporaryDirectory() as folder:
    for expected in ("measured", "from the store"):
        done = subprocess.run([program, folder + "/store.sqlite"], capture_output=True, text=True, timeout=100)
        print(done.stdout, done.stderr)
        if done.returncode:
            sys.exit(f"ended with {done.returncode}")
        lines = [line for line in done.stdout.splitlines() if line.startswith("engine_")]
        if len(lines) != (6 if devices == "both" else 3):
            sys.exit(f"{len(lines)} kernels were chosen")
        if any(f"({expected})" not in line for line in lines):
            sys.exit(f"not all of them were {expected}")
        if devices == "both" and "both agree" not in done.stdout:
            sys.exit("the GPU was left out")

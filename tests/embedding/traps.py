#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""traps.py LIBRARY OUTPUT.s: for each function of spdlog, fmt, nlohmann/json and SQLite inside LIBRARY, a function of
the same name that traps. A program that exports them shows whether the library binds to its own copies alone."""
import re
import subprocess
import sys

library, output = sys.argv[1:]
symbols = subprocess.run(["nm", "--defined-only", library], capture_output=True, text=True, check=True).stdout
names = sorted({line.split()[-1] for line in symbols.splitlines()
                if re.search(r" [tTwWuV] (sqlite3_|_ZNK?(3fmt|6spdlog|8nlohmann))", line)})
names = [name for name in names if re.fullmatch(r"[A-Za-z0-9_]+", name)]
counts = {prefix: sum(prefix in name for name in names) for prefix in ("sqlite3_", "3fmt", "6spdlog", "8nlohmann")}
if min(counts.values()) == 0:
    sys.exit(f"{library} holds no copy of something: {counts}")
with open(output, "w", encoding="utf-8") as file:
    file.write(".text\n")
    for name in names:
        file.write(f".globl {name}\n.type {name}, @function\n{name}:\n  ud2\n")
    file.write('.section .note.GNU-stack,"",@progbits\n')
print(counts)

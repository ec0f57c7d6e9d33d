# SPDX-License-Identifier: Apache-2.0
"""`bench plugins --static` maps no plugin executable: not one instruction of a vendor's can run.

  static_listing.py BENCH PLUGIN

Exit status 77: there is no strace, or this process may not trace.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def mapped(bench, plugin, work, *arguments):
    """Whether any process that this starts maps the plugin executable, and what it printed."""
    trace = os.path.join(work, "trace")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BENCH_")}
    environment.update(BENCH_PLUGIN_SYSTEM_PATH="", XDG_CACHE_HOME=os.path.join(work, "cache"))
    done = subprocess.run(["strace", "-f", "-y", "-e", "trace=mmap,mprotect", "-o", trace, bench, *arguments,
                           "--plugin-path", plugin], env=environment, capture_output=True, text=True, check=False)
    if "ptrace" in done.stderr and done.returncode:
        print(f"skipped: strace may not trace here: {done.stderr.splitlines()[0]}")
        sys.exit(77)
    if done.returncode:
        sys.exit(f"{arguments}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    with open(trace, encoding="utf-8", errors="replace") as file:
        lines = [line for line in file if "PROT_EXEC" in line]
    # The program's own libraries are mapped so: a trace without any is no evidence.
    if not any("libc.so" in line for line in lines):
        sys.exit("the trace shows no library mapped executable, so it proves nothing")
    return [line for line in lines if re.search(rf"<{re.escape(os.path.realpath(plugin))}>", line)], done.stdout


def main():
    bench, plugin = sys.argv[1:]
    if not shutil.which("strace"):
        print("skipped: there is no strace")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        found, text = mapped(bench, plugin, work, "plugins", "--static")
        if found:
            sys.exit(f"bench plugins --static mapped {plugin} executable:\n{''.join(found)}")
        if os.path.basename(plugin) not in text:
            sys.exit(f"bench plugins --static does not list {plugin}:\n{text}")
        # The other way round, or the search above would find nothing ever.
        if not mapped(bench, plugin, work, "devices")[0]:
            sys.exit("bench devices loads the plugin, and the trace does not show it")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What was released once works for ever: old plugins under today's core, today's plugins under old cores.

  corpus.py --build BUILD --work WORK

Each folder of the corpus is one release; see make.py. Exit status 77: these binaries are for another machine.
"""
import argparse
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
REDUCE = os.path.join(ROOT, "examples/reduce/reduce.json")


def run(environment, *command):
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\nstatus {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def check_sums(folder):
    with open(os.path.join(folder, "SHA256SUMS"), encoding="utf-8") as file:
        sums = dict(reversed(line.split()) for line in file)
    found = {os.path.relpath(os.path.join(at, name), folder) for at, _, files in os.walk(folder) for name in files}
    if found != set(sums) | {"SHA256SUMS"}:
        sys.exit(f"{folder} holds {sorted(found)}, SHA256SUMS lists {sorted(sums)}")
    for name, expected in sums.items():
        with open(os.path.join(folder, name), "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != expected:
                sys.exit(f"{folder}/{name} is not the file that was released")


class Host:
    """A core with its programs: today's build, or one from the corpus."""

    def __init__(self, name, bench, library, embedder, work):
        self.name, self.bench, self.embedder = name, bench, embedder
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("BENCH_")}
        self.environment.update(LD_LIBRARY_PATH=library, BENCH_PLUGIN_SYSTEM_PATH="", BENCH_SIM_DEVICES="default",
                                XDG_CACHE_HOME=os.path.join(work, "cache-" + name),
                                BENCH_STORE=os.path.join(work, f"store-{name}.sqlite"))

    def serve(self, path, device):
        """The plugin is listed, usable, and measures."""
        class_name = device.split(":")[0]
        listed = [plugin for plugin in json.loads(run(self.environment, self.bench, "plugins", "--json",
                                                      "--plugin-path", path)) if plugin["path"] == path]
        if len(listed) != 1 or listed[0]["classes"] != [class_name] or listed[0]["state"] in ("refused", "failed"):
            sys.exit(f"{self.name} does not take {path}: {listed}")
        text = run(self.environment, self.embedder, path, device)
        if " launches" not in text or " 0 launches" in text:
            sys.exit(f"{self.name} with {path}: {text}")
        print(f"{self.name}: {os.path.relpath(path, ROOT)}: {text.strip()}")

    def run_kernel(self, path):
        """bench.kernel/1 of a cpu plugin: compiled, checked and timed."""
        result = json.loads(run(self.environment, self.bench, "run", REDUCE, "--config", "THREADS=1", "--json",
                                "--plugin-path", path))
        print(f"{self.name}: {os.path.relpath(path, ROOT)}: {result['measurement']['median_ns']} ns")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True)
    arguments = parser.parse_args()
    if platform.machine() != "x86_64":
        print(f"skipped: the corpus is for x86_64, this is {platform.machine()}")
        sys.exit(77)
    shutil.rmtree(arguments.work, ignore_errors=True)
    os.makedirs(arguments.work)
    releases = sorted(name for name in os.listdir(HERE) if os.path.isdir(os.path.join(HERE, name, "plugins")))
    if not releases:
        sys.exit(f"{HERE} holds no release")
    today = {device: os.path.join(arguments.build, path) for device, path in (
        ("toy:0", "tests/plugins/t0/libbench_toy.so"), ("mock:0", "tests/plugins/t1/libbench_mock.so"),
        ("cpu:0", "lib/bench/plugins-1/libbench_cpu.so"), ("sim:0", "lib/bench/plugins-1/libbench_sim.so"))}
    for release in releases:
        folder = os.path.join(HERE, release)
        check_sums(folder)
        unpacked = os.path.join(arguments.work, release)
        with tarfile.open(os.path.join(folder, "host.tar.xz")) as tar:
            tar.extractall(unpacked)
        embedder = os.path.join(unpacked, "bin/embedder")
        old = Host(release, os.path.join(unpacked, "bin/bench"), os.path.join(unpacked, "lib"), embedder, arguments.work)
        # The old embedding program on today's library: bench.h is kept by the same rules.
        new = Host("today", os.path.join(arguments.build, "bin/bench"), os.path.join(arguments.build, "lib"), embedder,
                   arguments.work)
        # In the checkout a file may be writable for all, which the loader refuses.
        kept = os.path.join(unpacked, "plugins")
        shutil.copytree(os.path.join(folder, "plugins"), kept)
        for name in os.listdir(kept):
            os.chmod(os.path.join(kept, name), 0o755)
        for device in ("corpus:0", "mock:0", "cpu:0"):
            new.serve(os.path.join(kept, f"libbench_{device.split(':')[0]}.so"), device)
        new.run_kernel(os.path.join(kept, "libbench_cpu.so"))
        for device, path in today.items():
            old.serve(path, device)
        old.run_kernel(today["cpu:0"])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts what was built for a release into the corpus: run once a released minor, on Debian 12, from its tag.

  make.py --build BUILD VERSION          BUILD is a release build; writes tests/corpus/VERSION/

  plugins/   sample plugins: c (T0, the template), mock (T1 with gate, graph and capture), cpu (T1 with kernels)
  host.tar.xz   the core, the program and an embedding program: the old host that newer plugins must serve
  SHA256SUMS
"""
import argparse
import hashlib
import io
import lzma
import os
import re
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
# RHEL 9 and Ubuntu 22.04: what is kept must load wherever the project runs.
NEWEST_GLIBC = (2, 34)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def install(build, prefix):
    for component in ("core", "sdk", "plugins"):
        run("cmake", "--install", build, "--prefix", prefix, "--component", component, "--strip")


def find(folder, name):
    return next(os.path.join(at, name) for at, _, files in os.walk(folder) if name in files)


def build_plugins(build, prefix, target):
    os.makedirs(target, exist_ok=True)
    with open(find(prefix, "plugin.c.in"), encoding="utf-8") as file:
        text = file.read().replace("@ID@", "org.example.corpus").replace("@NAME@", "corpus")
    source = os.path.join(prefix, "plugin.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    run("cc", "-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-s", "-Wl,--build-id=sha1", "-Wl,-z,defs",
        f"-Wl,--version-script={find(prefix, 'plugin.map')}", "-I", os.path.join(prefix, "include"), source,
        "-o", os.path.join(target, "libbench_corpus.so"))
    run("strip", "-o", os.path.join(target, "libbench_mock.so"),
        os.path.join(build, "tests/plugins/t1/libbench_mock.so"))
    run("cp", find(prefix, "libbench_cpu.so"), target)


def pack_host(prefix, target):
    """bin/ and lib/ as they are installed; times and owners that would differ from run to run are not kept."""
    embedder = os.path.join(prefix, "bin", "embedder")
    library = os.path.dirname(find(prefix, "libbench.so.0"))
    run("cc", "-std=c11", "-O2", "-s", "-I", os.path.join(prefix, "include"),
        os.path.join(ROOT, "tests/kit/outside_program/main.c"), "-L", library, "-l:libbench.so.0", "-o", embedder)
    kept = [os.path.join(prefix, "bin", "bench"), embedder,
            *(os.path.join(library, name) for name in ("libbench.so.0", "bench-probe", "bench-worker"))]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in kept:
            with open(path, "rb") as file:
                data = file.read()
            member = tarfile.TarInfo(("bin/" if os.path.dirname(path).endswith("bin") else "lib/") +
                                     os.path.basename(path))
            member.size, member.mode = len(data), 0o755
            tar.addfile(member, io.BytesIO(data))
    with open(target, "wb") as file:
        file.write(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    return kept


def check_glibc(path):
    text = subprocess.run(["readelf", "-V", path], check=True, capture_output=True, text=True).stdout
    for version in re.findall(r"GLIBC_(\d+)\.(\d+)", text):
        if tuple(map(int, version)) > NEWEST_GLIBC:
            sys.exit(f"{path} needs GLIBC {'.'.join(version)}, at most {NEWEST_GLIBC} may be kept")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("version")
    arguments = parser.parse_args()
    target = os.path.join(HERE, arguments.version)
    if os.path.exists(target):
        sys.exit(f"{target} is there: what was released once is never made anew")
    plugins = os.path.join(target, "plugins")
    with tempfile.TemporaryDirectory() as prefix:
        install(arguments.build, prefix)
        build_plugins(arguments.build, prefix, plugins)
        kept = pack_host(prefix, os.path.join(target, "host.tar.xz"))
        for path in kept + [os.path.join(plugins, name) for name in os.listdir(plugins)]:
            check_glibc(path)
    lines = []
    for folder, _, files in sorted(os.walk(target)):
        for name in sorted(files):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                lines.append(f"{hashlib.sha256(file.read()).hexdigest()}  {os.path.relpath(path, target)}\n")
    with open(os.path.join(target, "SHA256SUMS"), "w", encoding="utf-8") as file:
        file.writelines(lines)


if __name__ == "__main__":
    main()

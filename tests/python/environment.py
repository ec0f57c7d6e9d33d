# SPDX-License-Identifier: Apache-2.0
"""Makes the virtual environment of the Python tests, and runs tests in it. Exits with 77 and a reason where
that cannot be had."""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys

SKIP = 77
TOOLS = ["scikit-build-core>=0.10", "nanobind>=2.4", "pytest>=8", "numpy"]
OPTIONAL = ["jax[cpu]"]  # a second producer of DLPack; large, and not on every platform


def skip(reason: str) -> int:
    print(f"skipped: {reason}")
    return SKIP


def digest(arguments: argparse.Namespace) -> str:
    """Changes when the package or what it packs does."""
    parts = hashlib.sha256(sys.version.encode())
    files = sorted(path for path in arguments.source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    files += sorted((arguments.prebuilt / "lib").rglob("*.so*")) + sorted((arguments.prebuilt / "lib").glob("bench-*"))
    for path in files:
        parts.update(f"{path}:{path.stat().st_size}:{path.stat().st_mtime_ns}".encode())
    return parts.hexdigest()


def make(arguments: argparse.Namespace) -> int:
    stamp = arguments.venv / "installed"
    wanted = digest(arguments)
    if stamp.exists() and stamp.read_text() == wanted:
        return 0
    reason = arguments.venv.parent / "reason"
    reason.unlink(missing_ok=True)

    def give_up(why: str) -> int:
        reason.write_text(why)
        return skip(why)

    arguments.venv.parent.mkdir(parents=True, exist_ok=True)
    python = arguments.venv / "bin" / "python"
    if not python.exists():
        made = subprocess.run([sys.executable, "-m", "venv", arguments.venv], capture_output=True, text=True)
        if made.returncode != 0:
            return give_up(f"no virtual environment can be made: {(made.stderr or made.stdout).strip()[-300:]}")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    tools = subprocess.run([*pip, "install", "--quiet", "--timeout", "15", "--retries", "1", *TOOLS],
                           capture_output=True, text=True)
    if tools.returncode != 0:
        return give_up(f"the tools cannot be installed: {tools.stderr.strip()[-300:]}")
    if subprocess.run([*pip, "install", "--quiet", "--timeout", "15", *OPTIONAL], capture_output=True).returncode != 0:
        print(f"without {', '.join(OPTIONAL)}: it could not be installed")
    # From here on a failure is the package's own.
    environment = {**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": "2"}
    subprocess.run(
        [*pip, "install", "--quiet", "--no-build-isolation", "--no-deps", "--force-reinstall",
         f"--config-settings=cmake.define.BENCH_PYTHON_PREBUILT={arguments.prebuilt}",
         f"--config-settings=build-dir={arguments.venv.parent / 'build'}", arguments.source],
        check=True, env=environment)
    stamp.write_text(wanted)
    return 0


def run(arguments: argparse.Namespace) -> int:
    python = arguments.venv / "bin" / "python"
    if not (arguments.venv / "installed").exists():
        reason = arguments.venv.parent / "reason"
        return skip(reason.read_text() if reason.exists() else "the environment was not made")
    # Hermetic: no plugins, stores or folders but the package's own.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BENCH_", "PYTHON"))}
    environment["PYTHONFAULTHANDLER"] = "1"
    environment["JAX_PLATFORMS"] = "cpu"
    return subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error::DeprecationWarning:libbench",
         "--rootdir", arguments.run.parent, arguments.run],
        env=environment, cwd=arguments.venv.parent).returncode


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--venv", type=pathlib.Path, required=True)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--prebuilt", type=pathlib.Path, required=True)
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--run", type=pathlib.Path)
    arguments = parser.parse_args()
    return make(arguments) if arguments.make else run(arguments)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What was installed: everything is in one folder and finds itself there."""

import importlib.metadata
import os
import pathlib
import subprocess
import sys

import libbench

FOLDER = pathlib.Path(libbench.__file__).parent


def test_the_wheel_carries_the_core_the_helpers_and_the_plugins():
    assert (FOLDER / "lib" / "libbench.so.0").is_file()
    assert os.access(FOLDER / "lib" / "bench-probe", os.X_OK)
    assert os.access(FOLDER / "lib" / "bench-worker", os.X_OK)
    assert (pathlib.Path(libbench.plugin_path()) / "libbench_cpu.so").is_file()
    assert pathlib.Path(libbench.plugin_path()).is_relative_to(FOLDER)


def test_versions_agree():
    assert importlib.metadata.version("libbench") == libbench.__version__ == libbench.version()


def test_no_search_path_is_needed_and_the_plugins_are_found(tmp_path):
    # A home of its own: as root even "/nonexistent" would be made, for the cache, and stay.
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(tmp_path)}
    code = "import libbench; print([each['tag'] for each in libbench.devices()])"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cpu:0" in done.stdout


def test_plugins_tell_their_story():
    story = libbench.plugins(story=True)
    assert any("cpu" in each["classes"] for each in story["plugins"])
    assert story["story"]

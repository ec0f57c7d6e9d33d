# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import traceback

import numpy as np

import libbench


def in_child(body):
    """The child's exit status; 0 where `body` returned."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            body()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_in_a_forked_child_hits_work_and_cold_keys_are_refused(x):
    tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])(lambda x, n, way: way)
    choice = tuned(x, 1)

    def child():
        assert tuned(x, 1) == choice
        try:
            tuned(x, 2)
        except libbench.UnsupportedError as error:
            assert "forked" in str(error)
        else:
            raise AssertionError("a cold key was tuned")
        assert tuned(x, 1) == choice

    assert in_child(child) == 0
    tuned(x, 2)


def test_a_child_of_a_parent_that_used_nothing_yet_may_tune(x, store):
    code = """
import os, sys
import numpy as np, libbench
libbench.configure(store=False, environment=False, plugin_paths=[libbench.plugin_path()])
tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])(lambda x, n, way: way)
child = os.fork()
if child == 0:
    libbench.configure(store=False, environment=False, plugin_paths=[libbench.plugin_path()])
    tuned(np.ones(4), 1)
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_importing_loads_no_framework_and_no_plugin():
    code = """
import sys, libbench
assert not {"numpy", "torch", "jax", "cupy", "triton"} & set(sys.modules), sys.modules.keys()
import libbench.triton, libbench.torch
assert not {"numpy", "torch", "jax", "cupy", "triton"} & set(sys.modules)
tuned = libbench.autotune(configs=[{"way": 0}], key=[])(lambda x, way: 0)
maps = open("/proc/self/maps").read()
assert "libbench.so" in maps and "libbench_" not in maps
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_two_processes_share_a_store(x, store):
    code = f"""
import numpy as np, libbench
libbench.configure(store={str(store)!r}, environment=False, plugin_paths=[libbench.plugin_path()])
launches = []
tuned = libbench.autotune(configs=[{{"way": 0}}, {{"way": 1}}], key=["n"], name="shared", version="1")(
    lambda x, n, way: launches.append(way))
tuned(np.ones(512), 1)
print(len(launches))
"""
    counts = [int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout) for _ in range(2)]
    assert counts[0] > 1 and counts[1] == 1


def test_the_program_ends_cleanly_with_tuned_functions_alive():
    code = """
import numpy as np, libbench
libbench.configure(store=False, environment=False, plugin_paths=[libbench.plugin_path()])
tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])(lambda x, n, way: way)
tuned(np.ones(4), 1)
"""
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and "leak" not in done.stderr and "Error" not in done.stderr, done.stderr

# SPDX-License-Identifier: Apache-2.0
"""Devices of an invented class with scripted times: a configuration takes as long as its `time_ns`."""

import os

import numpy as np
import pytest

import libbench
from libbench import _core
from test_arguments import Declared

EXTENSION = 12  # DLPack's type for devices without a number
PLUGIN = os.environ.get("TEST_SCRIPTED_PLUGIN", "")

pytestmark = pytest.mark.skipif(not os.path.exists(PLUGIN), reason="TEST_SCRIPTED_PLUGIN names no plugin")

TIMES = [libbench.Config({"time_ns": time}) for time in (4000, 2000, 1000, 3000)]


@pytest.fixture(autouse=True)
def scripted(context, store, monkeypatch):
    """These two plugins alone: with another of an invented class beside it DLPack's type 12 is ambiguous."""
    monkeypatch.setenv("BENCH_PLUGIN_SYSTEM_PATH", "")
    cpu = os.path.join(libbench.plugin_path(), "libbench_cpu.so")
    return libbench.configure(store=store, plugin_paths=[PLUGIN, cpu])


def on(index, size=4):
    return Declared(np.ones(size), (EXTENSION, index))


def tuned(**more):
    launches = []

    @libbench.autotune(**{"configs": TIMES, "key": ["n"], "watch": False, **more})
    def kernel(x, n, time_ns):
        launches.append(time_ns)
        return time_ns

    kernel.launches = launches
    return kernel


def test_devices_are_listed_beside_the_cpu():
    tags = [each["tag"] for each in libbench.devices()]
    assert {"scripted:0", "scripted:1", "scripted:2", "cpu:0"} <= set(tags)


def test_each_device_has_keys_of_its_own_and_the_fastest_wins():
    kernel = tuned()
    assert kernel(on(0), 1) == 1000
    kernel.launches.clear()
    assert kernel(on(0), 1) == 1000
    assert len(kernel.launches) == 1
    assert kernel.report(on(0), 1)["device"] == "scripted:0"
    assert kernel.configs_timings[TIMES[1]] == pytest.approx(2e-3, rel=0.01)
    with pytest.raises(libbench.NotTunedError):
        kernel.report(on(1), 1)


def test_two_of_its_devices_and_the_host_beside_one_are_refused():
    pair = libbench.autotune(configs=TIMES, key=["n"])(lambda x, y, n, time_ns: time_ns)
    with pytest.raises(libbench.InvalidArgumentError, match="different devices") as raised:
        pair(on(0), on(1), 1)
    assert "'x'" in str(raised.value) and "'y'" in str(raised.value)
    with pytest.raises(libbench.InvalidArgumentError, match="host tensor"):
        pair(on(0), np.ones(4), 1)
    # A 0-d host tensor is a scalar in disguise.
    assert pair(on(0), np.array(1.0), 1) == 1000


def test_a_named_device_needs_no_tensor():
    kernel = tuned(device="scripted:1")
    assert kernel(None, 1) == 1000
    assert kernel.report(None, 1)["device"] == "scripted:1"
    with pytest.raises(libbench.Error, match="nonsense"):
        tuned(device="nonsense:0")(None, 1)


def test_do_bench_measures_there():
    measured = libbench.do_bench(lambda x: None, args=(on(1),), return_mode="measurement")
    assert measured.median_ns == pytest.approx(1000, rel=0.01)
    assert libbench.do_bench(lambda: None, device="scripted:0", quantiles=[0.5]) == pytest.approx(1e-3, rel=0.01)


def test_the_default_is_left_for_a_proven_gain_only():
    close = [libbench.Config({"time_ns": time}) for time in (1000, 998, 2000)]
    kernel = tuned(configs=close)
    assert kernel(on(0), 1) == 1000
    assert kernel.report(on(0), 1)["default_kept"] is True


def test_memory_functions_that_are_missing_are_named():
    kernel = tuned(restore_value=["x"])
    with pytest.raises(libbench.UnsupportedError, match="no memory functions"):
        kernel(on(0), 1)


def test_a_lost_device_is_told_apart_from_a_failed_launch():
    kernel = libbench.autotune(configs=TIMES, key=["n"], watch=False)(lambda x, n, time_ns: fault(time_ns))

    def fault(time_ns):
        if time_ns == 2000:
            raise RuntimeError("CUDA error: an illegal memory access was encountered")

    with pytest.raises(libbench.DeviceError) as raised:
        kernel(on(2), 1)
    assert "illegal memory access" in str(raised.value.__cause__)
    with pytest.raises(libbench.DeviceError, match="lost"):
        tuned()(on(2), 1)
    assert tuned()(on(1), 1) == 1000


def test_the_pair_of_a_device():
    assert _core.device_of(on(1)) == (EXTENSION, 1)

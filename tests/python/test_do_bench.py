# SPDX-License-Identifier: Apache-2.0
import functools
import signal
import threading
import time

import numpy as np
import pytest

import libbench

# Hot: a flush of a server's cache takes milliseconds.
QUICK = {"warmup": 1, "rep": 10, "max_samples": 50, "mode": "hot"}


def test_milliseconds_by_every_return_mode(x):
    for mode in ("min", "max", "mean", "median"):
        value = libbench.do_bench(lambda: x.sum(), return_mode=mode, **QUICK)
        assert isinstance(value, float) and 0 < value < 100
    every = libbench.do_bench(lambda: x.sum(), return_mode="all", **QUICK)
    assert len(every) > 5 and all(each > 0 for each in every)


def test_quantiles_win_over_the_return_mode_and_one_is_a_number(x):
    low, middle, high = libbench.do_bench(lambda: x.sum(), quantiles=(0.2, 0.5, 0.8), return_mode="min", **QUICK)
    assert low <= middle <= high
    assert isinstance(libbench.do_bench(lambda: x.sum(), quantiles=[0.5], **QUICK), float)


def test_a_measurement_says_how_it_was_made(x):
    measured = libbench.do_bench(np.sum, args=(x,), return_mode="measurement", **{**QUICK, "mode": "back-to-back"})
    assert measured.device == "cpu:0"
    assert measured.min_ns <= measured.median_ns <= measured.max_ns
    assert measured.launches_per_window >= 1
    assert measured.stop_reason


def test_positional_parameters_are_tritons(x):
    assert libbench.do_bench(lambda: x.sum(), 1, 5, None, None, "median") > 0  # cold, as Triton's


def test_the_device_comes_from_arguments_partials_closures_and_globals(x):
    assert libbench.do_bench(np.sum, args=(x,), **QUICK) > 0
    assert libbench.do_bench(functools.partial(np.sum, x), **QUICK) > 0
    assert libbench.do_bench(lambda: np.sum(x), **QUICK) > 0
    assert libbench.do_bench(lambda: np.sum(GLOBAL), **QUICK) > 0
    assert libbench.do_bench(lambda: None, device="cpu", **QUICK) > 0


GLOBAL = np.ones(100)


def test_gradients_are_dropped_before_each_window(x):
    class Leaf:
        grad = 1

    leaf = Leaf()
    seen = []

    def step():
        seen.append(leaf.grad)
        leaf.grad = x

    libbench.do_bench(step, grad_to_none=[leaf], device="cpu", **QUICK)
    assert len(seen) > 3 and all(each is None for each in seen)


def test_prepare_runs_before_every_launch_and_outside_the_window(x):
    state = {"ready": 0, "launches": 0}

    def prepare():
        state["ready"] = 1

    def launch():
        assert state["ready"] == 1
        state["ready"] = 0
        state["launches"] += 1
        x.sum()

    libbench.do_bench(launch, prepare=prepare, device="cpu", **QUICK)
    assert state["launches"] > 3


def test_jax_results_are_waited_for():
    jax = pytest.importorskip("jax")
    a = jax.numpy.ones((32, 32))
    product = jax.jit(lambda m: m @ m)
    assert libbench.do_bench(product, args=(a,), **QUICK) > 0

    class Late:
        """A result that is computed when it is waited for."""

        waited = 0

        def block_until_ready(self):
            Late.waited += 1

    launches = []
    libbench.do_bench(lambda: launches.append(1) or Late(), device="cpu", **QUICK)
    assert Late.waited == len(launches)


def test_an_exception_comes_back_as_itself_with_its_traceback(x):
    class Mine(Exception):
        pass

    calls = []

    def sometimes():
        calls.append(1)
        if len(calls) > 5:
            raise Mine("of the kernel")

    with pytest.raises(Mine, match="of the kernel") as raised:
        libbench.do_bench(sometimes, device="cpu", **QUICK)
    assert any(entry.name == "sometimes" for entry in raised.traceback)
    assert libbench.do_bench(lambda: x.sum(), **QUICK) > 0


def test_an_interrupt_ends_a_measurement():
    def interrupt():
        time.sleep(0.2)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        libbench.do_bench(lambda: time.sleep(0.001), device="cpu", rep=30_000, precision=1e-9, max_samples=1_000_000)
    thread.join()
    assert libbench.do_bench(lambda: None, device="cpu", **QUICK) > 0


def test_other_threads_run_while_the_core_waits(x):
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    libbench.do_bench(lambda: time.sleep(0.002), device="cpu", warmup=20, rep=100)
    stop.set()
    thread.join()
    assert len(ticks) > 5

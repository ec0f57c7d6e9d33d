# SPDX-License-Identifier: Apache-2.0
import signal
import threading
import time

import numpy as np
import pytest

import libbench


def run_all(count, body):
    errors, start = [], threading.Barrier(count)

    def run(at):
        try:
            start.wait()
            body(at)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(at,)) for at in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_sixteen_threads_and_a_cold_key_make_one_tune(x):
    tunes, results = [], []

    def prune(configs, named, **kwargs):
        tunes.append(threading.get_ident())
        return configs

    def kernel(x, n, way):
        time.sleep(0.0005)
        return way

    tuned = libbench.autotune(
        configs=[{"way": 0}, {"way": 1}], key=["n"], prune_configs_by={"early_config_prune": prune}, watch=False
    )(kernel)
    run_all(16, lambda at: results.append(tuned(x, 1)))
    assert len(tunes) == 1
    assert len(results) == 16 and len(set(results)) == 1


def test_threads_that_must_not_wait_take_the_default(x):
    entered, leave = threading.Event(), threading.Event()
    seen = []

    def kernel(x, n, way):
        seen.append(way)
        if threading.current_thread() is tuner and not leave.is_set():
            entered.set()
            leave.wait(10)

    tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"], wait=False, default=1, watch=False)(kernel)
    tuner = threading.Thread(target=lambda: tuned(x, 1))
    tuner.start()
    assert entered.wait(10)
    seen.clear()
    tuned(x, 1)
    assert seen == [1]
    leave.set()
    tuner.join()


def test_whoever_waits_can_be_interrupted(x):
    entered, leave = threading.Event(), threading.Event()

    def kernel(x, n, way):
        if threading.current_thread() is tuner and not leave.is_set():
            entered.set()
            leave.wait(10)

    tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"], watch=False)(kernel)
    tuner = threading.Thread(target=lambda: tuned(x, 1))
    tuner.start()
    assert entered.wait(10)
    main = threading.main_thread().ident
    threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        tuned(x, 1)
    leave.set()
    tuner.join()
    tuned(x, 1)


def test_waiting_for_the_device_can_be_interrupted(x):
    """Another key, but the same device: its tune comes first."""
    entered, leave = threading.Event(), threading.Event()

    def kernel(x, n, way):
        if threading.current_thread() is tuner and not leave.is_set():
            entered.set()
            leave.wait(10)

    tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"], watch=False)(kernel)
    tuner = threading.Thread(target=lambda: tuned(x, 1))
    tuner.start()
    assert entered.wait(10)
    main = threading.main_thread().ident
    threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        tuned(x, 2)
    threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        libbench.do_bench(lambda: x.sum())
    leave.set()
    tuner.join()
    tuned(x, 2)


def test_an_interrupted_tune_leaves_its_key_cold(x):
    main = threading.main_thread().ident
    launches = []

    def kernel(x, n, way):
        launches.append(way)
        if n == 1 and len(launches) == 3:
            signal.pthread_kill(main, signal.SIGINT)
        time.sleep(0.0002)

    tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"], watch=False)(kernel)
    with pytest.raises(KeyboardInterrupt):
        tuned(x, 1)
    with pytest.raises(libbench.NotTunedError):
        tuned.report(x, 1)
    assert len(launches) < 20
    tuned(x, 1)
    assert tuned.report(x, 1)["winner"]


def test_hits_from_many_threads(x):
    tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])(lambda x, n, way: n + way)
    for n in range(4):
        tuned(x, n)

    def body(at):
        mine = np.ones(512)
        for round in range(500):
            assert tuned(mine, n=round % 4) - round % 4 in (0, 1)

    run_all(8, body)

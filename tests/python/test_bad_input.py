# SPDX-License-Identifier: Apache-2.0
"""Each mistake is an exception with a clear text, and the next call works."""

import gc
import threading
import weakref

import numpy as np
import pytest

import libbench
from test_arguments import Declared


def kernel(x, n, way):
    pass


def make(**more):
    return libbench.autotune(**{"configs": [{"way": 0}, {"way": 1}], "key": ["n"], **more})(kernel)


def refusal(**more):
    with pytest.raises((libbench.InvalidArgumentError, TypeError, ValueError)) as raised:
        make(**more)
    return str(raised.value)


def test_unknown_names_are_refused_when_the_tuner_is_made():
    for parameter in ("key", "reset_to_zero", "restore_value", "outputs", "inputs"):
        text = refusal(**{parameter: ["m"]})
        assert parameter in text and "'m'" in text and "x, n" in text
    assert "'way'" in refusal(key=["way"])
    assert "list of names" in refusal(key="n")


def test_empty_and_duplicate_configurations():
    assert "empty" in refusal(configs=[])
    text = refusal(configs=[{"way": 0}, {"way": 1}, {"way": 0}])
    assert "2 equals 0" in text
    assert "int" in refusal(configs=[3, 4])


def test_a_field_that_the_kernel_lacks():
    text = refusal(configs=[{"way": 0}, {"way": 1, "tile": 3}])
    assert "configuration 1" in text and "tile" in text and "x" in text


def test_options_that_nobody_knows():
    assert "tuning" in refusal(tuning="sometimes")
    assert "pinned" in refusal(tuning="pinned")
    assert "mode" in refusal(mode="lukewarm")
    assert "default" in refusal(default=2)
    assert "top_k" in refusal(prune_configs_by={"perf_model": len, "top_k": 1.5})
    assert "prune" in refusal(prune_configs_by={"early": len})
    assert "bucket" in refusal(buckets={"n": "pow3"})
    with pytest.raises(TypeError, match="cannot be called"):
        libbench.autotune(configs=[{"way": 1}], key=[])(7)
    with pytest.raises(TypeError, match="name for each"):
        libbench.autotune(configs=[{"way": 1}], key=[])(lambda *xs, way: 0)


def test_a_key_argument_that_cannot_be_hashed(x):
    tuned = make()
    with pytest.raises(TypeError, match="'n' is a list, which cannot be hashed"):
        tuned(x, [1])
    tuned(x, 1)
    with pytest.raises(TypeError, match="'n' is a dict"):
        tuned(x, {})
    tuned(x, 1)


def test_wrong_calls_say_what_a_plain_call_would(x):
    tuned = make()
    for arguments, keywords, text in (
        ((x,), {}, "misses the argument 'n'"),
        ((x, 1, 2), {}, "3 were given"),
        ((x, 1), {"n": 2}, "two values"),
        ((x, 1), {"m": 2}, "unexpected argument 'm'"),
        ((x, 1), {"way": 2}, "'way'"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            tuned(*arguments, **keywords)
    tuned(x, 1)


def test_arguments_on_two_devices_and_on_none(x):
    tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])(lambda x, y, n, way: None)
    with pytest.raises(libbench.InvalidArgumentError) as raised:
        tuned(x, Declared(x, (2, 0)), 1)
    assert "'y'" in str(raised.value)
    with pytest.raises(libbench.InvalidArgumentError, match="no"):
        tuned(None, 2.5, 1)
    tuned(x, x, 1)
    with pytest.raises(libbench.InvalidArgumentError, match="__dlpack_device__"):
        libbench.do_bench(lambda: None)
    with pytest.raises(libbench.Error):
        libbench.do_bench(lambda: None, args=(), device="nonsense:0")
    with pytest.raises(libbench.Error):
        libbench.do_bench(lambda: None, device="cpu:77")


def test_do_bench_refuses_what_it_cannot_do(x):
    with pytest.raises(TypeError, match="cannot be called"):
        libbench.do_bench(3)
    with pytest.raises(libbench.InvalidArgumentError, match="return_mode"):
        libbench.do_bench(lambda: x, return_mode="p50")
    with pytest.raises(libbench.InvalidArgumentError, match="no time"):
        libbench.do_bench(lambda: x, warmup=0, rep=0)
    with pytest.raises(libbench.InvalidArgumentError, match="mode"):
        libbench.do_bench(lambda: x, mode="tepid")
    with pytest.raises(libbench.InvalidArgumentError, match="stream"):
        libbench.do_bench(lambda: x.sum(), stream="main")
    with pytest.raises(ValueError, match="quantile"):
        libbench.do_bench(lambda: x.sum(), quantiles=[1.5], mode="hot", rep=5)


def test_a_stream_of_another_device_is_refused(x):
    # The cpu has no streams of anybody else.
    with pytest.raises(libbench.Error):
        libbench.do_bench(lambda: x.sum(), stream=0x1234, mode="hot", rep=5)
    tuned = make(stream=0x1234)
    with pytest.raises(libbench.Error):
        tuned(x, 1)
    make()(x, 1)


def test_a_configuration_that_raises_costs_itself(x):
    class Mine(Exception):
        pass

    def sometimes(x, n, way):
        if way == 0 or n == 9:
            raise Mine(f"way {way}")

    tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])(sometimes)
    tuned(x, 1)
    assert tuned.best_config.kwargs == {"way": 1}
    assert "way 0" in str(tuned.report(x, 1)["configurations"])
    with pytest.raises(libbench.NoValidConfigError) as raised:
        tuned(x, 9)
    assert isinstance(raised.value.__cause__, Mine)
    assert {at: str(each) for at, each in raised.value.failures.items()} == {0: "way 0", 1: "way 1"}
    tuned(x, 1)
    with pytest.raises(Mine):
        libbench.do_bench(sometimes, args=(x, 1, 0))


def test_what_hooks_and_models_raise_comes_back(x):
    def bad(*args, **kwargs):
        raise KeyError("mine")

    for parameter in ("early_config_prune", "perf_model"):
        tuned = make(prune_configs_by={parameter: bad, "top_k": 1})
        with pytest.raises(KeyError, match="mine"):
            tuned(x, 1)
    with pytest.raises(libbench.NoValidConfigError):
        make(pre_hook=bad)(x, 1)
    with pytest.raises(libbench.NoValidConfigError, match="kept none"):
        make(prune_configs_by={"early_config_prune": lambda *a, **k: []})(x, 1)
    with pytest.raises(ValueError, match="not among"):
        make(prune_configs_by={"early_config_prune": lambda *a, **k: [libbench.Config({"way": 5})]})(x, 1)
    make()(x, 1)


def test_a_callable_that_does_nothing_or_ends_the_program(x):
    assert libbench.do_bench(lambda: None, device="cpu", mode="hot", rep=5) >= 0

    def leave(x, n, way):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])(leave)(x, 1)
    with pytest.raises(SystemExit):
        libbench.do_bench(leave, args=(x, 1, 0))
    make()(x, 1)


def test_an_argument_freed_during_a_tune_lives_until_it_ends():
    class Tracked(np.ndarray):
        pass

    alive = []

    def look(x, n, way):
        alive.append(reference() is not None)

    def call():
        nonlocal reference
        array = np.ones(8).view(Tracked)
        reference = weakref.ref(array)
        holder = [array]
        del array
        tuned(holder.pop(), 1)

    reference = None
    tuned = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])(look)
    call()
    gc.collect()
    assert all(alive) and len(alive) > 2
    assert reference() is None


def test_a_read_only_output_is_refused_and_a_read_only_input_is_not(x):
    x.flags.writeable = False
    make()(x, 1)
    with pytest.raises(ValueError, match="'x'.*read-only"):
        make(restore_value=["x"], cache_results=False)(x, 2)
    with pytest.raises(ValueError, match="'x'.*read-only"):
        make(reset_to_zero=["x"], cache_results=False)(x, 2)


def test_a_tune_inside_its_own_tune(x):
    @libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])
    def recursive(x, n, way):
        if n:
            recursive(x, n)

    with pytest.raises(libbench.NoValidConfigError, match="very key"):
        recursive(x, 1)
    recursive(x, 0)


def test_a_tuned_function_inside_another_and_a_measurement_inside_one(x):
    inner_ways = []

    @libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"], default=1, watch=False)
    def inner(x, n, way):
        inner_ways.append(way)

    outer = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"], watch=False)(lambda x, n, way: inner(x, n))
    outer(x, 1)
    # The default while the outer one is measured; tuned in the first call that nobody measures.
    assert inner_ways[:4] == [1] * 4 and 0 in inner_ways
    assert inner.report(x, 1)["states"] == {"measured": 2}
    with pytest.raises(libbench.BusyError, match="being measured"):
        libbench.do_bench(lambda: libbench.do_bench(lambda: x.sum(), mode="hot"), device="cpu", mode="hot", rep=5)


def test_tuned_functions_are_collected(x):
    tuned = make()
    tuned(x, 1)
    reference = weakref.ref(tuned)
    tuned.itself = tuned
    del tuned
    gc.collect()
    assert reference() is None
    assert threading.active_count() < 50

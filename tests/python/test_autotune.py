# SPDX-License-Identifier: Apache-2.0
import warnings

import numpy as np
import pytest

import libbench


def test_a_cold_key_is_tuned_once_and_the_choice_runs(counted, ways, x):
    tuned = libbench.autotune(configs=ways, key=["n"])(counted)
    tuned(x, 1)
    assert set(counted.launched) == {"slow", "fast", "middle"}
    assert tuned.best_config == libbench.Config({"way": "fast"})
    counted.launched.clear()
    tuned(x, 1)
    tuned(x=x, n=1)
    assert counted.launched == ["fast", "fast"]
    report = tuned.report(x, 1)
    assert report["winner"]["configuration"] == {"way": "fast"}
    assert report["device"] == "cpu:0" and report["states"] == {"measured": 3}
    with pytest.raises(libbench.NotTunedError):
        tuned.report(x, 2)


def test_the_result_of_the_function_comes_back(x):
    @libbench.autotune(configs=[{"factor": 2}], key=[])
    def scaled(x, factor, power=1):
        """Documented."""
        return (x * factor).sum() ** power

    assert scaled(x) == 1024
    assert scaled(x, power=2) == 1024**2
    assert scaled.__doc__ == "Documented." and scaled.__name__ == "scaled"


def test_the_store_is_asked_before_anything_is_launched(counted, ways, x, store):
    libbench.autotune(configs=ways, key=["n"], name="kept", version="1")(counted)(x, 1)
    counted.launched.clear()
    libbench.configure(store=store, environment=False, plugin_paths=[libbench.plugin_path()])
    again = libbench.autotune(configs=ways, key=["n"], name="kept", version="1")(counted)
    again(x, 1)
    assert counted.launched == ["fast"]
    assert again.report(x, 1)["from_store"] is True
    unkept = libbench.autotune(configs=ways, key=["n"], name="kept", version="1", cache_results=False)(counted)
    unkept(x, 1)
    assert "slow" in counted.launched


def test_a_comment_keeps_stored_choices_and_a_change_does_not():
    from libbench._signature import code_version

    def version(source):
        scope = {}
        exec(source, scope)
        return code_version(scope["f"])

    assert version("def f(x):\n    return x + 1") == version("def f(x):\n    # why\n\n    return x + 1")
    assert version("def f(x):\n    return x + 1") != version("def f(x):\n    return x + 2")

    class Called:
        def __call__(self, x):
            return x + 1

    class CalledElse:
        def __call__(self, x):
            return x + 2

    assert code_version(Called()) != code_version(CalledElse())


def test_pruning_by_a_function_and_by_a_model(counted, ways, x):
    asked = []

    def prune(configs, named, **kwargs):
        asked.append((named, kwargs))
        return [config for config in configs if config.kwargs["way"] != "fast"]

    tuned = libbench.autotune(
        configs=ways,
        key=["n"],
        prune_configs_by={
            "early_config_prune": prune,
            "perf_model": lambda x, n, way: {"slow": 2.0, "middle": 1.0}[way],
            "top_k": 1,
        },
    )(counted)
    tuned(x, n=3)
    assert counted.launched == ["middle"]
    assert list(asked[0][0]) == ["x"] and asked[0][1] == {"n": 3}
    part = libbench.autotune(
        configs=ways, key=["n"], prune_configs_by={"perf_model": lambda x, n, way: len(way), "top_k": 0.7}
    )(counted)
    counted.launched.clear()
    part(x, 1)
    assert set(counted.launched) == {"slow", "fast"}


def test_in_place_arguments_are_restored_bit_for_bit(ways):
    launches = []

    def scale(x, y, way):
        launches.append(way)
        assert x[3] == 3.0 and (x[::2] == np.arange(0, 512, 2)).all()
        assert not y.any()
        x *= 1.5
        y += 1

    x, y = np.arange(512.0), np.full(7, 9.0)
    tuned = libbench.autotune(configs=ways, key=[], restore_value=["x"], reset_to_zero=["y"])(scale)
    tuned(x, y)
    assert len(launches) > 3
    assert (x == np.arange(512.0) * 1.5).all() and (y == 1).all()


def test_an_unmarked_in_place_argument_is_named(ways, x):
    def accumulate(x, out, way):
        out[:] = 1
        x += 1

    tuned = libbench.autotune(configs=ways, key=[])(accumulate)
    with pytest.warns(RuntimeWarning, match="'x'.*restore_value") as caught:
        tuned(x, np.empty(3))
    assert len([each for each in caught if each.category is RuntimeWarning]) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        libbench.autotune(configs=ways, key=[], restore_value=["x"])(accumulate)(x, np.empty(3))


def test_a_wrong_configuration_cannot_win(x):
    def double(x, out, wrong):
        if wrong:
            out[0] = 5
        else:
            for _ in range(20):
                np.multiply(x, 2, out=out)

    out = np.empty_like(x)
    configs = [libbench.Config({"wrong": False}), libbench.Config({"wrong": True})]
    tuned = libbench.autotune(configs=configs, key=[], outputs=["out"], check=True)(double)
    tuned(x, out)
    assert tuned.best_config.kwargs == {"wrong": False}
    assert tuned.report(x, out)["states"] == {"measured": 1, "wrong-output": 1}
    assert (out == 2).all()


def test_hooks_surround_every_launch_of_a_tune(ways, x):
    events = []
    hooked = [*ways[:2], libbench.Config({"way": "middle"}, pre_hook=lambda named: events.append("own"))]

    def kernel(x, n, way):
        events.append("launch")
        if way == "slow":
            raise libbench.ConfigRejected("not here")

    def before(named):
        assert named["n"] == 4 and "way" in named
        events.append("before")

    def after(named, exception):
        assert (exception is not None) == (named["way"] == "slow")
        events.append("after")

    tuned = libbench.autotune(configs=hooked, key=["n"], pre_hook=before, post_hook=after, watch=False, default=1)(kernel)
    tuned(x, 4)
    text = " ".join(events)
    assert "own before launch after" in text
    assert events.count("before") == events.count("after") == events.count("launch") - 1
    events.clear()
    hooked_only = libbench.autotune(configs=[hooked[2]], key=[])(kernel)
    hooked_only(x, 4)
    hooked_only(x, 4)
    assert events == ["own", "launch"] * 2


def test_heuristics_below_and_above(x):
    seen = []

    @libbench.autotune(configs=[{"block": 2}, {"block": 4}], key=["n"])
    @libbench.heuristics({"even": lambda named: named["n"] % named["block"] == 0})
    def below(x, n, block, even):
        seen.append((n, block, even))

    below(x, 6)
    below(x, 6)
    assert {each for each in seen} == {(6, 2, True), (6, 4, False)}

    @libbench.heuristics({"even": lambda named: named["n"] % 2 == 0})
    @libbench.autotune(configs=[{"block": 2}, {"block": 4}], key=["n", "even"])
    def above(x, n, even, block):
        seen.append(even)

    seen.clear()
    above(x, 5)
    assert set(seen) == {False}


def test_modes(counted, ways, x, store):
    step = libbench.autotune(configs=ways, key=["n"], tuning="incremental", watch=False)(counted)
    sizes = []
    for _ in range(3):
        counted.launched.clear()
        step(x, 1)
        sizes.append(len(set(counted.launched)))
    assert sizes == [2, 2, 1]
    assert step.best_config == ways[1]
    cached = libbench.autotune(configs=ways, key=["n"], tuning="cached-only", default=2)(counted)
    counted.launched.clear()
    cached(x, 1)
    cached(x, 2)
    assert counted.launched == ["fast", "middle"]
    pinned = libbench.autotune(configs=ways, key=["n"], tuning="pinned", pinned=2)(counted)
    counted.launched.clear()
    pinned(x, 1)
    assert counted.launched == ["middle"]


def test_buckets_share_a_choice(counted, ways, x):
    tuned = libbench.autotune(configs=ways, key=["n"], buckets={"n": "pow2"})(counted)
    tuned(x, 513)
    counted.launched.clear()
    tuned(x, 1024)
    assert counted.launched == ["fast"]
    tuned(x, 1025)
    assert "slow" in counted.launched


def test_a_choice_from_elsewhere(counted, ways, x):
    tuned = libbench.autotune(configs=ways, key=["n"])(counted)
    tuned.choose(ways[2], x, 1)
    tuned(x, 1)
    assert counted.launched == ["middle"]
    with pytest.raises(libbench.BusyError):
        tuned.choose(0, x, 1)


def test_a_do_bench_of_the_callers_decides(counted, ways, x):
    calls = []

    def do_bench(fn, quantiles):
        fn()
        calls.append(quantiles)
        return [{"slow": 1.0, "fast": float("nan"), "middle": 2.0}[counted.launched[-1]]] * 3

    tuned = libbench.autotune(configs=ways, key=["n"], do_bench=do_bench)(counted)
    tuned(x, 1)
    assert calls == [(0.5, 0.2, 0.8)] * 3
    assert tuned.best_config == ways[0]
    counted.launched.clear()
    tuned(x, 1)
    assert counted.launched == ["slow"]


def test_deprecated_parameters_are_taken_with_one_warning(counted, ways, x):
    from libbench import _measure

    _measure._warned.clear()
    with pytest.warns(DeprecationWarning) as caught:
        libbench.autotune(configs=ways, key=["n"], warmup=5, rep=10, use_cuda_graph=True)(counted)(x, 1)
        libbench.autotune(configs=ways, key=["n"], warmup=5, rep=10, use_cuda_graph=True)(counted)
    assert len(caught) == 2


def test_the_choice_is_printed_on_request(counted, ways, x, monkeypatch, capsys):
    libbench.autotune(configs=ways, key=["n"])(counted)(x, 1)
    assert capsys.readouterr().out == ""
    monkeypatch.setenv("BENCH_PRINT_AUTOTUNING", "1")
    libbench.autotune(configs=ways, key=["n"], cache_results=False)(counted)(x, 1)
    assert "Config(way='fast')" in capsys.readouterr().out


def test_jax_kernels_are_tuned_on_finished_results():
    jax = pytest.importorskip("jax")
    a = jax.numpy.ones((16, 16))

    @libbench.autotune(configs=[{"times": 1}, {"times": 40}], key=["a"])
    def power(a, times):
        for _ in range(times):
            a = a @ a / 16
        return a

    assert power(a).shape == (16, 16)
    assert power.best_config.kwargs == {"times": 1}

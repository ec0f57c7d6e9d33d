# SPDX-License-Identifier: Apache-2.0
"""Objects that behave like Triton's jitted kernels and its autotuner, as far as libbench uses them; and the
real Triton's interfaces where it is installed."""

import inspect

import numpy as np
import pytest

import libbench
import libbench.triton


class OutOfResources(Exception):
    pass


class Kernel:
    """A jitted function: `kernel[grid](...)`, `run(..., grid, warmup)`, `arg_names`, `cache_key`."""

    def __init__(self, fn, key="source-1"):
        self.fn, self.cache_key = fn, key
        self.arg_names = list(inspect.signature(fn).parameters)
        self.__name__, self.__module__ = fn.__name__, fn.__module__
        self.launched, self.compiled = [], []

    def run(self, *args, grid, warmup, num_warps=4, num_stages=3, **kwargs):
        if warmup:
            self.compiled.append((kwargs, num_warps))
            return num_warps
        bound = inspect.signature(self.fn).bind(*args, **kwargs)
        dimensions = grid(bound.arguments) if callable(grid) else grid
        self.launched.append((dict(kwargs), num_warps, dimensions))
        return self.fn(*args, **kwargs)

    def warmup(self, *args, grid, **kwargs):
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


def add(x, y, n, BLOCK):
    if BLOCK == 1024:
        raise OutOfResources("shared memory")
    for _ in range(1 if BLOCK == 64 else 60):
        np.add(x, 1, out=y)


@pytest.fixture
def kernel():
    return Kernel(add)


CONFIGS = [
    libbench.triton.Config({"BLOCK": 32}, num_warps=4),
    libbench.triton.Config({"BLOCK": 64}, num_warps=8),
    libbench.triton.Config({"BLOCK": 1024}, num_warps=8),
]


def test_a_kernel_is_tuned_through_its_grid(kernel, x):
    tuned = libbench.triton.autotune(configs=CONFIGS, key=["n"])(kernel)
    y = np.empty_like(x)
    grid = lambda meta: (meta["n"] // meta["BLOCK"],)  # noqa: E731
    tuned[grid](x, y, 512)
    assert {launch[0]["BLOCK"] for launch in kernel.launched} == {32, 64, 1024}
    assert tuned.best_config is CONFIGS[1]
    kernel.launched.clear()
    tuned[grid](x, y, 512)
    tuned[(8,)](x, y, n=512)
    assert kernel.launched == [({"BLOCK": 64}, 8, (8,)), ({"BLOCK": 64, "n": 512}, 8, (8,))]
    assert (y == 2).all()
    assert tuned.report(x, y, 512)["states"] == {"measured": 2, "out-of-resources": 1}


def test_autotune_finds_out_that_it_got_a_jitted_kernel(kernel):
    assert isinstance(libbench.autotune(configs=CONFIGS, key=["n"])(kernel), libbench.triton.Autotuner)


def test_empty_and_double_lists_are_taken_as_triton_takes_them(kernel, x):
    twice = libbench.triton.autotune(configs=[CONFIGS[1], CONFIGS[1]], key=["n"])(kernel)
    assert len(twice.configs) == 1
    plain = Kernel(lambda x, n: None)
    libbench.triton.autotune(configs=[], key=["n"])(plain)[(1,)](x, 1)
    assert len(plain.launched) == 1


def test_warmup_compiles_what_pruning_keeps(kernel, x):
    prune = {"early_config_prune": lambda configs, named, **kwargs: configs[:2]}
    tuned = libbench.triton.autotune(configs=CONFIGS, key=["n"], prune_configs_by=prune)(kernel)
    assert tuned.warmup(x, x, 512, grid=(1,)) == [4, 8]
    assert kernel.launched == [] and len(kernel.compiled) == 2


def test_a_perf_model_sees_what_tritons_does(kernel, x):
    asked = []

    def model(x, y, n, grid, warmup, BLOCK, num_warps, **rest):
        asked.append((n, BLOCK, num_warps))
        return BLOCK

    tuned = libbench.triton.autotune(
        configs=CONFIGS, key=["n"], prune_configs_by={"perf_model": model, "top_k": 1}
    )(kernel)
    tuned[(1,)](x, np.empty_like(x), 512)
    assert asked == [(512, 32, 4), (512, 64, 8), (512, 1024, 8)]
    assert [launch[0]["BLOCK"] for launch in kernel.launched] == [32]


def test_heuristics_around_a_kernel(x):
    kernel = Kernel(lambda x, n, EVEN, BLOCK: None)
    tuned = libbench.triton.autotune(configs=[{"BLOCK": 32}, {"BLOCK": 48}], key=["n"])(
        libbench.triton.heuristics({"EVEN": lambda named: named["n"] % named["BLOCK"] == 0})(kernel)
    )
    tuned[(1,)](x, 64)
    assert {(launch[0]["BLOCK"], launch[0]["EVEN"]) for launch in kernel.launched} == {(32, True), (48, False)}


class TritonHeuristics:
    """Triton's own: `values`, `fn`, `arg_names` of the kernel, computed in `run`."""

    def __init__(self, fn, values):
        self.fn, self.values, self.arg_names = fn, values, fn.arg_names

    def run(self, *args, **kwargs):
        known = dict(zip(self.arg_names, args)) | kwargs
        return self.fn.run(*args, **kwargs, **{name: value(known) for name, value in self.values.items()})


def test_tritons_own_heuristics_below(x):
    kernel = Kernel(lambda x, n, EVEN, BLOCK: None, "heuristic-1")
    below = TritonHeuristics(kernel, {"EVEN": lambda named: named["n"] % named["BLOCK"] == 0})
    tuned = libbench.triton.autotune(configs=[{"BLOCK": 32}, {"BLOCK": 48}], key=["n"])(below)
    tuned[(1,)](x, 64)
    assert {(launch[0]["BLOCK"], launch[0]["EVEN"]) for launch in kernel.launched} == {(32, True), (48, False)}
    count = len(kernel.launched)
    again = libbench.triton.autotune(configs=[{"BLOCK": 32}, {"BLOCK": 48}], key=["n"])(below)
    again[(1,)](x, 64)
    assert len(kernel.launched) == count + 1  # by the kernel's key, from the store
    other = TritonHeuristics(Kernel(kernel.fn, "heuristic-2"), below.values)
    libbench.triton.autotune(configs=[{"BLOCK": 32}, {"BLOCK": 48}], key=["n"])(other)[(1,)](x, 64)
    assert len(other.fn.launched) > 1


def test_the_kernels_own_key_names_it_in_the_store(x):
    def tune(key):
        kernel = Kernel(lambda x, n, BLOCK: None, key)
        libbench.triton.autotune(configs=[{"BLOCK": 32}, {"BLOCK": 64}], key=["n"])(kernel)[(1,)](x, 1)
        return len(kernel.launched)

    assert tune("a") > 1
    assert tune("a") == 1
    assert tune("b") > 1


def test_do_bench_as_tritons_autotuner_calls_it(kernel, x):
    """The callable that is timed holds its arguments in a closure, two containers deep."""

    def bench(config, *args, **meta):
        full = {**dict(zip(kernel.arg_names, args)), **meta, **config.all_kwargs()}

        def kernel_call():
            kernel.run(*args, grid=(1,), warmup=False, **config.all_kwargs())
            return full and None

        return libbench.triton.do_bench(kernel_call, quantiles=(0.5, 0.2, 0.8), rep=30)

    middle, low, high = bench(CONFIGS[1], x, np.empty_like(x), 512)
    assert low <= middle <= high


def test_the_keywords_are_tritons():
    """Against the installed Triton, where there is one."""
    autotuner = pytest.importorskip("triton.runtime.autotuner")
    theirs = inspect.signature(autotuner.autotune).parameters
    ours = inspect.signature(libbench.triton.autotune).parameters
    assert list(theirs) == [name for name in ours if name != "more"][: len(theirs)]
    config = autotuner.Config({"BLOCK": 32}, num_warps=8)
    assert libbench._config.config_values(config)["num_warps"] == 8

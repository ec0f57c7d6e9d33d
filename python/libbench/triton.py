# SPDX-License-Identifier: Apache-2.0
"""For Triton: `do_bench` for `triton.autotune(do_bench=...)`, and `autotune` in place of it. Triton itself
is never imported here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _autotune, _core, _measure
from ._config import Config as _Config
from ._config import duplicates
from ._heuristics import Heuristics, heuristics

__all__ = ["Autotuner", "Config", "autotune", "do_bench", "heuristics"]

Config = _Config


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Iterable[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
    **more: Any,
) -> Any:
    """`triton.testing.do_bench` on whatever device the callable's tensors live on; milliseconds. Of Triton's
    own autotuner the callable holds the arguments, so no device needs to be named."""
    return _measure.do_bench(fn, warmup, rep, grad_to_none, quantiles, return_mode, **more)


class Autotuner(_autotune.Autotuner):
    """`kernel[grid](...)` as with Triton's own."""

    def __init__(self, fn: Any, configs: Iterable[Any], key: Sequence[str], *args: Any, **kwargs: Any) -> None:
        configs = list(configs or ()) or [_Config({})]
        twins = {second for _, second in duplicates(configs)}
        # Triton takes them; one of each is enough.
        configs = [config for at, config in enumerate(configs) if at not in twins]
        inner = fn.fn if isinstance(fn, Heuristics) else fn
        super().__init__(
            fn,
            configs,
            key or (),
            *args,
            arg_names=list(inner.arg_names),
            function=inner.run,
            passes_more=True,
            provided=_provided(inner),
            **kwargs,
        )
        self.base_fn = _innermost(inner)
        self._kernel = inner

    def run(self, *args: Any, **kwargs: Any) -> Any:
        return self(*args, **kwargs)

    # kernel[grid](...) is every launch of a program: no Python frame for it.
    __getitem__ = _core.Tuned._bind_grid

    def warmup(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Compiles the configurations that pruning keeps, without a launch."""
        kept = self.kept(args, kwargs) if self.early_config_prune is not None else [True] * len(self.configs)
        return [
            self._kernel.warmup(*args, **kwargs, **self._values[at]) for at in range(len(self.configs)) if kept[at]
        ]


def _provided(fn: Any) -> set[str]:
    """Parameters that Triton's own heuristics below give at each launch."""
    names: set[str] = set()
    while hasattr(fn, "fn"):
        values = getattr(fn, "values", None)
        if isinstance(values, dict):
            names |= set(values)
        fn = fn.fn
    return names


def _innermost(fn: Any) -> Any:
    while hasattr(fn, "fn"):
        fn = fn.fn
    return fn


def autotune(
    configs: Iterable[Any],
    key: Sequence[str],
    prune_configs_by: dict[str, Any] | None = None,
    reset_to_zero: Sequence[str] | None = None,
    restore_value: Sequence[str] | None = None,
    pre_hook: Callable[..., Any] | None = None,
    post_hook: Callable[..., Any] | None = None,
    warmup: float | None = None,
    rep: float | None = None,
    use_cuda_graph: bool = False,
    do_bench: Callable[..., Any] | None = None,
    cache_results: bool = True,
    **more: Any,
) -> Callable[[Any], Autotuner]:
    """`triton.autotune` with the same keywords, racing, and with the store (`cache_results=False` keeps
    results in memory). Hooks and clones stay outside the timed windows."""

    def decorate(fn: Any) -> Autotuner:
        return Autotuner(
            fn, configs, key, prune_configs_by, reset_to_zero, restore_value, pre_hook, post_hook,
            warmup, rep, use_cuda_graph, do_bench, cache_results, **more,
        )

    return decorate


# SPDX-License-Identifier: Apache-2.0
"""Tuning with a caller's own do_bench: each configuration once, the smallest wins, as Triton does it. No
race: what such a function returns are numbers without samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .errors import (
    STATUS_CALLABLE_FAILED,
    STATUS_DEVICE_LOST,
    NoValidConfigError,
    classify,
)

if TYPE_CHECKING:
    from ._autotune import Autotuner


def _copy(tensor: Any) -> Any:
    return tensor.clone() if hasattr(tensor, "clone") else tensor.copy()


def _assign(tensor: Any, value: Any) -> None:
    if hasattr(tensor, "copy_"):
        tensor.copy_(value)
    else:
        tensor[...] = value


def _zero(tensor: Any) -> None:
    if hasattr(tensor, "zero_"):
        tensor.zero_()
    else:
        tensor[...] = 0


def _candidates(tuner: Autotuner, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[int]:
    kept = list(range(len(tuner.configs)))
    if tuner.early_config_prune is not None:
        flags = tuner.kept(args, kwargs)
        kept = [at for at in kept if flags[at]]
        if not kept:
            raise NoValidConfigError("early_config_prune kept nothing", "autotune", "keep at least one", -16, "no-valid-config")
    if tuner.perf_model is not None:
        top = tuner.configs_top_k
        count = max(1, int(len(tuner.configs) * top)) if isinstance(top, float) else top
        named = dict(zip(tuner.arg_names, args))
        costs = {at: tuner.perf_model(**named, **kwargs, **tuner._values[at]) for at in kept}
        kept = sorted(sorted(kept, key=lambda at: costs[at])[:count])
    return kept


def tune_exhaustively(
    tuner: Autotuner,
    do_bench: Callable[..., Any],
    bound: dict[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    all_values: list[dict[str, Any]],
) -> tuple[int, dict[Any, Any]]:
    """The position of the winner, and what was measured."""
    saved = {name: _copy(bound[name]) for name in tuner.restore_value if bound[name] is not None}

    def reset() -> None:
        for name in tuner.reset_to_zero:
            if bound[name] is not None:
                _zero(bound[name])
        for name, copy in saved.items():
            _assign(bound[name], copy)

    def launch(at: int) -> Callable[[], None]:
        config_hook = getattr(tuner.configs[at], "pre_hook", None)
        full = {**bound, **kwargs, **all_values[at]}

        def once() -> None:
            reset()
            if config_hook is not None:
                config_hook(full)
            if tuner.pre_hook is not None:
                tuner.pre_hook(full)
            exception: BaseException | None = None
            try:
                tuner._function(*args, **{**kwargs, **all_values[at]})
            except Exception as raised:
                exception = raised
                raise
            finally:
                if tuner.post_hook is not None:
                    tuner.post_hook(full, exception=exception)

        return once

    kept = _candidates(tuner, args, kwargs)
    if len(kept) == 1:
        return kept[0], {}
    timings: dict[int, list[float]] = {}
    failures: dict[int, BaseException] = {}
    try:
        for at in kept:
            try:
                measured = do_bench(launch(at), quantiles=(0.5, 0.2, 0.8))
            except Exception as raised:
                if classify(raised) == STATUS_DEVICE_LOST:
                    raise
                failures[at] = raised
                continue
            times = [measured] if isinstance(measured, (int, float)) else list(measured)
            # A NaN is smaller than nothing: it must not win.
            timings[at] = [math.inf if math.isnan(each) else each for each in times]
    finally:
        reset()
    if not timings:
        error = NoValidConfigError(
            f"none of {len(kept)} configurations of {tuner._signature.name} is valid", "autotune",
            "see the failures", -16, "no-valid-config",
        )
        error.failures = failures
        if all(classify(each) == STATUS_CALLABLE_FAILED for each in failures.values()):
            error.what += f": {next(iter(failures.values()))!r}"
        raise error from next(iter(failures.values()))
    winner = min(timings, key=lambda at: timings[at])
    return winner, {tuner.configs[at]: times for at, times in timings.items()}

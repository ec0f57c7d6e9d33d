# SPDX-License-Identifier: Apache-2.0
"""heuristics: values that are computed from the arguments at every launch."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any


class Heuristics:
    """Above or below `autotune`; below it the functions see the configuration's values too."""

    def __init__(self, fn: Any, values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> None:
        for name, function in values.items():
            if not callable(function):
                raise TypeError(f"the heuristic of {name!r} is a {type(function).__name__}: give a function of the arguments")
        self.fn = fn
        self.values = dict(values)
        names = getattr(fn, "arg_names", None)
        self.arg_names: list[str] = list(names) if names is not None else list(inspect.signature(fn).parameters)
        self.__wrapped__ = fn

    def _all(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        known = {**dict(zip(self.arg_names, args)), **kwargs}
        computed: dict[str, Any] = {}
        for name, function in self.values.items():
            computed[name] = function({**known, **computed})
        return {**kwargs, **computed}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*args, **self._all(args, kwargs))

    def run(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn.run(*args, **self._all(args, kwargs))

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


def heuristics(values: Mapping[str, Callable[[dict[str, Any]], Any]]) -> Callable[[Any], Heuristics]:
    """Decorates a function: `values` maps a parameter to a function of the dict of all arguments."""
    return lambda fn: Heuristics(fn, values)

# SPDX-License-Identifier: Apache-2.0
"""Configurations, in Triton's form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .errors import InvalidArgumentError


class Config:
    """One point of the space. `kwargs` are the values that the function is called with; the other
    parameters are those of `triton.Config`, and only those that are given are passed on."""

    __slots__ = ("kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook", "ir_override")

    def __init__(
        self,
        kwargs: Mapping[str, Any] | None = None,
        num_warps: int | None = None,
        num_stages: int | None = None,
        num_ctas: int | None = None,
        maxnreg: int | None = None,
        pre_hook: Callable[[dict[str, Any]], Any] | None = None,
        ir_override: str | None = None,
        **more: Any,
    ) -> None:
        self.kwargs = {**(kwargs or {}), **more}
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def all_kwargs(self) -> dict[str, Any]:
        options = {
            name: getattr(self, name)
            for name in ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")
            if getattr(self, name) is not None
        }
        return {**self.kwargs, **options}

    def __repr__(self) -> str:
        return "Config(" + ", ".join(f"{name}={value!r}" for name, value in self.all_kwargs().items()) + ")"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Config):
            return NotImplemented
        return self.all_kwargs() == other.all_kwargs() and self.pre_hook == other.pre_hook

    def __hash__(self) -> int:
        return hash((tuple(sorted((name, repr(value)) for name, value in self.all_kwargs().items())), self.pre_hook))


def config_values(config: Any) -> dict[str, Any]:
    """Of ours, of Triton's, or of a plain dict."""
    if isinstance(config, Mapping):
        return dict(config)
    if hasattr(config, "all_kwargs"):
        return dict(config.all_kwargs())
    raise TypeError(f"a configuration is a {type(config).__name__}: give libbench.Config, triton.Config or a dict")


def duplicates(configs: Sequence[Any]) -> list[tuple[int, int]]:
    """Pairs of positions whose values and hook are the same."""
    seen: dict[Any, int] = {}
    result = []
    for at, config in enumerate(configs):
        values = config_values(config)
        identity = (
            tuple(sorted((name, type(value).__name__, repr(value)) for name, value in values.items())),
            getattr(config, "pre_hook", None),
        )
        if identity in seen:
            result.append((seen[identity], at))
        else:
            seen[identity] = at
    return result


def check_configs(configs: Iterable[Any], where: str) -> list[Any]:
    """The list, not empty and without duplicates: one of two equal entries is a typing error."""
    result = [Config(config) if isinstance(config, Mapping) else config for config in configs]
    if not result:
        raise InvalidArgumentError("configs is empty", where, "give at least one configuration")
    twins = duplicates(result)
    if twins:
        text = "; ".join(f"{second} equals {first}: {config_values(result[first])}" for first, second in twins)
        raise InvalidArgumentError(f"configs holds duplicates: {text}", where, "give each configuration once")
    return result

# SPDX-License-Identifier: Apache-2.0
"""What a function takes, as a tuner must know it."""

from __future__ import annotations

import ast
import hashlib
import inspect
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

REQUIRED = object()


class Signature:
    """Declared arguments without those that configurations and heuristics give."""

    def __init__(self, function: Callable[..., Any], given: set[str], arg_names: list[str] | None = None) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self.names: list[str] = []
        self.defaults: list[Any] = []
        self.passes_more = False
        self.all_names: set[str] = set()
        try:
            parameters: Mapping[str, inspect.Parameter] = inspect.signature(function).parameters
        except (TypeError, ValueError):
            parameters = {}
            if arg_names is None:
                raise TypeError(
                    f"the parameters of {self.name} cannot be seen: wrap it in a Python function"
                ) from None
        if arg_names is not None:
            parameters = {
                name: parameters.get(name, inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD))
                for name in arg_names
            }
        for name, parameter in parameters.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                raise TypeError(f"{self.name} takes *{name}: a tuner needs a name for each argument")
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                self.passes_more = True
                continue
            self.all_names.add(name)
            if name in given:
                continue
            self.names.append(name)
            self.defaults.append(REQUIRED if parameter.default is inspect.Parameter.empty else parameter.default)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Values by name in declaration order; the errors are those of a plain call."""
        if len(args) > len(self.names):
            raise TypeError(f"{self.name}() takes {len(self.names)} arguments, and {len(args)} were given")
        bound = dict(zip(self.names, args))
        for name, value in kwargs.items():
            if name in bound:
                raise TypeError(f"{self.name}() got two values for argument '{name}'")
            if name in self.names:
                bound[name] = value
            elif not self.passes_more:
                raise TypeError(f"{self.name}() got an unexpected argument '{name}'")
        for name, default in zip(self.names, self.defaults):
            if name not in bound:
                if default is REQUIRED:
                    raise TypeError(f"{self.name}() misses the argument '{name}'")
                bound[name] = default
        return {name: bound[name] for name in self.names}


def _digest_code(code: types.CodeType, into: Any) -> None:
    into.update(code.co_code)
    into.update(repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _digest_code(constant, into)
        else:
            into.update(repr(constant).encode())


def _chain(function: Any) -> Iterator[Any]:
    """The function and what it wraps: heuristics, partials, jitted kernels."""
    seen: set[int] = set()
    while function is not None and id(function) not in seen:
        seen.add(id(function))
        yield function
        function = getattr(function, "fn", None) or getattr(function, "func", None)


def code_version(function: Any) -> str:
    """Changes with what the function does, not with its comments or blank lines: a reformatted file must
    not lose its tuned choices."""
    digest = hashlib.sha256()
    for node in _chain(function):
        try:
            key = getattr(node, "cache_key", None)
        except Exception:  # triton.jit computes it, and a kernel that cannot be compiled has none
            key = None
        source = getattr(node, "src", None)
        code = getattr(node, "__code__", None)
        if isinstance(key, str):  # triton.jit: covers what the kernel calls, too
            digest.update(key.encode())
        elif isinstance(source, str):
            try:
                digest.update(ast.dump(ast.parse(textwrap.dedent(source))).encode())
            except SyntaxError:
                digest.update(source.encode())
        elif code is not None:
            _digest_code(code, digest)
        else:
            continue
        return digest.hexdigest()[:16]
    code = getattr(getattr(type(function), "__call__", None), "__code__", None)
    if code is not None:  # an object that is called
        _digest_code(code, digest)
    return digest.hexdigest()[:16]

# SPDX-License-Identifier: Apache-2.0
# The extension module. It is private: use the functions of libbench.
from collections.abc import Callable, Sequence
from typing import Any

_Stream = tuple[int, int, int]

def version() -> str: ...
def set_error_factory(factory: Callable[[int, str, str, str, str], BaseException]) -> None: ...
def device_of(object: Any) -> tuple[int, int] | None: ...
def measure(
    context: Context,
    device: tuple[int, int],
    stream: _Stream | None,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    flags: int,
    policy: dict[str, Any],
    hooks: dict[str, Any],
) -> dict[str, Any]: ...

class Context:
    def __init__(self, plugin_paths: Sequence[str], store_path: str, flags: int) -> None: ...
    def devices_json(self) -> str: ...
    def plugins_json(self, story: bool) -> str: ...
    def parse_device(self, name: str) -> tuple[int, int]: ...
    def dispatch(self, arguments: list[Any], device: str) -> tuple[int, int]: ...
    def take_log(self) -> list[tuple[int, str]]: ...

class Tuner:
    def __init__(self, context: Context, options: dict[str, Any]) -> None: ...
    def tune(
        self,
        values: tuple[Any, ...],
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        configs: list[dict[str, Any]],
        stream: _Stream | None,
        flags: int,
        hooks: dict[str, Any],
    ) -> int: ...
    def find(self, values: tuple[Any, ...]) -> int | None: ...
    def choose(self, values: tuple[Any, ...], index: int) -> None: ...
    def report_json(self, values: tuple[Any, ...]) -> str | None: ...

class Tuned:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def _bind_grid(self, grid: Any, /) -> Callable[..., Any]: ...
    def _prepare(
        self,
        tuner: Tuner,
        function: Callable[..., Any],
        names: tuple[str, ...],
        defaults: tuple[Any, ...],
        required: object,
        configs: list[dict[str, Any]],
        slow: list[bool],
        passes_more: bool,
    ) -> None: ...

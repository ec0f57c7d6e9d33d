# SPDX-License-Identifier: Apache-2.0
"""The package says that it is typed, and its stub of the extension says what the extension has."""

import ast
import inspect
import pathlib
import typing

import libbench
from libbench import _core

FOLDER = pathlib.Path(libbench.__file__).parent


def test_the_package_is_marked_as_typed():
    assert (FOLDER / "py.typed").exists()


def test_the_stub_names_what_the_extension_has():
    tree = ast.parse((FOLDER / "_core.pyi").read_text())
    stub = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    real = {name for name in vars(_core) if not name.startswith("_")}
    assert set(stub) == real
    for name, node in stub.items():
        if isinstance(node, ast.ClassDef):
            methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)} - {"__init__", "__call__", "_prepare", "_bind_grid"}
            assert methods == {each for each in vars(getattr(_core, name)) if not each.startswith("_")}, name


def test_every_public_function_has_annotations():
    for name in libbench.__all__:
        value = getattr(libbench, name)
        if inspect.isfunction(value):
            assert "return" in typing.get_type_hints(value), name

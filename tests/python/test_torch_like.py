# SPDX-License-Identifier: Apache-2.0
"""Modules that behave like PyTorch's, CuPy's and Inductor's, as far as libbench reads them."""

import sys
import types

import numpy as np
import pytest

import libbench
import libbench.torch
from libbench import _core, _frameworks


@pytest.fixture
def torch(monkeypatch):
    """PyTorch for ROCm: its devices call themselves "cuda"."""
    module = types.ModuleType("torch")
    module.version = types.SimpleNamespace(hip="6.2")
    streams = {0: 0, 1: 0x7F00}
    module.cuda = types.SimpleNamespace(current_stream=lambda index: types.SimpleNamespace(cuda_stream=streams[index]))
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


class Tensor:
    __module__ = "torch"
    shape, dtype = (2,), "torch.float32"

    def __init__(self, device):
        self.device = device

    def __dlpack_device__(self):
        return self.device


def test_rocm_tensors_go_to_hip_whatever_they_call_themselves(torch):
    assert _frameworks.device_of(Tensor((10, 1))) == (10, 1)
    assert _frameworks.device_of(Tensor((2, 1))) == (10, 1)
    device = types.SimpleNamespace(type="cuda", index=1)
    assert _frameworks.device_name(device) == "hip:1"
    assert _frameworks.device_name("cuda:1") == "hip:1"
    torch.version.hip = None
    assert _frameworks.device_of(Tensor((2, 1))) == (2, 1)
    assert _frameworks.device_name(device) == "cuda:1"
    assert _frameworks.device_name(types.SimpleNamespace(type="cpu", index=None)) == "cpu"


def test_the_frameworks_current_stream(torch, monkeypatch):
    default, native = 1, 3
    assert _frameworks.current_stream((10, 0), [Tensor((10, 0))]) == (default, 0, 0)
    assert _frameworks.current_stream((10, 1), [Tensor((10, 1))]) == (native, 0, 0x7F00)
    assert _frameworks.current_stream((1, 0), [np.ones(1)]) is None
    mine = type("Mine", (Tensor,), {"__module__": "mine"})
    assert _frameworks.current_stream((10, 1), [mine((10, 1))]) == (native, 0, 0x7F00)
    cupy = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=2))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    array = type("ndarray", (), {"__module__": "cupy"})()
    assert _frameworks.current_stream((2, 0), [array]) == (2, 0, 0)
    assert _frameworks.stream_of(types.SimpleNamespace(cuda_stream=9)) == (native, 0, 9)
    assert _frameworks.stream_of(types.SimpleNamespace(__cuda_stream__=lambda: (0, 8))) == (native, 0, 8)


def test_names_of_dtypes(x):
    """Read once for each: torch.bfloat16 and float8 are types of their own."""
    tuned = libbench.autotune(configs=[{"way": 0}], key=["n"], device="cpu")(lambda x, n, way: n)
    for dtype in ("torch.float32", "torch.bfloat16", "torch.float8_e4m3fn", "torch.strange7"):
        tensor = Tensor((1, 0))
        tensor.dtype = dtype
        assert tuned(tensor, 3) == 3
        assert _core.device_of(tensor) == (1, 0)


@pytest.fixture
def inductor(monkeypatch):
    names = ("torch", "torch._inductor", "torch._inductor.runtime", "torch._inductor.runtime.benchmarking")
    modules = {name: types.ModuleType(name) for name in names}
    for name, module in modules.items():
        module.__path__ = []
        monkeypatch.setitem(sys.modules, name, module)
    return modules[names[-1]]


def test_inductors_registry_is_used_where_it_exists(inductor, x):
    inductor._benchmarkers = {"cpu": "theirs"}

    def register_benchmarker(device_type, fn, override=False):
        if device_type in inductor._benchmarkers and not override:
            raise ValueError("registered already")
        inductor._benchmarkers[device_type] = fn

    inductor.register_benchmarker = register_benchmarker
    undo = libbench.torch.register(["cpu", "cuda"])
    timed = inductor._benchmarkers["cpu"]
    assert 0 < timed(lambda: x.sum(), rep=20) < 1000
    assert 0 < timed(np.sum, (x,), {}, rep=20) < 1000
    assert 0 < timed(lambda: None, rep=20) < 1000
    undo()
    assert inductor._benchmarkers == {"cpu": "theirs"}


def test_without_a_registry_the_benchmarker_is_replaced(inductor, x):
    class Benchmarker:
        def benchmark_cpu(self, fn):
            raise AssertionError("theirs")

        def other(self):
            return "inherited"

    inductor.Benchmarker = Benchmarker
    inductor.benchmarker = theirs = Benchmarker()
    undo = libbench.torch.register()
    assert inductor.benchmarker.other() == "inherited"
    assert 0 < inductor.benchmarker.benchmark_cpu(lambda: x.sum(), rep=20) < 1000
    assert 0 < inductor.benchmarker.benchmark(np.sum, (x,), {}, rep=20) < 1000
    undo()
    assert inductor.benchmarker is theirs


def test_without_pytorch_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(libbench.UnsupportedError, match="PyTorch"):
        libbench.torch.register()

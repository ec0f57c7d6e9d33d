# SPDX-License-Identifier: Apache-2.0
"""How objects become arguments: what tells keys apart, and what does not."""

import ctypes

import numpy as np
import pytest

import libbench
from libbench import _core


@pytest.fixture
def tuned():
    launches = []

    @libbench.autotune(configs=[libbench.Config({"way": 0}), libbench.Config({"way": 1})], key=["x", "n"], watch=False)
    def kernel(x, n, y=None, *, way):
        launches.append(way)

    kernel.launches = launches
    return kernel


def is_known(kernel, *args, **kwargs):
    before = len(kernel.launches)
    kernel(*args, **kwargs)
    return len(kernel.launches) == before + 1


def test_a_key_is_known_by_value_shape_and_dtype(tuned):
    a = np.ones((4, 3), np.float32)
    assert not is_known(tuned, a, 1)
    assert is_known(tuned, a, 1)
    assert is_known(tuned, np.zeros((4, 3), np.float32), 1)
    assert is_known(tuned, x=a, n=1)
    assert is_known(tuned, n=1, x=a)
    assert is_known(tuned, a, n=1)
    assert not is_known(tuned, a, 2)
    assert not is_known(tuned, a, 1.0)
    assert not is_known(tuned, a, True)
    assert not is_known(tuned, a, "1")
    assert not is_known(tuned, a.astype(np.float64), 1)
    assert not is_known(tuned, np.ones((3, 4), np.float32), 1)
    assert not is_known(tuned, a, 1, np.ones(1))
    assert is_known(tuned, a, 1, np.zeros(9))


def test_numbers_of_other_types_and_hashable_values_are_keys(tuned):
    a = np.ones(4)
    assert not is_known(tuned, a, 7)
    assert is_known(tuned, a, np.int64(7))
    assert not is_known(tuned, a, (1, 2))
    assert is_known(tuned, a, (1, 2))
    assert not is_known(tuned, a, (1, 3))
    assert not is_known(tuned, a, np.dtype("f4"))
    assert is_known(tuned, a, np.dtype("f4"))
    assert not is_known(tuned, a, 2**70)
    assert is_known(tuned, a, 2**70)


def test_views_of_any_layout(tuned):
    base = np.ones((8, 7), np.float32)
    for view in (base[::2], base[::-2, ::-1][:, :5], base.T, base[3], np.ones((1,) * 10), np.ones((0, 3))):
        assert not is_known(tuned, view, 5)
        assert is_known(tuned, view, 5)


def test_elements_without_a_code_are_copied_whole():
    records = np.zeros(40, [("a", "i4"), ("b", "f8", 3)])
    records["a"] = range(40)
    before = records.copy()

    def kernel(x, way):
        assert (x == before).all()
        x["b"] += 1
        x["a"][::2] = 7

    configs = [{"way": 0}, {"way": 1}]
    libbench.autotune(configs=configs, key=["x"], restore_value=["x"])(kernel)(records)
    assert (records["b"] == 1).all() and (records["a"][1::2] == before["a"][1::2]).all()


def test_an_argument_whose_own_code_calls_a_tuned_function(tuned):
    class Nested(Declared):
        def __dlpack_device__(self):
            tuned(np.ones(3), 8)
            return (1, 0)

    tuned(np.ones(3), 8)
    assert not is_known(tuned, np.ones((2, 2)), 9)
    tuned.launches.clear()
    tuned(Nested(np.ones((2, 2))), 9)
    assert tuned.launches[-1] in (0, 1)


def test_two_producers_on_one_device_share_keys(tuned):
    jax = pytest.importorskip("jax")
    a = np.ones((4, 4), np.float32)
    assert not is_known(tuned, a, 1)
    assert is_known(tuned, jax.numpy.ones((4, 4), jax.numpy.float32), 1)
    assert not is_known(tuned, jax.numpy.ones((4, 4), jax.numpy.bfloat16), 1)
    assert is_known(tuned, jax.numpy.zeros((4, 4), jax.numpy.bfloat16), 1)


class Declared:
    """What a framework shows that has nothing but DLPack's protocol."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device
        self.shape, self.dtype = array.shape, array.dtype

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)


def test_anything_with_the_protocol_is_an_argument(tuned):
    assert not is_known(tuned, Declared(np.ones((2, 2))), 1)
    assert is_known(tuned, np.ones((2, 2)), 1)
    assert _core.device_of(Declared(np.ones(2))) == (1, 0)
    assert _core.device_of(7) is None


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("id", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


FROM_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))


class Table(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p), ("managed_from", ctypes.c_void_p), ("managed_to", ctypes.c_void_p),
        ("tensor_from", FROM_OBJECT), ("stream", ctypes.c_void_p),
    ]


def test_the_exchange_table_of_a_type_is_used(tuned):
    reads = []

    @FROM_OBJECT
    def tensor_from(value, out):
        reads.append(1)
        out[0] = Tensor(value.array.ctypes.data, 1, 0, 1, 2, 64, 1, value.extents, None, 0)
        return 0

    table = Table(1, 3, None, None, None, None, tensor_from, None)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    name = ctypes.create_string_buffer(b"dlpack_exchange_api")

    class Exchanged:
        __dlpack_c_exchange_api__ = new(ctypes.addressof(table), ctypes.addressof(name), None)

        def __init__(self, size):
            self.array = np.ones(size)
            self.extents = (ctypes.c_int64 * 1)(size)

    assert not is_known(tuned, Exchanged(5), 1)
    before = len(reads)
    assert is_known(tuned, Exchanged(5), 1)
    assert len(reads) == before + 1
    assert is_known(tuned, np.ones(5), 1)
    assert not is_known(tuned, Exchanged(6), 1)


def test_a_method_can_be_tuned():
    class Layer:
        def __init__(self):
            self.ways = []

        @libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["n"])
        def forward(self, x, n, way):
            self.ways.append(way)

    layer = Layer()
    layer.forward(np.ones(3), 1)
    count = len(layer.ways)
    layer.forward(np.ones(3), 1)
    assert len(layer.ways) == count + 1


def test_many_arguments_take_the_slow_way_and_work():
    names = [f"a{at}" for at in range(30)]
    scope = {}
    exec(f"def many({', '.join(names)}, way): return (a0, a29, way)", scope)
    kernel = libbench.autotune(configs=[{"way": 0}, {"way": 1}], key=["a0"])(scope["many"])
    values = [np.ones(2), *range(29)]
    assert kernel(*values)[1] == 28
    assert kernel(*values)[1] == 28

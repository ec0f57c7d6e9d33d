// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <cstring>
#include <unordered_map>

#include "dlpack.hpp"
#include "dtypes.hpp"

namespace libbench {

namespace {

enum class Kind : std::uint8_t { exchange, numpy, dlpack, other };

struct TypeEntry {
  Kind kind = Kind::other;
  const dlpack::ExchangeApi *api = nullptr;
};

/// The public part of NumPy's array object, which compiled users of NumPy read through macros: its
/// layout has not changed since 1.7. Checked against the array's own attributes all the same.
struct NumpyArray {
  PyObject_HEAD char *data;
  int nd;
  Py_ssize_t *dimensions;
  Py_ssize_t *strides;
  PyObject *base;
  PyObject *descr;
  int flags;
};
constexpr int numpy_writeable = 0x0400;

struct Names {
  PyObject *dlpack_device = PyUnicode_InternFromString("__dlpack_device__");
  PyObject *dtype = PyUnicode_InternFromString("dtype");
  PyObject *shape = PyUnicode_InternFromString("shape");
};
const Names &names() {
  static const Names all;
  return all;
}

/// Guarded by the GIL. Types and dtypes are kept alive: an address must not be used twice.
std::unordered_map<PyTypeObject *, TypeEntry> &types() {
  static auto &map =
      *new std::unordered_map<PyTypeObject *, TypeEntry>;  // outlives the interpreter
  return map;
}

const dlpack::ExchangeApi *exchange_api(PyTypeObject *type) {
  nb::object capsule = nb::steal(
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__"));
  if (!capsule.is_valid()) {
    PyErr_Clear();
    return nullptr;
  }
  auto *api = static_cast<const dlpack::ExchangeApi *>(
      PyCapsule_GetPointer(capsule.ptr(), dlpack::exchange_capsule));
  PyErr_Clear();
  while (api && api->header.version.major != 1)
    api = reinterpret_cast<const dlpack::ExchangeApi *>(api->header.previous);
  return api && api->tensor_from_object ? api : nullptr;
}

bool is_numpy_layout(PyObject *object) {
  if (std::strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") != 0) return false;
  const auto *array = reinterpret_cast<const NumpyArray *>(object);
  try {
    const nb::object given = nb::borrow(object);
    const nb::tuple shape = nb::cast<nb::tuple>(given.attr("shape"));
    const nb::object data = given.attr("__array_interface__")["data"][nb::int_(0)];
    bool same = nb::cast<std::uintptr_t>(data) == reinterpret_cast<std::uintptr_t>(array->data) &&
                std::size_t(array->nd) == nb::len(shape) &&
                given.attr("dtype").ptr() == array->descr;
    for (int axis = 0; same && axis < array->nd; ++axis)
      same = nb::cast<Py_ssize_t>(shape[std::size_t(axis)]) == array->dimensions[axis];
    return same;
  } catch (const std::exception &) {
    PyErr_Clear();
    return false;
  }
}

const TypeEntry &entry_of(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  const auto known = types().find(type);
  if (known != types().end()) return known->second;
  TypeEntry entry;
  if ((entry.api = exchange_api(type)))
    entry.kind = Kind::exchange;
  else if (is_numpy_layout(object))
    entry.kind = Kind::numpy;
  else if (PyObject_HasAttr(reinterpret_cast<PyObject *>(type), names().dlpack_device))
    entry.kind = Kind::dlpack;
  Py_INCREF(type);
  return types().emplace(type, entry).first->second;
}

void set_dtype(bench_argument_v1 &raw, dlpack::DataType type) {
  raw.dtype_code = type.code;
  raw.dtype_bits = type.bits;
  raw.dtype_lanes = type.lanes;
}

/// Room for a shape (and strides behind it) of any rank.
std::int64_t *room(Slot &slot, std::uint32_t rank) {
  if (rank <= kept_rank) return slot.shape;
  slot.more.resize(2 * rank);
  return slot.more.data();
}

void start_tensor(Slot &slot, std::uint32_t rank) {
  slot.raw.kind = BENCH_ARGUMENT_TENSOR;
  slot.raw.rank = rank;
  slot.raw.shape = room(slot, rank);
}

bool read_exchange(PyObject *object, const dlpack::ExchangeApi &api, Slot &slot, bool whole) {
  dlpack::Tensor tensor;
  if (api.tensor_from_object(object, &tensor) != 0) return false;
  start_tensor(slot, std::uint32_t(tensor.ndim));
  slot.raw.data = tensor.data;
  slot.raw.device = {tensor.device.type, tensor.device.id};
  slot.raw.byte_offset = tensor.byte_offset;
  set_dtype(slot.raw, tensor.dtype);
  auto *shape = const_cast<std::int64_t *>(slot.raw.shape);
  for (int axis = 0; axis < tensor.ndim; ++axis) shape[axis] = tensor.shape[axis];
  if (whole && tensor.strides) {
    auto *strides = tensor.ndim <= int(kept_rank) ? slot.strides : shape + tensor.ndim;
    for (int axis = 0; axis < tensor.ndim; ++axis) strides[axis] = tensor.strides[axis];
    slot.raw.strides = strides;
  }
  return true;
}

bool read_numpy(PyObject *object, Slot &slot, bool whole) {
  const auto *array = reinterpret_cast<const NumpyArray *>(object);
  dlpack::DataType type;
  if (!dtype_of(array->descr, type)) return false;
  start_tensor(slot, std::uint32_t(array->nd));
  slot.raw.data = array->data;
  slot.raw.device = {BENCH_DEVICE_CPU, 0};
  set_dtype(slot.raw, type);
  auto *shape = const_cast<std::int64_t *>(slot.raw.shape);
  for (int axis = 0; axis < array->nd; ++axis) shape[axis] = array->dimensions[axis];
  if (!whole) return true;
  slot.read_only = !(array->flags & numpy_writeable);
  const std::int64_t item = type.bits * type.lanes / 8;
  auto *strides = array->nd <= int(kept_rank) ? slot.strides : shape + array->nd;
  for (int axis = 0; axis < array->nd; ++axis) {
    // Fields of a struct may lie at no whole number of elements: then nobody may touch the memory.
    if (item == 0 || array->strides[axis] % item != 0)
      slot.raw.data = nullptr;
    else
      strides[axis] = array->strides[axis] / item;
  }
  slot.raw.strides = strides;
  return true;
}

/// Device, dtype and shape through attributes. False with a Python error.
bool read_attributes(PyObject *object, bool with_shape, Slot &slot) {
  PyObject *device = PyObject_CallMethodNoArgs(object, names().dlpack_device);
  if (!device) return false;
  bool good = PyTuple_Check(device) && PyTuple_GET_SIZE(device) == 2;
  slot.raw.kind = BENCH_ARGUMENT_TENSOR;
  if (good)
    slot.raw.device = {std::int32_t(PyLong_AsLong(PyTuple_GET_ITEM(device, 0))),
                       std::int32_t(PyLong_AsLong(PyTuple_GET_ITEM(device, 1)))};
  Py_DECREF(device);
  if (!good) PyErr_SetString(PyExc_TypeError, "__dlpack_device__ gave no pair of integers");
  if (PyErr_Occurred()) return false;
  PyObject *dtype = PyObject_GetAttr(object, names().dtype);
  dlpack::DataType type;
  good = dtype && dtype_of(dtype, type);
  Py_XDECREF(dtype);
  if (!good) return false;
  set_dtype(slot.raw, type);
  slot.raw.rank = 0;
  slot.raw.shape = slot.shape;
  PyObject *shape = PyObject_GetAttr(object, names().shape);
  if (!shape) return false;
  PyObject *extents = PySequence_Fast(shape, "shape is no sequence");
  Py_DECREF(shape);
  if (!extents) return false;
  // Rank matters to dispatch (a 0-d tensor does not vote), extents to the key alone.
  const auto rank = std::uint32_t(PySequence_Fast_GET_SIZE(extents));
  start_tensor(slot, rank);
  auto *to = const_cast<std::int64_t *>(slot.raw.shape);
  for (std::uint32_t axis = 0; axis < rank; ++axis)
    to[axis] = with_shape ? PyLong_AsLongLong(PySequence_Fast_GET_ITEM(extents, axis)) : 1;
  Py_DECREF(extents);
  return !PyErr_Occurred();
}

/// Numbers, texts and nothing. False where it is none of them.
bool read_plain(PyObject *object, Slot &slot) {
  bench_argument_v1 &raw = slot.raw;
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    raw.kind = BENCH_ARGUMENT_INTEGER;
    raw.integer = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0;
  }
  if (object == Py_None) {
    raw.kind = BENCH_ARGUMENT_NONE;
  } else if (PyBool_Check(object)) {
    raw.kind = BENCH_ARGUMENT_BOOLEAN;
    raw.integer = object == Py_True;
  } else if (PyFloat_Check(object)) {
    raw.kind = BENCH_ARGUMENT_REAL;
    raw.real = PyFloat_AS_DOUBLE(object);
  } else if (PyUnicode_Check(object)) {
    raw.kind = BENCH_ARGUMENT_TEXT;
    Py_ssize_t size = 0;
    raw.text = PyUnicode_AsUTF8AndSize(object, &size);  // kept in the object
    if (!raw.text) {
      PyErr_Clear();
      return false;
    }
    return std::strlen(raw.text) == std::size_t(size);
  } else {
    return false;
  }
  return true;
}

/// Values that have no form of their own: numbers of other types, else their text. False with a
/// Python error (TypeError: cannot be hashed).
bool read_other(PyObject *object, bool is_key, Slot &slot) {
  bench_argument_v1 &raw = slot.raw;
  raw.kind = BENCH_ARGUMENT_NONE;
  if (!is_key) return true;
  if (PyLong_Check(object) || PyIndex_Check(object)) {
    PyObject *index = PyNumber_Index(object);
    int overflow = 0;
    if (index) {
      raw.kind = BENCH_ARGUMENT_INTEGER;
      raw.integer = PyLong_AsLongLongAndOverflow(index, &overflow);
      Py_DECREF(index);
      if (overflow == 0) return true;
    } else {
      PyErr_Clear();
    }
  }
  if (PyObject_Hash(object) == -1) return false;
  PyObject *text = PyObject_Repr(object);
  Py_ssize_t size = 0;
  const char *bytes = text ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
  if (bytes) slot.text.assign(bytes, std::size_t(size));
  Py_XDECREF(text);
  if (!bytes) return false;
  raw.kind = BENCH_ARGUMENT_TEXT;
  raw.text = slot.text.c_str();
  return true;
}

}  // namespace

bool read_quickly(PyObject *object, bool is_key, Slot &slot) noexcept {
  slot.raw.struct_size = sizeof slot.raw;
  if (read_plain(object, slot)) return true;
  try {
    const TypeEntry &entry = entry_of(object);
    bool good = false;
    switch (entry.kind) {
      case Kind::exchange:
        good = read_exchange(object, *entry.api, slot, false);
        break;
      case Kind::numpy:
        good = read_numpy(object, slot, false);
        break;
      case Kind::dlpack:
        good = read_attributes(object, is_key, slot);
        break;
      case Kind::other:
        good = read_other(object, is_key, slot);
        break;
    }
    if (!good) PyErr_Clear();
    return good;
  } catch (...) {
    PyErr_Clear();
    return false;
  }
}

namespace {

/// What `__dlpack__` hands over, into the slot; the capsule keeps the memory.
void read_capsule(nb::handle object, Slot &slot) {
  nb::object capsule = object.attr("__dlpack__")();
  const dlpack::Tensor *tensor = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    tensor =
        &static_cast<dlpack::Managed *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"))->tensor;
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    tensor = &static_cast<dlpack::ManagedVersioned *>(
                  PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"))
                  ->tensor;
  }
  if (!tensor) return;
  const auto rank = std::uint32_t(tensor->ndim);
  slot.owner = capsule;
  slot.raw.data = tensor->data;
  slot.raw.byte_offset = tensor->byte_offset;
  start_tensor(slot, rank);
  auto *shape = const_cast<std::int64_t *>(slot.raw.shape);
  auto *strides = rank <= kept_rank ? slot.strides : shape + rank;
  for (std::uint32_t axis = 0; axis < rank; ++axis) shape[axis] = tensor->shape[axis];
  for (std::uint32_t axis = 0; tensor->strides && axis < rank; ++axis)
    strides[axis] = tensor->strides[axis];
  slot.raw.strides = tensor->strides ? strides : nullptr;
}

}  // namespace

void read_whole(nb::handle object, bool is_key, const std::string &name, Slot &slot) {
  std::memset(&slot.raw, 0, sizeof slot.raw);
  slot.raw.struct_size = sizeof slot.raw;
  PyObject *given = object.ptr();
  if (read_plain(given, slot)) return;
  const TypeEntry entry = entry_of(given);
  bool good = true;
  if (entry.kind == Kind::exchange) {
    good = read_exchange(given, *entry.api, slot, true);
  } else if (entry.kind == Kind::numpy) {
    good = read_numpy(given, slot, true);
  } else if (entry.kind == Kind::dlpack) {
    good = read_attributes(given, true, slot);
    if (good) {
      try {
        read_capsule(object, slot);
      } catch (nb::python_error &) {
        // A producer that exports no memory (read-only, say) is still an argument with a device.
        slot.raw.data = nullptr;
      }
    }
  } else {
    good = read_other(given, is_key, slot);
    if (!good && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      throw nb::type_error(("the key argument '" + name + "' is a " + Py_TYPE(given)->tp_name +
                            ", which cannot be hashed: pass a number, a text or a tuple, or leave "
                            "it out of key")
                               .c_str());
    }
  }
  if (!good) throw nb::python_error();
  slot.raw.struct_size = sizeof slot.raw;
}

nb::object device_of(nb::handle object) {
  const TypeEntry entry = entry_of(object.ptr());
  Slot slot;
  std::memset(&slot.raw, 0, sizeof slot.raw);
  bool good = false;
  if (entry.kind == Kind::exchange)
    good = read_exchange(object.ptr(), *entry.api, slot, false);
  else if (entry.kind == Kind::numpy)
    good = read_numpy(object.ptr(), slot, false);
  else if (entry.kind == Kind::dlpack)
    good = read_attributes(object.ptr(), false, slot);
  else
    return nb::none();
  if (!good) throw nb::python_error();
  return nb::make_tuple(slot.raw.device.type, slot.raw.device.id);
}

}  // namespace libbench

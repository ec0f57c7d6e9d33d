// SPDX-License-Identifier: Apache-2.0
// Python objects as the core's arguments. How an object is read depends on its type alone and is
// found out once for each type: DLPack's exchange table, NumPy's array struct, `__dlpack_device__`,
// or nothing (no tensor).
#pragma once
#include <bench/bench.h>
#include <nanobind/nanobind.h>
// Here, not where they are used: a file without them would make another caster of the same name.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace libbench {

namespace nb = nanobind;

inline constexpr std::uint32_t kept_rank = 8;

/// One argument and the memory that it points to.
struct Slot {
  bench_argument_v1 raw;
  std::int64_t shape[kept_rank];
  std::int64_t strides[kept_rank];
  std::vector<std::int64_t> more;  // shapes and strides of higher ranks
  std::string text;                // of values that have no other form
  nb::object owner;                // keeps what `raw.data` points to
  bool read_only = false;
};

/// For a lookup: device, dtype, and the shape where `is_key`. False where the slow way must look
/// again (no Python error is set then). `slot.raw` must be zero but for what was written here
/// before.
bool read_quickly(PyObject *object, bool is_key, Slot &slot) noexcept;

/// For a tune: everything, data and strides too. Throws nb::python_error or TypeError for a key
/// value that cannot be one. `name` is for messages.
void read_whole(nb::handle object, bool is_key, const std::string &name, Slot &slot);

/// {type, id} of whatever has `__dlpack_device__`, or of the exchange table; else None.
nb::object device_of(nb::handle object);

}  // namespace libbench

// SPDX-License-Identifier: Apache-2.0
// Data types by their names, which all frameworks share: "float32", "torch.bfloat16". Each dtype
// object is read once.
#pragma once
#include <nanobind/nanobind.h>

#include "dlpack.hpp"

namespace libbench {

/// False with a Python error. A type that nobody knows is opaque, with its size where it has one.
bool dtype_of(PyObject *dtype, dlpack::DataType &result);

}  // namespace libbench

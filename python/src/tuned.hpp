// SPDX-License-Identifier: Apache-2.0
// The base type of tuned functions: a call whose key is known costs a lookup and the call itself,
// no Python frame. Everything else goes to the method `_miss(args, kwargs)` of the class above it.
#pragma once
#include <nanobind/nanobind.h>

namespace libbench {

/// The type, a new reference.
nanobind::object make_tuned_type();

}  // namespace libbench

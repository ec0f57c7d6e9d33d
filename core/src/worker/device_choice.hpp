// SPDX-License-Identifier: Apache-2.0
// Which device runs a problem's kernel, and why no other does.
#pragma once
#include <optional>
#include <string>

#include "loader/registry.hpp"
#include "problem/problem.hpp"

namespace bench::worker {

struct DeviceChoice {
  loader::DeviceRecord device;
  loader::Plugin *plugin = nullptr;
};

/// The named device, else the first usable one whose plugin compiles the kernel's language.
/// Nothing, with `reason` in words, if none does; Failure if the named one is not there.
std::optional<DeviceChoice> choose_device(loader::Registry &registry,
                                          const problem::Problem &problem, const char *name,
                                          std::string &reason);

/// Name and version of the compiler. Failure that names the package that brings one.
std::string compiler_identity(const DeviceChoice &choice, const std::string &language);

}  // namespace bench::worker

// SPDX-License-Identifier: Apache-2.0
// What can be read from AMD's code objects: ELF files, or bundles of them.
#pragma once
#include <string>

namespace bench_hip {

bool is_code_object(const std::string &image);
/// Names of its kernels, some of them if there are many; empty where they cannot be read.
std::string kernel_names_text(const std::string &image);

}  // namespace bench_hip

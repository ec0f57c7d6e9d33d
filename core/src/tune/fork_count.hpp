// SPDX-License-Identifier: Apache-2.0
// How often this process image was forked. Who remembers the count at its creation knows later
// whether it lives in a child, where drivers of the parent are gone, without a system call.
#pragma once
#include <cstdint>

namespace bench::tune {

std::uint64_t fork_count() noexcept;

}  // namespace bench::tune

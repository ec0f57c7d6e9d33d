// SPDX-License-Identifier: Apache-2.0
// What a candidate that keeps asking for memory may take of the machine.
#pragma once

namespace bench::worker {

/// Of all processes the kernel ends this one first where memory runs out: not the tuner, nor what
/// the user works with.
void be_first_without_memory() noexcept;

/// This process gets what the machine has left and no more: a kernel that leaks then finds no
/// memory before the machine does. For candidates that are host code; drivers reserve far more than
/// they use.
void limit_memory() noexcept;

}  // namespace bench::worker

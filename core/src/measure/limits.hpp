// SPDX-License-Identifier: Apache-2.0
// What a window must be worth.
#pragma once
#include <cstdint>

namespace bench::measure {

/// Of one window, where nothing else limits them.
inline constexpr std::uint32_t most_launches = 1u << 20;

/// A window of so many timer steps is read to 0.1 %.
inline constexpr double steps_per_window = 1000.0;
/// A window of so many floors holds 0.5 % of what it costs to open and close it: with the timer's
/// step and a floor that varies the whole stays below the promised 1 %.
inline constexpr double floors_per_window = 200.0;

}  // namespace bench::measure

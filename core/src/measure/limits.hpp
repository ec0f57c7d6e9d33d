// SPDX-License-Identifier: Apache-2.0
// What a window must be worth.
#pragma once

namespace bench::measure {

/// A window of so many timer steps is read to 0.1 %.
inline constexpr double steps_per_window = 1000.0;
/// A window of so many floors holds less than 1 % of what it costs to open and close it.
inline constexpr double floors_per_window = 100.0;

}  // namespace bench::measure

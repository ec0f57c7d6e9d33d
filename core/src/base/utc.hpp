// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace bench {

/// The present, as stores and reports write it: "2026-01-31T23:59:59Z".
std::string now_utc();

}  // namespace bench

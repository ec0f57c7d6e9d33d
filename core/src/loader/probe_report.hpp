// SPDX-License-Identifier: Apache-2.0
// What a plugin says about itself once it is loaded: the answer of bench-probe, and of a probe in
// this process where no child can be had.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "bench/plugin_v1.h"

namespace bench::loader {

/// {"code", "reason", "hint"} for a refusal; else {"id", "version", "vendor", "score", "classes",
/// "devices"}. Opens an instance, lists its devices and closes it again.
nlohmann::json probe_report(bench_plugin_entry_v1 entry);

}  // namespace bench::loader

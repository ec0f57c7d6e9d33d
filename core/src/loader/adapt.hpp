// SPDX-License-Identifier: Apache-2.0
// A plugin's table, judged by the rules of the ABI and brought to our own size.
#pragma once
#include <optional>
#include <string>

#include "bench/plugin_v1.h"

namespace bench::loader {

struct TableFault {
  bench_status status;
  std::string what;
  std::string hint;
};

/// What breaks a rule; nothing if all is well. Reads only what the table's struct_size covers.
std::optional<TableFault> judge_table(const bench_plugin_api_v1 *table);

/// A copy of our size whose absent functions return BENCH_ERROR_UNSUPPORTED, so that callers never
/// test.
bench_plugin_api_v1 adapt_table(const bench_plugin_api_v1 &table, bool &has_t1, bool &has_do_bench);

}  // namespace bench::loader

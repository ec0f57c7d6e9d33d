// SPDX-License-Identifier: Apache-2.0
// Each command adds itself to the parser and leaves what to run in `run`.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

#include "client.hpp"

namespace cli {

using Run = std::function<int()>;

void add_devices(CLI::App &app, Common &common, Run &run);
void add_new_plugin(CLI::App &app, Common &common, Run &run);
void add_plugins(CLI::App &app, Common &common, Run &run);
void add_run(CLI::App &app, Common &common, Run &run);
#if BENCH_HAS_SIMULATE
void add_simulate(CLI::App &app, Common &common, Run &run);
#endif
void add_tune(CLI::App &app, Common &common, Run &run);

/// --json, --plugin-path, ... on a command.
void add_common(CLI::App &command, Common &common);

}  // namespace cli

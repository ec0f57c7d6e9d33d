// SPDX-License-Identifier: Apache-2.0
// `bench`: measures and tunes kernels from the command line. Data on stdout, all else on stderr.
#include <cstdio>
#include <iostream>

#include "commands.hpp"

namespace cli {

void add_common(CLI::App &command, Common &common) {
  command.add_flag("--json", common.json, "print JSON on stdout");
  command.add_option("--plugin-path", common.plugin_paths,
                     "plugin file or folder, searched first (may be repeated)");
  command.add_flag("--allow-world-writable", common.allow_world_writable,
                   "load plugins that every user may replace (some containers mount them so)");
}

}  // namespace cli

int main(int argc, char **argv) {
  CLI::App app{"Measure and tune compute kernels on any device"};
  app.set_version_flag("--version", std::string("bench ") + bench_version());
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 fine, 1 a regression or a failed check, 2 usage, 3 measurement failed or "
      "nothing valid.");
  cli::Common common;
  cli::Run run;
  cli::add_devices(app, common, run);
  cli::add_new_plugin(app, common, run);
  cli::add_plugins(app, common, run);
  cli::add_run(app, common, run);
#if BENCH_HAS_SIMULATE
  cli::add_simulate(app, common, run);
#endif
  cli::add_tune(app, common, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    const int code = app.exit(error);
    return code == 0 ? cli::exit_fine : cli::exit_usage;
  }
  try {
    const int code = run();
    // A full disk or a closed pipe must not look like success.
    std::cout.flush();
    if (!std::cout || std::fflush(stdout) != 0) {
      std::fputs(
          "bench: stdout could not be written\n  do: check the disk or the program that reads it\n",
          stderr);
      return cli::exit_measurement;
    }
    return code;
  } catch (const cli::Failed &failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return failed.exit_code();
  } catch (const std::exception &error) {
    std::fprintf(stderr, "bench: internal: %s\n  do: please report this\n", error.what());
    return cli::exit_measurement;
  }
}

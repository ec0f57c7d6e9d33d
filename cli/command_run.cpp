// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "commands.hpp"
#include "problem_options.hpp"
#include "table.hpp"
#include "tune_summary.hpp"

namespace cli {
namespace {

void print_energy(const nlohmann::json &measurement) {
  if (!measurement.contains("energy")) return;
  const auto &energy = measurement["energy"];
  if (!energy["joules_per_launch"].is_number()) {
    std::cout << "energy: none; " << printable(energy["reason"].get<std::string>()) << "\n";
    return;
  }
  std::cout << "energy: " << number(energy["joules_per_launch"]) << " J per launch, "
            << number(energy["busy_watts"]) << " W busy, " << number(energy["idle_watts"])
            << " W idle before\n";
}

int run_one(const Common &common, const ProblemArguments &arguments,
            const std::string &configuration) {
  Client client(common);
  catch_interrupts();
  Progress progress(common.quiet || common.json);
  bench_policy_v1 policy;
  const bench_problem_options_v1 options = problem_options(arguments, policy, progress);
  const std::string text = collect([&](const bench_writer_v1 *writer) {
    bench_error_v1 error = new_error();
    check(bench_problem_run(client.context(), arguments.file.c_str(), configuration.c_str(),
                            &options, writer, &error),
          error);
  });
  progress.clear();
  const auto document = nlohmann::json::parse(text);
  if (common.json) {
    std::cout << document.dump(2) << "\n";
    return exit_fine;
  }
  const auto &measurement = document["measurement"];
  std::cout << configuration_text(document["configuration"]) << "\n"
            << "on " << printable(document["device"].get<std::string>()) << ": "
            << time_text(number(measurement["median_ns"]))
            << interval_text(measurement["interval_ns"]) << ", " << measurement["samples"]
            << " windows of " << measurement["launches_per_window"]
            << (measurement["launches_per_window"] == 1 ? " launch"
                                                        : " launches (median of window averages)")
            << "\n";
  if (measurement["cycles_per_launch"].is_number()) {
    std::cout << "cycles per launch (this thread, user space): "
              << count_text(static_cast<std::uint64_t>(number(measurement["cycles_per_launch"])))
              << "\n";
  } else if (measurement.contains("cycles_reason")) {
    std::cout << "cycles: none; " << printable(measurement["cycles_reason"].get<std::string>())
              << "\n";
  }
  print_energy(measurement);
  std::cout << "outputs: " << printable(document["verified"].get<std::string>()) << "\n";
  return exit_fine;
}

}  // namespace

void add_run(CLI::App &app, Common &common, Run &run) {
  static ProblemArguments arguments;
  static std::string configuration;
  CLI::App *command =
      app.add_subcommand("run", "measure one configuration of a problem file's kernel");
  add_common(*command, common);
  add_problem_arguments(*command, common, arguments);
  command->add_option("--config", configuration,
                      "name=value,... (names left out: the default's values)");
  command->add_flag("--energy", arguments.energy,
                    "also joules per launch, from the device's counter (takes two seconds)");
  command->callback([&] { run = [&] { return run_one(common, arguments, configuration); }; });
}

}  // namespace cli

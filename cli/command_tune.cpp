// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "commands.hpp"
#include "problem_options.hpp"
#include "tune_summary.hpp"

namespace cli {
namespace {

int tune(const Common &common, const ProblemArguments &arguments, bool all) {
  Client client(common);
  catch_interrupts();
  bench_status status = BENCH_OK;
  bench_error_v1 error = new_error();
  std::string text;
  {
    Progress progress(common.quiet || common.json);
    bench_policy_v1 policy;
    const bench_problem_options_v1 options = problem_options(arguments, policy, progress);
    text = collect([&](const bench_writer_v1 *writer) {
      status =
          bench_problem_tune(client.context(), arguments.file.c_str(), &options, writer, &error);
    });
  }
  if (text.empty()) {
    check(status, error);
    throw Failed(exit_measurement,
                 "bench: the tune ended without a result\n  do: please report this");
  }
  if (common.json) {
    std::cout << text << "\n";
  } else {
    std::cout << tune_summary(nlohmann::json::parse(text), all);
  }
  // A document without a winner is written too: the reasons are in it.
  check(status, error);
  return exit_fine;
}

}  // namespace

void add_tune(CLI::App &app, Common &common, Run &run) {
  static ProblemArguments arguments;
  static bool all = false;
  static std::string objective = "time";
  CLI::App *command =
      app.add_subcommand("tune", "find the fastest configuration of a problem file's kernel");
  add_common(*command, common);
  add_problem_arguments(*command, common, arguments);
  command->add_flag("--all", all, "list every configuration");
  command->add_flag("--dry-run", arguments.dry_run,
                    "read and count only: nothing is compiled or run");
  command->add_flag("--fresh", arguments.fresh, "measure again, whatever is stored");
  command->add_option("--eps", arguments.eps, "configurations this close are ties (0.01)")
      ->check(CLI::Range(1e-6, 1.0));
  command->add_option("--delta", arguments.delta, "accepted chance of a wrong elimination (0.05)")
      ->check(CLI::Range(1e-9, 0.5));
  command
      ->add_option("--switch-margin", arguments.switch_margin,
                   "gain that is worth leaving the default (0.01)")
      ->check(CLI::Range(1e-6, 10.0));
  command
      ->add_option("--objective", objective,
                   "time, or energy: joules per launch, by the device's own counter")
      ->check(CLI::IsMember({"time", "energy"}));
  command->add_option("--max-time", arguments.max_time_s, "seconds for the whole tune (none)")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", arguments.seed, "of the race's order, and of the search (1)");
  command->add_option("--strategy", arguments.strategy,
                      "how a space of more than 4096 configurations is searched (portfolio)");
  command
      ->add_option("--evaluations", arguments.max_evaluations,
                   "configurations to try (the problem's Budget, else 4096, or 512 by search)")
      ->check(CLI::PositiveNumber);
  command->callback([&] {
    arguments.energy = objective == "energy";
    run = [&] { return tune(common, arguments, all); };
  });
}

}  // namespace cli

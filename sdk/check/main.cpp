// SPDX-License-Identifier: Apache-2.0
// bench-plugin-check PLUGIN.so: does the plugin keep the rules of plugin_v1.h?
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "outcome.hpp"

namespace check {

std::vector<Check> all_checks() {
  std::vector<Check> all;
  for (const auto *group : {&static_checks(), &load_checks(), &table_checks(), &device_checks(),
                            &measure_checks(), &stream_checks(), &lifecycle_checks()})
    all.insert(all.end(), group->begin(), group->end());
  return all;
}

}  // namespace check

namespace {

constexpr int exit_fine = 0, exit_failed = 1, exit_usage = 2;

const char *const usage =
    "bench-plugin-check PLUGIN.so [--check NAME]... [--format text|json|junit] [--seed N] "
    "[--time-limit SECONDS]\n"
    "bench-plugin-check --list\n"
    "NAME is a check or a group, such as static. Exit codes: 0 fine (warn and skip, too), 1 a "
    "check failed or\n"
    "crashed, 2 usage.\n";

int wrong(const std::string &text) {
  std::fprintf(stderr, "bench-plugin-check: %s\n%s", text.c_str(), usage);
  return exit_usage;
}

bool number(const char *text, unsigned long long least, unsigned long long most,
            unsigned long long &value) {
  char *end = nullptr;
  if (*text < '0' || *text > '9') return false;
  value = std::strtoull(text, &end, 10);
  return *end == 0 && value >= least && value <= most;
}

}  // namespace

int main(int argc, char **argv) {
  check::Options options;
  std::vector<std::string> wanted;
  std::string format = "text", plugin;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help") return std::fputs(usage, stdout), exit_fine;
    if (argument == "--list") {
      for (const check::Check &one : check::all_checks())
        std::printf("%s\t%s\n", one.name, one.sentence);
      return exit_fine;
    }
    if (argument.rfind("--", 0) != 0) {
      if (!plugin.empty()) return wrong("two plugins were given: " + plugin + " and " + argument);
      plugin = argument;
      continue;
    }
    if (i + 1 == argc) return wrong(argument + " is unknown or needs a value");
    const char *value = argv[++i];
    unsigned long long given = 0;
    if (argument == "--check")
      wanted.push_back(value);
    else if (argument == "--format")
      format = value;
    else if (argument == "--seed" && number(value, 0, ULLONG_MAX, given))
      options.seed = given;
    else if (argument == "--time-limit" && number(value, 1, 3600, given))
      options.time_limit_s = int(given);
    else
      return wrong(argument + " " + value + " is not understood");
  }
  if (plugin.empty()) return wrong("no plugin was given");
  if (format != "text" && format != "json" && format != "junit")
    return wrong("no format is called " + format);
  char path[PATH_MAX];
  if (!realpath(plugin.c_str(), path)) return wrong(plugin + ": " + std::strerror(errno));
  options.plugin = path;

  std::vector<check::Check> chosen;
  std::vector<bool> used(wanted.size());
  for (const check::Check &one : check::all_checks()) {
    const std::string name = one.name;
    bool take = wanted.empty();
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (name == wanted[i] || name.substr(0, name.find('.')) == wanted[i]) take = used[i] = true;
    if (take) chosen.push_back(one);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!used[i]) return wrong("no check or group is called " + wanted[i] + "; --list names them");

  std::vector<check::Outcome> outcomes;
  bool failed = false;
  for (const check::Check &one : chosen) {
    outcomes.push_back(check::run_alone(one, options));
    failed = failed || outcomes.back().verdict == check::Verdict::fail ||
             outcomes.back().verdict == check::Verdict::crash;
  }
  const std::string text = format == "json"    ? check::as_json(outcomes, options)
                           : format == "junit" ? check::as_junit(outcomes, options)
                                               : check::as_text(outcomes, options);
  std::fputs(text.c_str(), stdout);
  return failed ? exit_failed : exit_fine;
}

// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "base/error.hpp"
#include "worker/candidate.hpp"

namespace bench::worker {

problem::Configuration parse_configuration(const problem::Problem &problem,
                                           const std::string &text) {
  problem::Configuration configuration = problem.default_configuration;
  const auto &parameters = problem.space.parameters();
  const auto fail = [&](const std::string &what, const std::string &hint) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, what, "configuration `" + text + "`", hint);
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string pair = text.substr(at, end - at);
    at = end + 1;
    pair.erase(0, pair.find_first_not_of(' '));
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos)
      fail("'" + pair + "' is no name=value", "write e.g. block=64,vector=4");
    const std::string name = pair.substr(0, equals), wanted = pair.substr(equals + 1);
    std::size_t p = 0;
    while (p < parameters.size() && parameters[p].name != name) ++p;
    if (p == parameters.size()) {
      const auto near = problem::nearest_name(name, problem.space.names());
      fail("unknown parameter '" + name + "'",
           near ? "did you mean " + *near + "?" : "`bench tune --dry-run` shows the space");
    }
    bool found = false;
    std::string values;
    for (const problem::Value &value : parameters[p].values) {
      if (value.to_text() == wanted) configuration.values[p] = value, found = true;
      values += (values.empty() ? "" : ", ") + value.to_text();
    }
    if (!found) fail(name + " has no value '" + wanted + "'", "its values are " + values);
  }
  const auto index = problem.space.index_of(configuration.values);
  if (!index) {
    std::string violated = "a condition";
    for (const auto &condition : problem.space.conditions()) {
      if (!problem.evaluate(condition, configuration, "Conditions").truth())
        violated = "condition `" + condition.text() + "`";
    }
    fail(problem::configuration_text(problem.space, configuration) + " violates " + violated,
         "choose values that fulfil it");
  }
  configuration.index = *index;
  return configuration;
}

}  // namespace bench::worker

// SPDX-License-Identifier: Apache-2.0
#include "simulated_problem.hpp"

#include <bench/plugin.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "client.hpp"
#include "problem/problem.hpp"
#include "program.hpp"

namespace cli {
namespace {

using namespace bench;
using recording::End;

// Each has a row in memory, and the scores need all of them.
constexpr std::uint64_t max_configurations = 2'000'000;

[[noreturn]] void fail(const std::string &what, const std::string &hint) {
  throw Failed(exit_usage, "bench: " + what + "\n  do: " + hint);
}

std::string read_text(const std::string &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// As a macro has it: sim programs and recordings know no True.
std::string text_of(const problem::Value &value) {
  return value.is_boolean() ? (value.boolean() ? "1" : "0") : value.to_text();
}

problem::Problem read_problem(const std::string &file) {
  try {
    return problem::parse_problem(read_text(file), file);
  } catch (const Failure &failure) {
    throw Failed(exit_usage, "bench: " + failure.text().what + "\n  where: " +
                                 failure.text().where + "\n  do: " + failure.text().hint);
  }
}

/// What the program says of one configuration.
class ProgramTimes {
 public:
  explicit ProgramTimes(const problem::Problem &problem) : problem_(problem) {
    if (problem.kernel.language != "sim") {
      fail("a problem in " + problem.kernel.language + " has no times of its own",
           "name a recording of it with --times FILE, or let its Language be sim");
    }
    try {
      problem::kernel_source(problem);
    } catch (const Failure &failure) {
      fail(failure.text().what, failure.text().hint);
    }
  }

  void tell(const problem::Configuration &configuration, recording::Row &row) const {
    std::vector<std::string> values;
    std::vector<const char *> names, pointers;
    for (const problem::Value &value : configuration.values) values.push_back(text_of(value));
    for (std::size_t i = 0; i < values.size(); ++i) {
      names.push_back(problem_.space.parameters()[i].name.c_str());
      pointers.push_back(values[i].c_str());
    }
    const std::string path = problem_.kernel.file.string();
    const problem::Geometry geometry = problem_.geometry(configuration);
    bench_kernel_source_v1 source{};
    source.struct_size = sizeof source;
    source.path = path.c_str();
    source.text = problem_.kernel.source->c_str();
    source.text_size = problem_.kernel.source->size();
    source.definition_names = names.data();
    source.definition_values = pointers.data();
    source.definition_count = static_cast<std::uint32_t>(names.size());
    std::copy(geometry.grid.begin(), geometry.grid.end(), source.grid);
    std::copy(geometry.block.begin(), geometry.block.end(), source.block);
    try {
      const bench_sim::Program program = bench_sim::compile_program(source);
      row.compile_ns = program.compile_ns;
      row.samples_ns = program.samples_ns;
      if (row.samples_ns.empty()) row.samples_ns = {program.time_ns};
      row.end = end_of(program);
      if (row.end != End::measured) row.samples_ns.clear();
    } catch (const plugin::Error &error) {
      // A mistake in the program itself is nobody's failed configuration.
      const std::string what = error.what();
      if (what.rfind("line ", 0) == 0) fail(path + ": " + what, "mend the program");
      row.end = error.status == BENCH_ERROR_CONFIG_REJECTED ? End::rejected : End::compile_failed;
      row.reason = what;
    }
  }

 private:
  static End end_of(const bench_sim::Program &program) {
    using namespace bench_sim;
    if (program.has(hang) || program.has(hang_host)) return End::timeout;
    for (const Fault fault :
         {wrong, bench_sim::nan, partial, off_by_one, overflow, accumulate, stale, race}) {
      if (program.has(fault)) return End::wrong_output;
    }
    return program.faults || !program.launch_error.empty() ? End::failed : End::measured;
  }

  const problem::Problem &problem_;
};

/// Rows of the recording, found by the names that the problem has.
class RecordedTimes {
 public:
  RecordedTimes(const problem::Problem &problem, const std::string &file)
      : recording_(recording::read_recording(file)) {
    const std::vector<std::string> names = problem.space.names();
    for (const std::string &name : recording_.names) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) {
        fail("the recording has a parameter " + name + ", which the problem has not",
             "name a recording of this problem's kernel");
      }
      places_.push_back(static_cast<std::size_t>(found - names.begin()));
    }
  }

  void tell(const problem::Configuration &configuration, recording::Row &row) {
    std::vector<std::string> texts;
    for (const std::size_t place : places_) texts.push_back(text_of(configuration.values[place]));
    const recording::Row *recorded = recording_.find(texts);
    if (!recorded) {
      row.end = End::rejected;
      row.reason = "not in the recording";
      ++missing_;
      return;
    }
    const auto positions = std::move(row.values);
    row = *recorded;
    row.values = positions;
  }
  const recording::Recording &recording() const { return recording_; }
  std::uint64_t missing() const { return missing_; }

 private:
  const recording::Recording recording_;
  std::vector<std::size_t> places_;  // of its parameters, in the problem's configurations
  std::uint64_t missing_ = 0;
};

template <typename Times>
void fill(recording::Recording &space, const problem::Problem &problem, Times &&times) {
  std::vector<std::uint32_t> positions(problem.space.parameters().size());
  for (std::uint64_t index = 0; index < problem.space.size(); ++index) {
    problem.space.indices_at(index, positions);
    recording::Row row;
    row.values.assign(positions.begin(), positions.end());
    times.tell(problem.space.at(index), row);
    space.index.emplace(recording::Recording::key(row.values), static_cast<std::uint32_t>(index));
    space.rows.push_back(std::move(row));
  }
}

}  // namespace

bool is_problem(const std::string &file) {
  const auto document = nlohmann::json::parse(read_text(file), nullptr, false);
  return document.is_object() && document.contains("ConfigurationSpace");
}

recording::Recording recording_of_problem(const std::string &file, const std::string &times) {
  const problem::Problem problem = read_problem(file);
  if (problem.space.size() > max_configurations) {
    fail("the problem has " + std::to_string(problem.space.size()) + " configurations",
         "narrow it to " + std::to_string(max_configurations) + ": all of them are evaluated");
  }
  recording::Recording space;
  space.format = "problem";
  space.kernel = problem.name;
  space.names = problem.space.names();
  for (const problem::Parameter &parameter : problem.space.parameters()) {
    auto &values = space.values.emplace_back();
    for (const problem::Value &value : parameter.values)
      values.push_back(recording::canonical_text(text_of(value)));
  }
  if (times.empty()) {
    fill(space, problem, ProgramTimes(problem));
    return space;
  }
  try {
    RecordedTimes recorded(problem, times);
    space.device = recorded.recording().device;
    space.truncated = recorded.recording().truncated;
    space.notes = recorded.recording().notes;
    fill(space, problem, recorded);
    if (recorded.missing()) {
      space.notes.push_back(std::to_string(recorded.missing()) +
                            " configurations are not in the recording and count as failed");
    }
  } catch (const recording::Unreadable &cause) {
    fail(cause.what(), "name a Kernel Tuner cache, T4 results or KTT output");
  }
  return space;
}

}  // namespace cli

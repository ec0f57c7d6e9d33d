// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <bench/plugin.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "expression.hpp"
#include "recording.hpp"

namespace bench_sim {
namespace {

using bench::plugin::Error;
using nlohmann::json;

std::string trimmed(const std::string &text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

[[noreturn]] void fail(int line, const std::string &what) {
  throw Error(BENCH_ERROR_COMPILE_FAILED, "line " + std::to_string(line) + ": " + what,
              "a line is 'name = expression' or 'fault when expression'");
}

/// A recording is read once a process: a compile worker asks for thousands of its rows.
std::shared_ptr<const bench::recording::Recording> recorded(const std::filesystem::path &file) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const bench::recording::Recording>> known;
  const std::lock_guard lock(mutex);
  auto &entry = known[file.string()];
  if (entry) return entry;
  try {
    entry =
        std::make_shared<const bench::recording::Recording>(bench::recording::read_recording(file));
  } catch (const bench::recording::Unreadable &cause) {
    throw Error(BENCH_ERROR_COMPILE_FAILED, cause.what(),
                "name a Kernel Tuner cache, T4 results or KTT output, relative to the program");
  }
  return entry;
}

void replay(Program &program, const std::string &path, const bench_kernel_source_v1 &source) {
  std::filesystem::path file = path;
  if (file.is_relative() && source.path)
    file = std::filesystem::path(source.path).parent_path() / file;
  const auto recording = recorded(file);
  std::vector<std::string> texts;
  for (const std::string &name : recording->names) {
    for (std::uint32_t i = 0; i < source.definition_count; ++i) {
      if (name == source.definition_names[i]) texts.emplace_back(source.definition_values[i]);
    }
  }
  if (texts.size() != recording->names.size())
    throw Error(BENCH_ERROR_COMPILE_FAILED, "the configuration lacks a parameter of the recording",
                "declare the parameters that the recording has");
  const bench::recording::Row *row = recording->find(texts);
  if (!row)
    throw Error(BENCH_ERROR_CONFIG_REJECTED, "this configuration was not recorded",
                "its constraints may have left it out");
  program.compile_ns = row->compile_ns;
  using bench::recording::End;
  const std::string reason = "recorded as failed: " + row->reason;
  switch (row->end) {
    case End::measured:
      program.samples_ns = row->samples_ns;
      break;
    case End::compile_failed:
      throw Error(BENCH_ERROR_COMPILE_FAILED, reason, "nothing: it failed then, too");
    case End::rejected:
      throw Error(BENCH_ERROR_CONFIG_REJECTED, reason, "nothing: it failed then, too");
    case End::wrong_output:
      program.faults |= 1u << wrong;
      program.time_ns = 1.0;
      break;
    case End::failed:
    case End::timeout:
      program.launch_error = reason;
      program.time_ns = 1.0;
      break;
  }
}

Names names_of(const bench_kernel_source_v1 &source) {
  Names names;
  for (int axis = 0; axis < 3; ++axis) {
    const char letter = static_cast<char>('x' + axis);
    names[std::string("grid_") + letter] = {static_cast<double>(source.grid[axis]), "", false};
    names[std::string("block_") + letter] = {static_cast<double>(source.block[axis]), "", false};
  }
  for (std::uint32_t i = 0; i < source.definition_count; ++i)
    names[source.definition_names[i]] = value_of(source.definition_values[i]);
  return names;
}

/// "fault when expression". False if it is no such line.
bool take_fault(Program &program, const std::string &text, const Names &names, int line) {
  const auto when = text.find(" when ");
  if (when == std::string::npos) return false;
  const std::string name = trimmed(text.substr(0, when));
  for (std::uint32_t fault = 0; fault < fault_count; ++fault) {
    if (name != fault_names[fault]) continue;
    if (evaluate(trimmed(text.substr(when + 6)), names, line) != 0.0) program.faults |= 1u << fault;
    return true;
  }
  fail(line, "the fault '" + name + "' is not known");
}

}  // namespace

const char *const fault_names[fault_count] = {
    "reject",  "compile_fails", "out_of_memory", "hang",       "hang_host", "lost",
    "crash",   "abort",         "exit",          "leak",       "wrong",     "nan",
    "partial", "off_by_one",    "overflow",      "accumulate", "stale",     "race"};

Program compile_program(const bench_kernel_source_v1 &source) {
  Program program;
  const Names names = names_of(source);
  std::istringstream lines(std::string(source.text, source.text_size));
  std::string raw;
  for (int line = 1; std::getline(lines, raw); ++line) {
    const std::string text = trimmed(raw.substr(0, raw.find('#')));
    if (text.empty() || take_fault(program, text, names, line)) continue;
    const auto equals = text.find('=');
    if (equals == std::string::npos) fail(line, "'" + text + "' is no statement");
    const std::string name = trimmed(text.substr(0, equals));
    const std::string rest = trimmed(text.substr(equals + 1));
    if (name == "replay") {
      replay(program, rest, source);
      continue;
    }
    const double value = evaluate(rest, names, line);
    if (!std::isfinite(value) || value < 0.0) fail(line, name + " is negative or no number");
    if (name == "time")
      program.time_ns = value;
    else if (name == "cold")
      program.cold_ns = value;
    else if (name == "compile")
      program.compile_ns = value;
    else if (name == "elements")
      program.elements = static_cast<std::uint64_t>(value);
    else
      fail(line, "'" + name + "' is not time, cold, compile, elements or replay");
  }
  if (program.has(rejected))
    throw Error(BENCH_ERROR_CONFIG_REJECTED, "rejected, as the program says", "change the program");
  if (program.has(compile_fails))
    throw Error(BENCH_ERROR_COMPILE_FAILED, "does not compile, as the program says",
                "change the program");
  if (program.time_ns <= 0.0 && program.samples_ns.empty())
    throw Error(BENCH_ERROR_COMPILE_FAILED, "the program gives no time",
                "add a line 'time = <ns of one launch>' or 'replay = <recorded space>'");
  return program;
}

std::string to_bytes(const Program &program, const std::string &name) {
  return json{{"sim", 1},
              {"name", name},
              {"time_ns", program.time_ns},
              {"cold_ns", program.cold_ns},
              {"compile_ns", program.compile_ns},
              {"elements", program.elements},
              {"faults", program.faults},
              {"samples_ns", program.samples_ns},
              {"launch_error", program.launch_error}}
      .dump();
}

Program from_bytes(const std::string &bytes, const std::string &name) {
  const json from = json::parse(bytes, nullptr, false);
  if (!from.is_object() || from.value("sim", 0) != 1)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT, "these bytes are no sim program",
                "compile it with this plugin's bench.kernel/1");
  if (from.value("name", "") != name)
    throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                "no kernel '" + name + "' in these bytes, which hold: " + from.value("name", ""),
                "name the kernel that was compiled");
  Program program;
  program.time_ns = from.at("time_ns");
  program.cold_ns = from.at("cold_ns");
  program.compile_ns = from.at("compile_ns");
  program.elements = from.at("elements");
  program.faults = from.at("faults");
  program.samples_ns = from.at("samples_ns").get<std::vector<double>>();
  program.launch_error = from.at("launch_error");
  return program;
}

}  // namespace bench_sim

// SPDX-License-Identifier: Apache-2.0
#include "tune_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "client.hpp"
#include "table.hpp"

namespace cli {
namespace {

using nlohmann::json;

// What fits a screen; --all shows the rest.
constexpr std::size_t shown_rows = 12;

std::string value_text(const json &value) {
  return value.is_string() ? printable(value.get<std::string>()) : value.dump();
}

std::string percent(double ratio) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.setf(std::ios::fixed);
  text.precision(std::fabs(ratio) < 0.1 ? 2 : 1);
  text << ratio * 100.0 << " %";
  return text.str();
}

std::string field(const json &object, const char *name) {
  return object.contains(name) && object[name].is_string()
             ? printable(object[name].get<std::string>())
             : "";
}

/// The member that was sought to be small.
const char *objective_of(const json &extras) {
  return field(extras, "objective") == "energy" ? "joules_per_launch" : "median_ns";
}

double member(const json &row, const char *name) {
  return row.contains(name) ? number(row[name]) : std::numeric_limits<double>::quiet_NaN();
}

std::string energy_text(double joules) {
  constexpr struct {
    double least;
    const char *unit;
  } units[] = {{1.0, " J"}, {1e-3, " mJ"}, {1e-6, " uJ"}, {0.0, " nJ"}};
  if (!(joules >= 0.0)) return "";
  for (const auto &unit : units) {
    if (joules < unit.least) continue;
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(4);
    text << joules / (unit.least > 0.0 ? unit.least : 1e-9) << unit.unit;
    return text.str();
  }
  return "";
}

/// Best first, then those that were not measured in the order of the space.
std::vector<json> ordered(const json &candidates, const char *objective) {
  std::vector<json> rows(candidates.begin(), candidates.end());
  std::stable_sort(rows.begin(), rows.end(), [objective](const json &a, const json &b) {
    const double x = member(a, objective), y = member(b, objective);
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return x < y;
  });
  return rows;
}

void candidates_table(const json &extras, bool all, std::string &out) {
  const char *objective = objective_of(extras);
  const bool energy = objective != std::string("median_ns");
  const std::vector<json> rows = ordered(extras["candidates"], objective);
  Table table;
  table.column("configuration");
  if (energy) table.column("energy", Align::right);
  table.column("median", Align::right);
  table.column("interval");
  table.column("samples", Align::right);
  table.column("state");
  std::size_t shown = 0;
  for (const auto &row : rows) {
    if (!all && shown == shown_rows) break;
    ++shown;
    std::string state = field(row, "state");
    if (row.value("winner", false))
      state += ", winner";
    else if (row.value("tie", false))
      state += ", tie";
    if (row.value("default", false)) state += ", default";
    const std::string interval = interval_text(row["interval_ns"]);
    std::vector<std::string> cells{configuration_text(row["configuration"])};
    if (energy) cells.push_back(energy_text(member(row, objective)));
    cells.insert(cells.end(),
                 {time_text(number(row["median_ns"])), interval.empty() ? "" : interval.substr(1),
                  std::to_string(row.value("samples", 0)), state});
    table.row(cells);
  }
  out += table.text();
  if (shown < rows.size()) out += "... and " + count_text(rows.size() - shown) + " more (--all)\n";
}

void winner_lines(const json &extras, std::string &out) {
  const json &winner = extras["winner"];
  if (winner.is_null()) {
    out += "no valid configuration\n";
    for (const auto &reason : extras.value("reasons", json::array()))
      out += "  " + value_text(reason) + "\n";
    return;
  }
  out += "winner: " + configuration_text(winner["configuration"]) + "\n  " +
         time_text(number(winner["median_ns"])) + interval_text(winner["interval_ns"]) + "\n";
  for (const auto &row : extras["candidates"]) {
    if (row.value("winner", false) && !field(row, "interval_reason").empty()) {
      out += "  no interval: " + field(row, "interval_reason") + "\n";
    }
  }
  const json &standard = extras["default"];
  const char *objective = objective_of(extras);
  const bool energy = objective != std::string("median_ns");
  double of_default = std::numeric_limits<double>::quiet_NaN(), of_winner = of_default;
  for (const auto &row : extras["candidates"]) {
    if (row.value("default", false)) of_default = member(row, objective);
    if (row.value("winner", false)) of_winner = member(row, objective);
  }
  if (energy) out += "  " + energy_text(of_winner) + " per launch\n";
  if (!std::isnan(of_default / of_winner)) {
    const double gain = of_default / of_winner;
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text.precision(3);
    text << gain;
    out += standard["configuration"] == winner["configuration"]
               ? "gain over the default: none, the default is the winner\n"
               : "gain over the default: " + text.str() + "x (default " +
                     (energy ? energy_text(of_default) : time_text(of_default)) + ")\n";
  }
  const json &ties = extras["tie_set"];
  out += "tie set: " + std::to_string(ties.size()) +
         (ties.size() == 1 ? " configuration" : " configurations");
  if (extras.contains("eps_reached") && extras["eps_reached"].is_number()) {
    out +=
        ", not shown worse than the winner by more than " + percent(number(extras["eps_reached"]));
  }
  out += "\n";
  for (const auto &tie : ties) {
    if (tie != winner["configuration"]) out += "  " + configuration_text(tie) + "\n";
  }
}

}  // namespace

double number(const json &value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::string configuration_text(const json &configuration) {
  std::string text;
  for (const auto &[name, value] : configuration.items()) {
    text += (text.empty() ? "" : ", ") + printable(name) + "=" + value_text(value);
  }
  return text;
}

std::string interval_text(const json &interval) {
  if (!interval.is_array() || interval.size() != 2) return "";
  return " [" + time_text(number(interval[0])) + ", " + time_text(number(interval[1])) + "]";
}

std::string tune_summary(const json &document, bool all) {
  const json &extras = document["x-bench"];
  std::string out = field(extras, "problem") + ": " + value_text(extras["space"]["raw"]) +
                    " raw, " + value_text(extras["space"]["valid"]) + " valid configurations\n";
  if (extras.contains("device") && extras["device"].is_string()) {
    out += "device: " + field(extras, "device") + ", " + field(extras, "device_name") + "\n";
  } else if (extras.contains("device_reason")) {
    out += "device: none. " + field(extras, "device_reason") + "\n";
  }
  for (const auto &note : extras.value("notes", json::array()))
    out += "note: " + value_text(note) + "\n";
  if (extras.value("dry_run", false)) return out + "dry run: nothing was compiled or measured\n";
  out += "\n";
  candidates_table(extras, all, out);
  out += "\n";
  winner_lines(extras, out);
  std::string states;
  for (const auto &[name, count] : extras["states"].items()) {
    if (count.get<std::uint64_t>() > 0)
      states += (states.empty() ? "" : ", ") + value_text(count) + " " + name;
  }
  out += "states: " + states + "\nstopped: " + field(extras, "stop_reason") + "\n";
  const json &cost = extras["cost_s"];
  if (extras["measured"].get<std::uint64_t>() == 0 && extras.value("from_store", false)) {
    out += "measured nothing: the result of " + field(extras, "stored_at") + " is in the store\n";
  } else if (cost["total"].is_number()) {
    out += "took " + time_text(number(cost["total"]) * 1e9) + ": compile " +
           time_text(number(cost["compile"]) * 1e9) + ", warm-up " +
           time_text(number(cost["warmup"]) * 1e9) + ", timed " +
           time_text(number(cost["timed"]) * 1e9) + "\n";
  }
  if (!field(extras, "store").empty()) out += "kept in: " + field(extras, "store") + "\n";
  return out;
}

}  // namespace cli

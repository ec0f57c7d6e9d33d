// SPDX-License-Identifier: Apache-2.0
#include "store/codec.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace bench::store {
namespace {

using nlohmann::json;

// Texts from drivers and compilers need not be UTF-8: a replaced byte is better than a lost result.
std::string dump(const json &document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

json optional_number(const std::optional<double> &value) {
  return value ? number(*value) : json(nullptr);
}

std::optional<double> number_of(const json &value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

json to_json(const Entry &entry) {
  json interval = nullptr;
  if (entry.interval_ns && std::isfinite(entry.interval_ns->lo) &&
      std::isfinite(entry.interval_ns->hi)) {
    interval = {entry.interval_ns->lo, entry.interval_ns->hi};
  }
  return {{"index", entry.index},    {"configuration", entry.configuration},
          {"state", entry.state},    {"median_ns", optional_number(entry.median_ns)},
          {"interval_ns", interval}, {"samples", entry.samples},
          {"error", entry.error},    {"verified", entry.verified}};
}

Entry entry_of(const json &from) {
  Entry entry;
  from.at("index").get_to(entry.index);
  from.at("configuration").get_to(entry.configuration);
  from.at("state").get_to(entry.state);
  entry.median_ns = number_of(from.at("median_ns"));
  if (const json &interval = from.at("interval_ns"); !interval.is_null()) {
    entry.interval_ns = Interval{interval.at(0).get<double>(), interval.at(1).get<double>()};
  }
  from.at("samples").get_to(entry.samples);
  from.at("error").get_to(entry.error);
  from.at("verified").get_to(entry.verified);
  return entry;
}

json to_json(const Identity &identity) {
  return {{"problem", identity.problem}, {"space", identity.space},   {"dtypes", identity.dtypes},
          {"device", identity.device},   {"plugin", identity.plugin}, {"policy", identity.policy}};
}

json to_json(const Environment &environment) {
  return {{"driver", environment.driver},
          {"compiler", environment.compiler},
          {"toolkit", environment.toolkit},
          {"host", environment.host}};
}

Environment environment_of(const json &from) {
  return {from.at("driver").get<std::string>(), from.at("compiler").get<std::string>(),
          from.at("toolkit").get<std::string>(), from.at("host").get<std::string>()};
}

template <typename Read>
auto decoded(const std::string &text, Read read) {
  try {
    return read(json::parse(text));
  } catch (const json::exception &error) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  std::string("a stored record cannot be read: ") + error.what(), "store",
                  "tune again to replace it");
  }
}

}  // namespace

std::string encode(const Identity &identity) {
  return dump(to_json(identity));
}

std::string encode(const Environment &environment) {
  return dump(to_json(environment));
}

std::string encode(const Entry &entry) {
  return dump(to_json(entry));
}

std::string encode(const Tuned &tuned) {
  json entries = json::array();
  for (const Entry &entry : tuned.entries) entries.push_back(to_json(entry));
  return dump({{"identity", to_json(tuned.identity)},
               {"environment", to_json(tuned.environment)},
               {"key", tuned.key},
               {"entries", std::move(entries)},
               {"winner", tuned.winner},
               {"default", tuned.default_configuration},
               {"tie_set", json(tuned.tie_set)},
               {"stop_reason", tuned.stop_reason},
               {"eps_reached", optional_number(tuned.eps_reached)},
               {"delta", number(tuned.delta)},
               {"created_utc", tuned.created_utc},
               {"raw_json", tuned.raw_json}});
}

Environment decode_environment(const std::string &text) {
  return decoded(text, environment_of);
}

Entry decode_entry(const std::string &text) {
  return decoded(text, entry_of);
}

Tuned decode_tuned(const std::string &text) {
  return decoded(text, [](const json &from) {
    Tuned tuned;
    const json &identity = from.at("identity");
    tuned.identity = {
        identity.at("problem").get<std::string>(), identity.at("space").get<std::string>(),
        identity.at("dtypes").get<std::string>(),  identity.at("device").get<std::string>(),
        identity.at("plugin").get<std::string>(),  identity.at("policy").get<std::string>()};
    tuned.environment = environment_of(from.at("environment"));
    from.at("key").get_to(tuned.key);
    for (const json &entry : from.at("entries")) tuned.entries.push_back(entry_of(entry));
    from.at("winner").get_to(tuned.winner);
    from.at("default").get_to(tuned.default_configuration);
    from.at("tie_set").get_to(tuned.tie_set);
    from.at("stop_reason").get_to(tuned.stop_reason);
    tuned.eps_reached = number_of(from.at("eps_reached"));
    tuned.delta = number_of(from.at("delta")).value_or(0);
    from.at("created_utc").get_to(tuned.created_utc);
    from.at("raw_json").get_to(tuned.raw_json);
    return tuned;
  });
}

std::vector<std::string> differences(const Environment &stored, const Environment &now) {
  std::vector<std::string> list;
  const auto compare = [&](const char *name, const std::string &before, const std::string &after) {
    if (before != after) list.push_back(std::string(name) + ": " + before + " -> " + after);
  };
  compare("driver", stored.driver, now.driver);
  compare("compiler", stored.compiler, now.compiler);
  compare("toolkit", stored.toolkit, now.toolkit);
  compare("host", stored.host, now.host);
  return list;
}

std::int64_t checksum(std::initializer_list<std::string_view> texts) {
  // FNV-1a, 64 bits: catches damage, not forgery.
  constexpr std::uint64_t basis = 14695981039346656037U;
  constexpr std::uint64_t prime = 1099511628211U;
  std::uint64_t hash = basis;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * prime; };
  for (const std::string_view text : texts) {
    for (const char byte : text) add(static_cast<unsigned char>(byte));
    add(0xff);  // in no UTF-8 text: keeps ("ab","c") apart from ("a","bc")
  }
  return static_cast<std::int64_t>(hash);
}

}  // namespace bench::store

// SPDX-License-Identifier: Apache-2.0
// Where results live between runs: one SQLite file, opened for each access under a file lock.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bench {
class Log;
}

namespace bench::store {

/// What must match for a stored result to mean anything here.
struct Identity {
  std::string problem, space, dtypes;
  std::string device;  ///< silicon: class, architecture, unit count, memory, partition
  std::string plugin;  ///< id, ABI and API
  std::string policy;  ///< measurement policy
};

/// What may differ: a difference makes a result stale, to be validated again, not thrown away.
struct Environment {
  std::string driver, compiler, toolkit;
  std::string host;  ///< processor model and such
};

struct Interval {
  double lo = 0, hi = 0;
};

/// One finished configuration.
struct Entry {
  std::uint64_t index = 0;
  std::string configuration;  ///< canonical JSON text, names to values
  std::string state;          ///< name of the end state
  std::optional<double> median_ns;
  std::optional<Interval> interval_ns;
  std::uint64_t samples = 0;
  std::string error;
  bool verified = false;
};

/// One finished tuning run.
struct Tuned {
  Identity identity;
  Environment environment;
  std::string key;  ///< argument key of an embedded tuner, may be empty
  std::vector<Entry> entries;
  std::string winner, default_configuration;  ///< configuration texts
  std::vector<std::string> tie_set;
  std::string stop_reason;
  std::optional<double> eps_reached;
  double delta = 0;
  std::string created_utc;
  std::string raw_json;  ///< further results, opaque here
};

enum class Match { miss, fresh, stale };

struct Found {
  Match match = Match::miss;
  std::optional<Tuned> tuned;
  std::vector<std::string> differences;  ///< "driver: 550 -> 580"
};

/// Reading never throws: a store that cannot be read is a warning and a miss. Writing throws
/// Failure when the result could not be kept; the caller still has it. Any thread, any process.
class Store {
 public:
  explicit Store(std::filesystem::path file, Log *log = nullptr);

  /// The result of the same environment, else the newest of another one, as stale.
  Found find(const Identity &identity, const Environment &environment, const std::string &key);
  /// Replaces the result of this identity, environment and key, and ends its journal.
  void put(const Tuned &tuned);

  /// The journal: finished configurations as they come, so that a killed run resumes. On disk when
  /// this returns, all or none.
  void put_entries(const Identity &identity, const Environment &environment, const std::string &key,
                   std::span<const Entry> entries);
  void put_entry(const Identity &identity, const Environment &environment, const std::string &key,
                 const Entry &entry) {
    put_entries(identity, environment, key, {&entry, 1});
  }
  std::vector<Entry> entries(const Identity &identity, const Environment &environment,
                             const std::string &key);

  /// Forgets results and journal of this identity and key in every environment; counts results.
  std::uint64_t remove(const Identity &identity, const std::string &key);
  /// Every readable result, newest first.
  std::vector<Tuned> list();

  const std::filesystem::path &path() const { return file_; }

 private:
  void warn(const std::string &message);

  std::filesystem::path file_;
  Log *log_;
};

/// BENCH_STORE, else bench/store.db under XDG_CACHE_HOME or HOME's .cache. A process with raised
/// rights ignores the environment, which another user controls: the user database's home it is.
std::filesystem::path default_path();

}  // namespace bench::store

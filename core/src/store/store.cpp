// SPDX-License-Identifier: Apache-2.0
#include "store/store.hpp"

#include "base/log.hpp"
#include "store/codec.hpp"
#include "store/database.hpp"
#include "store/path.hpp"

namespace bench::store {
namespace {

namespace fs = std::filesystem;

/// FILE.damaged-1, -2, ...: the first free name.
fs::path move_aside(const fs::path &file) {
  fs::path target;
  std::error_code error;
  for (int n = 1; target.empty() || fs::exists(target); ++n) {
    target = file.string() + ".damaged-" + std::to_string(n);
  }
  fs::rename(file, target, error);
  if (error) {
    throw Failure(BENCH_ERROR_NO_PERMISSION,
                  "cannot move the damaged '" + file.string() + "' aside: " + error.message(),
                  "store", "move it away by hand");
  }
  // A journal left beside the new file would be played back into it.
  const fs::path journal = file.string() + "-journal";
  if (fs::exists(journal, error)) fs::rename(journal, target.string() + "-journal", error);
  return target;
}

/// Runs `body` on the open store in one transaction. Returns a warning if a damaged file was put
/// aside for it, else nothing: the log is the embedder's, not to be called under the lock.
template <typename Body>
std::string write(const fs::path &file, Body body) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  if (error) {
    throw Failure(
        BENCH_ERROR_NO_PERMISSION,
        "cannot make the folder '" + file.parent_path().string() + "': " + error.message(), "store",
        "name a writable file with BENCH_STORE");
  }
  const FileLock lock(file, FileLock::Use::write);
  const auto attempt = [&] {
    Database database(file, Database::Mode::write);
    body(database);
    database.commit();
  };
  try {
    attempt();
    return {};
  } catch (const Damaged &damage) {
    const fs::path aside = move_aside(file);
    try {
      attempt();
    } catch (const Failure &again) {
      ErrorText text = again.text();
      text.what += "; the damaged file before it was moved to '" + aside.string() + "'";
      throw Failure(std::move(text));
    }
    return std::string(damage.what()) + "; it was moved to '" + aside.string() + "'";
  }
}

/// Runs `body` on the open store; nothing to do where there is no file.
template <typename Body>
void read(const fs::path &file, Body body) {
  std::error_code error;
  if (!fs::exists(file, error)) return;
  const FileLock lock(file, FileLock::Use::read);
  Database database(file, Database::Mode::read);
  if (!database.empty()) body(database);
}

}  // namespace

Store::Store(fs::path file, Log *log) : file_(local_file(file)), log_(log) {}

void Store::warn(const std::string &message) {
  if (log_ != nullptr && !message.empty()) log_->warning(message);
}

Found Store::find(const Identity &identity, const Environment &environment,
                  const std::string &key) {
  Found found;
  std::string damaged;
  try {
    read(file_, [&](Database &database) {
      const std::string who = encode(identity), here = encode(environment);
      Statement rows(database,
                     "SELECT environment, document, checksum FROM result"
                     " WHERE identity=?1 AND key=?2 ORDER BY (environment=?3) DESC, sequence DESC");
      rows.bind(who).bind(key).bind(here);
      while (rows.step()) {
        const std::string where = rows.text(0), document = rows.text(1);
        if (rows.number(2) != checksum({who, where, key, document})) {
          damaged = "a damaged result in '" + file_.string() + "' is ignored";
          continue;
        }
        found.tuned = decode_tuned(document);
        found.differences = differences(found.tuned->environment, environment);
        // By the encoded texts: bytes that are no UTF-8 are replaced in what was stored.
        found.match = where == here ? Match::fresh : Match::stale;
        if (found.match == Match::fresh) found.differences.clear();
        return;
      }
    });
  } catch (const Failure &failure) {
    warn(failure.what());
    return {};
  }
  warn(damaged);
  return found;
}

void Store::put(const Tuned &tuned) {
  const std::string who = encode(tuned.identity), where = encode(tuned.environment);
  const std::string document = encode(tuned);
  warn(write(file_, [&](Database &database) {
    Statement(database, "DELETE FROM result WHERE identity=? AND environment=? AND key=?")
        .bind(who)
        .bind(where)
        .bind(tuned.key)
        .step();
    Statement(database,
              "INSERT INTO result(identity,environment,key,document,checksum)"
              " VALUES(?,?,?,?,?)")
        .bind(who)
        .bind(where)
        .bind(tuned.key)
        .bind(document)
        .bind(checksum({who, where, tuned.key, document}))
        .step();
    // Finished: a later run must not resume into times of this run.
    Statement(database, "DELETE FROM journal WHERE identity=? AND environment=? AND key=?")
        .bind(who)
        .bind(where)
        .bind(tuned.key)
        .step();
  }));
}

void Store::put_entries(const Identity &identity, const Environment &environment,
                        const std::string &key, std::span<const Entry> entries) {
  const std::string who = encode(identity), where = encode(environment);
  warn(write(file_, [&](Database &database) {
    for (const Entry &entry : entries) {
      const std::string document = encode(entry);
      Statement(database, "INSERT OR REPLACE INTO journal VALUES(?,?,?,?,?,?)")
          .bind(who)
          .bind(where)
          .bind(key)
          .bind(static_cast<std::int64_t>(entry.index))
          .bind(document)
          .bind(checksum({who, where, key, document}))
          .step();
    }
  }));
}

std::vector<Entry> Store::entries(const Identity &identity, const Environment &environment,
                                  const std::string &key) {
  std::vector<Entry> list;
  std::string damaged;
  try {
    read(file_, [&](Database &database) {
      const std::string who = encode(identity), where = encode(environment);
      Statement rows(database,
                     "SELECT document, checksum FROM journal WHERE identity=? AND environment=?"
                     " AND key=? ORDER BY configuration");
      rows.bind(who).bind(where).bind(key);
      while (rows.step()) {
        const std::string document = rows.text(0);
        if (rows.number(1) == checksum({who, where, key, document})) {
          list.push_back(decode_entry(document));
        } else {
          damaged = "a damaged entry in '" + file_.string() + "' is ignored";
        }
      }
    });
  } catch (const Failure &failure) {
    warn(failure.what());  // what was read before the damage has its checksums: it is kept
  }
  warn(damaged);
  return list;
}

std::uint64_t Store::remove(const Identity &identity, const std::string &key) {
  std::uint64_t removed = 0;
  std::error_code error;
  if (!fs::exists(file_, error)) return 0;
  const std::string who = encode(identity);
  warn(write(file_, [&](Database &database) {
    Statement(database, "DELETE FROM journal WHERE identity=? AND key=?")
        .bind(who)
        .bind(key)
        .step();
    Statement(database, "DELETE FROM result WHERE identity=? AND key=?").bind(who).bind(key).step();
    removed = database.changes();
  }));
  return removed;
}

std::vector<Tuned> Store::list() {
  std::vector<Tuned> list;
  std::string damaged;
  try {
    read(file_, [&](Database &database) {
      Statement rows(database,
                     "SELECT identity, environment, key, document, checksum FROM result"
                     " ORDER BY sequence DESC");
      while (rows.step()) {
        const std::string document = rows.text(3);
        if (rows.number(4) == checksum({rows.text(0), rows.text(1), rows.text(2), document})) {
          list.push_back(decode_tuned(document));
        } else {
          damaged = "a damaged result in '" + file_.string() + "' is ignored";
        }
      }
    });
  } catch (const Failure &failure) {
    warn(failure.what());
  }
  warn(damaged);
  return list;
}

}  // namespace bench::store

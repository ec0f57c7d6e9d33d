// SPDX-License-Identifier: Apache-2.0
// One access to the store's file: lock, open, transact, close. Nothing stays open between accesses,
// so that nothing crosses a fork.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace bench::store {

/// The file's contents cannot be trusted. It is moved aside at the next write, never deleted.
class Damaged : public Failure {
 public:
  using Failure::Failure;
};

/// flock on FILE.lock: SQLite's own locks belong to the process, so two copies of SQLite in one
/// process release each other's, and acknowledged rows vanish. Meanwhile no thread of this process
/// can fork: a child of a fork inside SQLite waits for ever on a mutex that nobody there holds, and
/// keeps the file locked after its parent's death. Call nothing of the embedder's under it.
class FileLock {
 public:
  enum class Use { read, write };
  FileLock(const std::filesystem::path &file, Use use);
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

 private:
  int descriptor_ = -1;
};

class Statement;

class Database {
 public:
  enum class Mode { read, write };
  /// The caller holds the lock. `write` creates file and tables, and begins a transaction.
  Database(const std::filesystem::path &file, Mode mode);
  ~Database();  ///< rolls back what was not committed
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  /// An empty file: no tables yet, nothing to find.
  bool empty() const { return empty_; }
  void commit();
  std::uint64_t changes() const;
  void execute(const char *sql);
  [[noreturn]] void fail(const char *doing) const;

 private:
  friend class Statement;
  std::int64_t pragma(const char *sql);
  void prepare(Mode mode);

  std::filesystem::path file_;
  sqlite3 *handle_ = nullptr;
  bool empty_ = false;
};

class Statement {
 public:
  Statement(Database &database, const char *sql);
  ~Statement() { sqlite3_finalize(handle_); }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  Statement &bind(std::string_view text);
  Statement &bind(std::int64_t number);
  bool step();  ///< true: a row is there
  std::string text(int column) const;
  std::int64_t number(int column) const { return sqlite3_column_int64(handle_, column); }

 private:
  Database &database_;
  sqlite3_stmt *handle_ = nullptr;
  int bound_ = 0;
};

}  // namespace bench::store

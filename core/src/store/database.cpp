// SPDX-License-Identifier: Apache-2.0
#include "store/database.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

namespace bench::store {
namespace {

constexpr std::int64_t application_id =
    0x62656e63;  // "benc": other databases are not ours to change
constexpr std::int64_t schema_version = 1;
// An access takes milliseconds; a holder that is stopped in a debugger must not hang everyone.
constexpr auto lock_deadline = std::chrono::seconds(30);
constexpr auto lock_poll = std::chrono::milliseconds(1);
constexpr int busy_timeout_ms = 10000;  // others' tools, which know nothing of the sidecar file

constexpr const char *schema =
    "CREATE TABLE result(sequence INTEGER PRIMARY KEY AUTOINCREMENT, identity TEXT NOT NULL,"
    " environment TEXT NOT NULL, key TEXT NOT NULL, document TEXT NOT NULL,"
    " checksum INTEGER NOT NULL, UNIQUE(identity, environment, key));"
    "CREATE TABLE journal(identity TEXT NOT NULL, environment TEXT NOT NULL, key TEXT NOT NULL,"
    " configuration INTEGER NOT NULL, document TEXT NOT NULL, checksum INTEGER NOT NULL,"
    " PRIMARY KEY(identity, environment, key, configuration));"
    "PRAGMA application_id=1650814563;"
    "PRAGMA user_version=1;";

Failure file_failure(const std::filesystem::path &file, const std::string &doing, int error) {
  return Failure(error == EACCES || error == EPERM || error == EROFS ? BENCH_ERROR_NO_PERMISSION
                                                                     : BENCH_ERROR_OUT_OF_RESOURCES,
                 "cannot " + doing + " '" + file.string() + "': " + std::strerror(error), "store",
                 "name a writable file with BENCH_STORE, or free space on its disk");
}

// Held by every access, and by fork() through the handlers below.
std::mutex access_mutex;

void register_fork_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto lock = [] { access_mutex.lock(); };
    const auto unlock = [] { access_mutex.unlock(); };
    pthread_atfork(lock, unlock, unlock);
  });
}

/// The descriptor, or -1 for a reader in a folder that nobody of its rights can write to.
int open_lock(const std::filesystem::path &name, FileLock::Use use) {
  int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor >= 0) return descriptor;
  if (errno == EACCES || errno == EROFS) {
    descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);  // a lock needs no right to write
    if (descriptor >= 0 || use == FileLock::Use::read) return descriptor;
  }
  throw file_failure(name, "open the lock file", errno);
}

}  // namespace

FileLock::FileLock(const std::filesystem::path &file, Use use) {
  register_fork_handlers();
  const std::filesystem::path name = file.string() + ".lock";
  const auto end = std::chrono::steady_clock::now() + lock_deadline;
  for (;;) {
    // Opened anew each time: no fork finds the descriptor while we sleep.
    std::unique_lock access(access_mutex);
    descriptor_ = open_lock(name, use);
    if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
      access.release();  // the destructor unlocks
      return;
    }
    const int error = errno;
    ::close(descriptor_);
    access.unlock();
    if (error != EWOULDBLOCK && error != EINTR) throw file_failure(name, "lock", error);
    if (std::chrono::steady_clock::now() >= end) {
      throw Failure(BENCH_ERROR_BUSY, "'" + name.string() + "' has been locked for 30 s", "store",
                    "look for a stopped process that holds it");
    }
    std::this_thread::sleep_for(lock_poll);
  }
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
  access_mutex.unlock();
}

Database::Database(const std::filesystem::path &file, Mode mode) : file_(file) {
  const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::write ? SQLITE_OPEN_CREATE : 0) |
                    SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  try {
    if (sqlite3_open_v2(file.c_str(), &handle_, flags, nullptr) != SQLITE_OK) fail("open");
    prepare(mode);
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

void Database::prepare(Mode mode) {
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, busy_timeout_ms);
  // A damaged or hostile schema must not run anything; cells that lie about their size are refused.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA synchronous=FULL");
  if (mode == Mode::write) execute("BEGIN IMMEDIATE");
  empty_ = pragma("SELECT count(*) FROM sqlite_master") == 0;
  if (empty_) {
    if (mode == Mode::write) execute(schema);
    return;
  }
  if (pragma("PRAGMA application_id") != application_id) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                  "'" + file_.string() + "' is another program's database", "store",
                  "name another file with BENCH_STORE; this one was left as it is");
  }
  const std::int64_t version = pragma("PRAGMA user_version");
  if (version != schema_version) {
    throw Failure(BENCH_ERROR_INCOMPATIBLE,
                  "'" + file_.string() + "' has schema version " + std::to_string(version) +
                      ", known is " + std::to_string(schema_version),
                  "store", "use the newer release, or name another file with BENCH_STORE");
  }
}

Database::~Database() {
  if (sqlite3_get_autocommit(handle_) == 0) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  sqlite3_close(handle_);
}

void Database::commit() {
  execute("COMMIT");
}

std::uint64_t Database::changes() const {
  return static_cast<std::uint64_t>(sqlite3_changes(handle_));
}

void Database::execute(const char *sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail("use");
}

std::int64_t Database::pragma(const char *sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.number(0) : 0;
}

void Database::fail(const char *doing) const {
  const int code = handle_ != nullptr ? sqlite3_extended_errcode(handle_) : SQLITE_NOMEM;
  std::string what = std::string("cannot ") + doing + " '" + file_.string() +
                     "': " + (handle_ != nullptr ? sqlite3_errmsg(handle_) : "out of memory");
  const int error = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
  const int kind = code & 0xff;  // the rest of an extended code says where it happened
  if (error != 0 && (kind == SQLITE_CANTOPEN || kind == SQLITE_IOERR || kind == SQLITE_FULL)) {
    what += std::string(": ") + std::strerror(error);
  }
  switch (kind) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR:       // a table or column of ours is missing
    case SQLITE_CONSTRAINT:  // index and table disagree
    case SQLITE_MISMATCH:    // a damaged page gave a value of another type
      throw Damaged(BENCH_ERROR_INVALID_ARGUMENT, what, "store",
                    "the next write moves the file aside and starts a new one");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Failure(BENCH_ERROR_BUSY, what, "store", "another program holds the file: try later");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      throw Failure(BENCH_ERROR_NO_PERMISSION, what, "store",
                    "name a writable file with BENCH_STORE");
    default:
      throw Failure(BENCH_ERROR_OUT_OF_RESOURCES, what, "store",
                    "free space on the disk, or name another file with BENCH_STORE");
  }
}

Statement::Statement(Database &database, const char *sql) : database_(database) {
  if (sqlite3_prepare_v2(database.handle_, sql, -1, &handle_, nullptr) != SQLITE_OK) {
    database.fail("use");
  }
}

Statement &Statement::bind(std::string_view text) {
  if (sqlite3_bind_text64(handle_, ++bound_, text.data(), text.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8) != SQLITE_OK) {
    database_.fail("use");
  }
  return *this;
}

Statement &Statement::bind(std::int64_t number) {
  if (sqlite3_bind_int64(handle_, ++bound_, number) != SQLITE_OK) database_.fail("use");
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.fail("use");
  return false;
}

std::string Statement::text(int column) const {
  const unsigned char *bytes = sqlite3_column_text(handle_, column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char *>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

}  // namespace bench::store

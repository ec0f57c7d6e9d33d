// SPDX-License-Identifier: Apache-2.0
// Files that are not what they should be: a warning and a miss, and never a wrong result.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include "base/error.hpp"
#include "store/codec.hpp"
#include "store_support.hpp"

using namespace bench::store;
using namespace store_support;
namespace fs = std::filesystem;

namespace {

/// Runs SQL on the file as another program would.
void run_sql(const fs::path &file, const char *sql) {
  sqlite3 *handle = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
}

/// Either nothing, or exactly what was stored.
void check_never_wrong(const fs::path &file) {
  const std::string stored = encode(tuned());
  const Found found = Store(file).find(identity(), environment(), "n=1024");
  if (found.tuned) CHECK(encode(*found.tuned) == stored);
  for (const Tuned &each : Store(file).list()) CHECK(encode(each) == stored);
  for (const Entry &each : Store(file).entries(identity(), environment(), "j")) {
    CHECK(encode(each) == encode(entry(5)));
  }
}

std::string sound_file(const fs::path &file) {
  Store store(file);
  store.put(tuned());
  store.put_entry(identity(), environment(), "j", entry(5));
  return contents(file);
}

}  // namespace

TEST_CASE("a flipped byte anywhere is never a wrong result") {
  Folder folder;
  const std::string sound = sound_file(folder.file());
  const std::size_t step = 61;  // prime to the page size: every part of a page is met
  std::size_t hidden = 0;
  for (std::size_t at = 0; at < sound.size(); at += at < 128 ? 1 : step) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x15);
    overwrite(folder.file(), bytes);
    check_never_wrong(folder.file());
    if (Store(folder.file()).list().empty()) ++hidden;
  }
  CHECK(hidden > 0);  // damage was met, not only unused space
}

TEST_CASE("a file cut anywhere is never a wrong result") {
  Folder folder;
  const std::string sound = sound_file(folder.file());
  for (std::size_t size = 0; size < sound.size(); size += 509) {
    overwrite(folder.file(), sound.substr(0, size));
    check_never_wrong(folder.file());
  }
}

TEST_CASE("a text file is a warning and a miss; the next write moves it aside whole") {
  Folder folder;
  const std::string text(3000, 'x');
  overwrite(folder.file(), text);
  overwrite(folder.file().string() + ".damaged-1", "older");
  Lines lines;
  Store store(folder.file(), &lines.log);
  CHECK(store.find(identity(), environment(), "n=1024").match == Match::miss);
  CHECK(lines.mention("store.db"));
  CHECK(contents(folder.file()) == text);  // reading changes nothing
  store.put(tuned());
  CHECK(lines.mention("store.db.damaged-2"));
  CHECK(contents(folder.file().string() + ".damaged-2") == text);
  CHECK(contents(folder.file().string() + ".damaged-1") == "older");
  CHECK(store.find(identity(), environment(), "n=1024").match == Match::fresh);
}

TEST_CASE("an empty file is an empty store") {
  Folder folder;
  overwrite(folder.file(), "");
  Lines lines;
  Store store(folder.file(), &lines.log);
  CHECK(store.find(identity(), environment(), "n=1024").match == Match::miss);
  CHECK(lines.lines.empty());
  store.put(tuned());
  CHECK(store.find(identity(), environment(), "n=1024").match == Match::fresh);
}

TEST_CASE("a folder, or a path below a file: typed failures that name the path") {
  Folder folder;
  overwrite(folder.path() / "plain", "kept");
  fs::create_directory(folder.path() / "folder");
  for (const fs::path &file : {folder.path() / "folder", folder.path() / "plain" / "store.db"}) {
    Lines lines;
    Store store(file, &lines.log);
    CHECK(store.find(identity(), environment(), "").match == Match::miss);
    try {
      store.put(tuned());
      FAIL("the write was acknowledged");
    } catch (const bench::Failure &failure) {
      CHECK(failure.text().what.find(folder.path().string()) != std::string::npos);
      CHECK_FALSE(failure.text().hint.empty());
    }
  }
  CHECK(contents(folder.path() / "plain") == "kept");
}

TEST_CASE("a newer schema and another program's database are left as they are") {
  Folder folder;
  SUBCASE("newer") {
    sound_file(folder.file());
    run_sql(folder.file(), "PRAGMA user_version=2");
  }
  SUBCASE("foreign") {
    run_sql(folder.file(), "CREATE TABLE theirs(a)");
  }
  const std::string before = contents(folder.file());
  Lines lines;
  Store store(folder.file(), &lines.log);
  CHECK(store.find(identity(), environment(), "n=1024").match == Match::miss);
  CHECK(lines.lines.size() == 1);
  CHECK_THROWS_AS(store.put(tuned()), bench::Failure);
  CHECK(contents(folder.file()) == before);
  CHECK_FALSE(fs::exists(folder.file().string() + ".damaged-1"));
}

TEST_CASE("a changed value that SQLite accepts fails the row's checksum") {
  Folder folder;
  sound_file(folder.file());
  run_sql(folder.file(), "UPDATE result SET document=replace(document,'101.125','901.125')");
  Lines lines;
  Store store(folder.file(), &lines.log);
  CHECK(store.find(identity(), environment(), "n=1024").match == Match::miss);
  CHECK(lines.mention("damaged"));
}

TEST_CASE("records that encode() did not write are refused") {
  CHECK_THROWS_AS(decode_entry("{"), bench::Failure);
  CHECK_THROWS_AS(decode_entry("{\"index\":\"x\"}"), bench::Failure);
  CHECK_THROWS_AS(decode_tuned("[]"), bench::Failure);
  CHECK(checksum({"ab", "c"}) != checksum({"a", "bc"}));
}

// SPDX-License-Identifier: Apache-2.0
#include "store/path.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include "store_support.hpp"

using namespace bench::store;

TEST_CASE("the file's place: BENCH_STORE, then the cache folder, then the home folder") {
  setenv("BENCH_STORE", "/a/own.db", 1);
  setenv("XDG_CACHE_HOME", "/cache", 1);
  setenv("HOME", "/home/u", 1);
  CHECK(default_path() == "/a/own.db");
  setenv("BENCH_STORE", "", 1);
  CHECK(default_path() == "/cache/bench/store.db");
  setenv("XDG_CACHE_HOME", "relative", 1);
  CHECK(default_path() == "/home/u/.cache/bench/store.db");
  unsetenv("HOME");
  CHECK(default_path().is_absolute());
  unsetenv("BENCH_STORE");
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("a network file system gets one file a host") {
  CHECK(network_kind(0x6969));
  CHECK(network_kind(0x0BD00BD0));
  CHECK(network_kind(0xffffffffff534d42UL));  // sign-extended
  CHECK_FALSE(network_kind(0xEF53));          // ext4
  CHECK_FALSE(network_kind(0x01021994));      // tmpfs
  CHECK(host_file("/d/store.db", "node7") == "/d/store-node7.db");
  CHECK(host_file("store", "n") == "store-n");
}

TEST_CASE("a local path stays, also where its folders are not made yet") {
  store_support::Folder folder;
  CHECK(local_file(folder.path() / "a" / "b" / "store.db") ==
        folder.path() / "a" / "b" / "store.db");
}

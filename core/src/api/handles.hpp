// SPDX-License-Identifier: Apache-2.0
// What stands behind the opaque types of bench.h, and the checks that every function begins with.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "bench/bench.h"
#include "loader/registry.hpp"
#include "store/store.hpp"
#include "tune/tuner.hpp"

struct bench_context {
  bench::Log log;
  std::unique_ptr<bench::store::Store> store;  ///< null: BENCH_CONTEXT_NO_STORE
  std::unique_ptr<bench::loader::Registry> registry;
  std::filesystem::path lock_folder;

  bench_context(void (*callback)(void *, std::uint32_t, const char *), void *user,
                const std::string &environment)
      : log(callback, user, environment) {}
};

struct bench_tuner {
  bench::tune::Tuner tuner;
};

namespace bench::api {

/// Throws INVALID_ARGUMENT where a pointer that must be there is not.
inline void require(const void *pointer, const char *name, const char *where) {
  if (pointer) return;
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT, std::string(name) + " is a null pointer", where,
                std::string("pass ") + name);
}

/// Throws INVALID_ARGUMENT for a struct below its 1.0 size.
inline void require_size(std::uint32_t given, std::size_t first, const char *type,
                         const char *where) {
  if (given >= first) return;
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                std::string(type) + " has struct_size " + std::to_string(given) + ", below the " +
                    std::to_string(first) + " of version 1.0",
                where, std::string("set struct_size to sizeof(") + type + ")");
}

/// Hands `text` to the caller's writer.
void write(const bench_writer_v1 *writer, const std::string &text, const char *where);
void check_writer(const bench_writer_v1 *writer, const char *where);

}  // namespace bench::api

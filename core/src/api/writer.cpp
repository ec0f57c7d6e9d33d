// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "api/handles.hpp"

namespace bench::api {

void check_writer(const bench_writer_v1 *writer, const char *where) {
  require(writer, "writer", where);
  require_size(writer->struct_size, offsetof(bench_writer_v1, write) + sizeof(void *),
               "bench_writer_v1", where);
  if (!writer->write)
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "the writer has no write function", where,
                  "set bench_writer_v1.write");
}

void write(const bench_writer_v1 *writer, const std::string &text, const char *where) {
  const bench_status status = writer->write(writer->user, text.data(), text.size());
  if (status != BENCH_OK)
    throw Failure(status, "the caller's writer failed", where, "see what the writer ran into");
}

}  // namespace bench::api

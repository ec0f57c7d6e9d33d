// SPDX-License-Identifier: Apache-2.0
#include "toolkit.hpp"

#include <dlfcn.h>

#include <bench/plugin.hpp>
#include <cstdlib>

namespace bench_cuda {
namespace {

using bench::plugin::Error;

void *open_file(const std::string &path, std::string &tried) {
  if (void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char *reason = ::dlerror();
  tried += (tried.empty() ? "" : "; ") + std::string(reason ? reason : path);
  return nullptr;
}

}  // namespace

std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *value = ::secure_getenv(variable); value && *value == '/')
      folders.push_back(value);
  folders.push_back("/usr/local/cuda");
  return folders;
}

void *open_toolkit_library(const LibrarySearch &search) {
  std::string tried;
  if (const char *path = ::secure_getenv(search.variable); path && *path) {
    if (void *library = open_file(path, tried)) return library;
    throw Error(BENCH_ERROR_UNSUPPORTED,
                std::string(search.variable) + " names no usable library: " + tried,
                "let it name one, or unset it");
  }
  // A framework's own copy first: two of them would each keep their state.
  for (const char *name : search.names)
    if (void *library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return library;
  for (const char *name : search.names)
    if (void *library = open_file(name, tried)) return library;
  std::string elsewhere;  // the same reason once more for each folder helps nobody
  for (const std::string &folder : toolkit_folders())
    for (const char *sub : search.subfolders)
      for (const char *name : search.names)
        if (void *library = open_file(folder + sub + name, elsewhere)) return library;
  throw Error(BENCH_ERROR_UNSUPPORTED, std::string(search.what) + " was not found: " + tried,
              std::string(search.hint) + ", or let " + search.variable + " name the library");
}

void *find_symbol(void *library, const char *name) {
  return ::dlsym(library, name);
}

}  // namespace bench_cuda

// SPDX-License-Identifier: Apache-2.0
// Where libraries of the CUDA Toolkit are looked for, which are not the driver's.
#pragma once
#include <string>
#include <vector>

namespace bench_cuda {

struct LibrarySearch {
  const char *variable;                  // names the file itself
  std::vector<const char *> names;       // newest first
  std::vector<const char *> subfolders;  // of a toolkit
  const char *what;                      // "CUDA's run-time compiler"
  const char *hint;                      // how to get it
};

/// The library, from: the file that the variable names, what the process has loaded, the system's
/// library path, CUDA_HOME, CUDA_PATH and /usr/local/cuda. Throws Error, UNSUPPORTED, with what was
/// tried.
void *open_toolkit_library(const LibrarySearch &search);
void *find_symbol(void *library, const char *name);

/// Folders of toolkits: CUDA_HOME, CUDA_PATH, /usr/local/cuda.
std::vector<std::string> toolkit_folders();

}  // namespace bench_cuda

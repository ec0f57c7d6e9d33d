// SPDX-License-Identifier: Apache-2.0
#include "nvrtc.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <bench/plugin.hpp>
#include <mutex>

#include "toolkit.hpp"

namespace bench_cuda {
namespace {

using bench::plugin::Error;

const LibrarySearch search = {
    "BENCH_CUDA_NVRTC",
    {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"},
    {"/lib64/", "/lib/"},
    "CUDA's run-time compiler",
    "install NVRTC (CUDA Toolkit, or the package nvidia-cuda-nvrtc)"};

bool is_folder(const std::string &path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// .../lib64/libnvrtc.so.12 -> .../include, and where PyPI's packages keep cuda_fp16.h.
std::vector<std::string> includes_beside(const std::string &library) {
  std::vector<std::string> candidates, found;
  const auto slash = library.rfind('/');
  if (slash != std::string::npos) {
    const std::string folder = library.substr(0, slash);
    candidates.push_back(folder + "/../include");
    candidates.push_back(folder + "/../../cuda_runtime/include");
  }
  for (const std::string &folder : toolkit_folders()) candidates.push_back(folder + "/include");
  for (const std::string &folder : candidates) {
    struct stat status {};
    if (is_folder(folder) && ::stat((folder + "/cuda_fp16.h").c_str(), &status) == 0)
      found.push_back(folder);
  }
  if (found.size() > 1) found.resize(1);  // headers of two versions do not mix
  return found;
}

void fill(Nvrtc &made, void *library) {
#define BENCH_NVRTC_FIND(name)                                                                 \
  made.name = reinterpret_cast<decltype(made.name)>(::dlsym(library, #name));                  \
  if (!made.name)                                                                              \
    throw Error(BENCH_ERROR_UNSUPPORTED, "NVRTC has no " #name ": it is older than CUDA 11.2", \
                "install a newer CUDA Toolkit");
  BENCH_NVRTC_FUNCTIONS(BENCH_NVRTC_FIND)
#undef BENCH_NVRTC_FIND
  link_map *map = nullptr;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name) made.path = map->l_name;
  int count = 0;
  if (made.nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 0) {
    made.architectures.resize(static_cast<std::size_t>(count));
    made.nvrtcGetSupportedArchs(made.architectures.data());
  }
  made.include_folders = includes_beside(made.path);
}

}  // namespace

std::string Nvrtc::identity() const {
  int major = 0, minor = 0;
  nvrtcVersion(&major, &minor);
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
}

const Nvrtc &nvrtc() {
  static std::mutex mutex;
  static Nvrtc made;  // for the life of the process
  static bool opened = false;
  const std::lock_guard lock(mutex);
  if (!opened) {
    made = Nvrtc{};
    fill(made, open_toolkit_library(search));
    opened = true;
  }
  return made;
}

}  // namespace bench_cuda

// SPDX-License-Identifier: Apache-2.0
#include "hiprtc.hpp"

#include <dlfcn.h>

#include <bench/plugin.hpp>
#include <cstdlib>
#include <mutex>

#include "library.hpp"

namespace bench_hip {
namespace {

using bench::plugin::Error;

constexpr const char *names[] = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5",
                                 "libhiprtc.so"};
constexpr const char *hint =
    "install hiprtc (ROCm, or Debian's libamdhip64-5), or let BENCH_HIP_HIPRTC name the library";

/// Nothing, and the first function that is missing, for a library that is not it.
bool fill(Hiprtc &made, void *library, std::string &tried) {
  made = Hiprtc{};
#define BENCH_HIPRTC_FIND(name)                                                     \
  made.name = reinterpret_cast<decltype(made.name)>(::dlsym(library, #name));       \
  if (!made.name) {                                                                 \
    tried += (tried.empty() ? "" : "; ") + std::string("a library without " #name); \
    return false;                                                                   \
  }
  BENCH_HIPRTC_FUNCTIONS(BENCH_HIPRTC_FIND)
#undef BENCH_HIPRTC_FIND
  return true;
}

void open(Hiprtc &made) {
  std::string tried;
  const auto reason = [&] {
    const char *text = ::dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(text ? text : "no reason given");
  };
  if (const char *path = ::secure_getenv("BENCH_HIP_HIPRTC"); path && *path) {
    if (void *library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
      if (fill(made, library, tried)) return;
    } else {
      reason();
    }
    throw Error(BENCH_ERROR_UNSUPPORTED, "BENCH_HIP_HIPRTC names no usable library: " + tried,
                "let it name one, or unset it");
  }
  for (const int loaded : {RTLD_NOLOAD, 0})
    for (const char *name : names)
      if (void *library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL | loaded))
        if (fill(made, library, tried)) return;
  reason();
  try {
    if (fill(made, runtime_file(), tried)) return;
  } catch (const Error &error) {
    tried += std::string("; ") + error.what();
  }
  throw Error(BENCH_ERROR_UNSUPPORTED, "HIP's run-time compiler was not found: " + tried, hint);
}

}  // namespace

std::string Hiprtc::identity() const {
  int major = 0, minor = 0;
  hiprtcVersion(&major, &minor);
  return "hiprtc " + std::to_string(major) + "." + std::to_string(minor);
}

const Hiprtc &hiprtc() {
  static std::mutex mutex;
  static Hiprtc made;  // for the life of the process
  static bool opened = false;
  const std::lock_guard lock(mutex);
  if (!opened) {
    open(made);
    opened = true;
  }
  return made;
}

}  // namespace bench_hip

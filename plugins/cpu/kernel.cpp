// SPDX-License-Identifier: Apache-2.0
// bench.kernel/1 for C and C++: a kernel is `void name(arguments in the problem's order)`, called
// once a launch on the calling thread; it may start threads of its own (OpenMP).
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "cpu.hpp"

struct bench_kernel_v1 {
  void *library;
  void (*call)(const void *const *arguments);
};

namespace bench_cpu {
namespace {

const char *const languages[] = {"C", "C++"};

bool is_cpp(const char *language) {
  if (std::strcmp(language, "C++") == 0) return true;
  if (std::strcmp(language, "C") == 0) return false;
  throw Error(BENCH_ERROR_UNSUPPORTED, std::string("language ") + language,
              "the cpu plugin compiles C and C++");
}

bench_status compiler(bench_instance_v1 *instance, const char *language,
                      const bench_writer_v1 *identity, bench_error_v1 *error) {
  return guarded(error, "compiler", [&] {
    is_cpp(language);
    const std::string text = compiler_identity(*instance, language);
    write_all(identity, text);
  });
}

bench_status compile(bench_instance_v1 *, const bench_kernel_source_v1 *source,
                     const bench_writer_v1 *binary, const bench_writer_v1 *log,
                     bench_error_v1 *error) {
  return guarded(error, "compile", [&] {
    if (source->required)
      throw Error(BENCH_ERROR_UNSUPPORTED, "the source requires what this plugin does not know",
                  "use a newer plugin");
    std::string text;
    try {
      const auto bytes = compile_object(*source, is_cpp(source->language), text);
      write_all(log, text);
      write_all(binary, bytes);
    } catch (const Error &) {
      write_all(log, text);
      throw;
    }
  });
}

/// A name for the descriptor that no earlier library had: the dynamic loader takes equal names for
/// equal libraries, so that every kernel behind a reused descriptor number would be the first one
/// again.
std::string unique_path(int descriptor) {
  static std::atomic<std::uint32_t> loads{0};
  std::string path = "/proc";
  for (std::uint32_t bits = ++loads; bits != 0; bits >>= 1) path += (bits & 1) ? "/." : "/";
  return path + "/self/fd/" + std::to_string(descriptor);
}

bench_status load(bench_instance_v1 *, bench_device_v1 device, const bench_stream_v1 *,
                  const void *binary, std::uint64_t size, const char *name,
                  const bench_kernel_parameter_v1 *const *, std::uint32_t, bench_kernel_v1 **kernel,
                  bench_kernel_resources_v1 *, bench_error_v1 *error) {
  *kernel = nullptr;
  return guarded(error, "load", [&] {
    check_device(device);
    // From memory: nothing is left behind on a disk, and each load is an image of its own.
    const int descriptor = ::memfd_create(name, MFD_CLOEXEC);
    if (descriptor < 0)
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES, std::string("memfd_create: ") + ::strerror(errno),
                  "raise the limit of open files");
    std::uint64_t done = 0;
    while (done < size) {
      const ssize_t n = ::write(descriptor, static_cast<const char *>(binary) + done, size - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        ::close(descriptor);
        throw Error(BENCH_ERROR_OUT_OF_RESOURCES,
                    "no memory for a kernel of " + std::to_string(size) + " bytes", "free memory");
      }
      done += static_cast<std::uint64_t>(n);
    }
    const std::string path = unique_path(descriptor);
    void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char *reason = library ? nullptr : ::dlerror();
    ::close(descriptor);
    if (!library)
      throw Error(
          BENCH_ERROR_INVALID_ARGUMENT,
          std::string("the kernel cannot be loaded: ") + (reason ? reason : "unknown reason"),
          "link what it names through CompilerOptions, e.g. -lm");
    void *call = ::dlsym(library, wrapper_symbol);
    if (!call) {
      ::dlclose(library);
      throw Error(BENCH_ERROR_INVALID_ARGUMENT,
                  std::string("the binary holds no kernel ") + name +
                      "; it was not made by this plugin's compile",
                  "compile it with bench.kernel/1");
    }
    *kernel = new bench_kernel_v1{library, reinterpret_cast<void (*)(const void *const *)>(call)};
  });
}

void unload(bench_instance_v1 *, bench_device_v1, bench_kernel_v1 *kernel) {
  // The library stays: threads that it started (OpenMP's pool) may still run in it.
  delete kernel;
}

bench_status symbol(bench_instance_v1 *, bench_device_v1, bench_kernel_v1 *kernel, const char *name,
                    void **memory, std::uint64_t *size, bench_error_v1 *error) {
  *memory = nullptr;
  return guarded(error, "symbol", [&] {
    *memory = ::dlsym(kernel->library, name);
    if (!*memory)
      throw Error(BENCH_ERROR_INVALID_ARGUMENT, std::string("the kernel has no global ") + name,
                  "define it in the kernel's file with visibility \"default\"");
    Dl_info info{};
    ElfW(Sym) *entry = nullptr;
    *size = ::dladdr1(*memory, &info, reinterpret_cast<void **>(&entry), RTLD_DL_SYMENT) && entry
                ? entry->st_size
                : 0;
  });
}

bench_status launch(bench_instance_v1 *, bench_device_v1, bench_kernel_v1 *kernel,
                    const bench_kernel_launch_v1 *launch, const bench_stream_v1 *,
                    bench_error_v1 *error) {
  if (launch->required)
    return bench::plugin::fill(
        error, "launch",
        Error(BENCH_ERROR_UNSUPPORTED, "the launch requires what this plugin does not know",
              "use a newer plugin"));
  kernel->call(launch->arguments);
  return BENCH_OK;
}

bench_status limits(bench_instance_v1 *, bench_device_v1 device, bench_kernel_limits_v1 *,
                    bench_error_v1 *error) {
  // A block is the kernel's own business here: nothing is limited, and the struct came zeroed.
  return guarded(error, "limits", [&] { check_device(device); });
}

}  // namespace

const bench_ext_kernel_v1 kernel_extension = {sizeof(bench_ext_kernel_v1),
                                              2,
                                              languages,
                                              compiler,
                                              compile,
                                              load,
                                              unload,
                                              symbol,
                                              launch,
                                              limits};

}  // namespace bench_cpu

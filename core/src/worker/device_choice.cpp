// SPDX-License-Identifier: Apache-2.0
#include "worker/device_choice.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "worker/candidate.hpp"

namespace bench::worker {
namespace {

bool compiles(const bench_ext_kernel_v1 &ext, const std::string &language) {
  for (std::uint32_t i = 0; i < ext.language_count; ++i) {
    if (language == ext.languages[i]) return true;
  }
  return false;
}

std::string languages_of(const bench_ext_kernel_v1 &ext) {
  std::string text;
  for (std::uint32_t i = 0; i < ext.language_count; ++i)
    text += (i ? ", " : "") + std::string(ext.languages[i]);
  return text;
}

/// The class whose plugin usually compiles a language, for the advice.
std::string usual_class(const std::string &language) {
  static const std::map<std::string, std::string> classes{{"CUDA", "cuda"},  {"HIP", "hip"},
                                                          {"OpenCL", "xpu"}, {"SPIR-V", "xpu"},
                                                          {"C", "cpu"},      {"C++", "cpu"}};
  const auto found = classes.find(language);
  return found == classes.end() ? "" : found->second;
}

}  // namespace

std::optional<DeviceChoice> choose_device(loader::Registry &registry,
                                          const problem::Problem &problem, const char *name,
                                          std::string &reason) {
  const std::string &language = problem.kernel.language;
  if (name) {
    const bench_device_v1 wanted = registry.parse_device(name);
    DeviceChoice choice;
    for (const auto &record : registry.devices()) {
      if (record.device.type == wanted.type && record.device.id == wanted.id)
        choice.device = record;
    }
    choice.plugin = &registry.plugin_for_device(wanted);
    const bench_ext_kernel_v1 &ext = kernel_extension(*choice.plugin);
    if (compiles(ext, language)) return choice;
    reason = "device " + choice.device.tag() + " cannot run a " + language +
             " kernel: its plugin compiles " + languages_of(ext);
    return std::nullopt;
  }
  std::string seen;
  for (const auto &record : registry.devices()) {
    const auto tell = [&](const std::string &why) {
      seen += (seen.empty() ? "" : "; ") + record.tag() + ": " + why;
    };
    if (!record.usable) {
      tell(record.reason);
      continue;
    }
    try {
      DeviceChoice choice{record, &registry.plugin_for_class(record.class_name)};
      const auto *ext = static_cast<const bench_ext_kernel_v1 *>(
          choice.plugin->api->get_extension(choice.plugin->instance, BENCH_EXT_KERNEL_V1));
      if (ext && compiles(*ext, language)) return choice;
      tell(ext ? "compiles " + languages_of(*ext) : "its plugin compiles no kernels");
    } catch (const Failure &failure) {
      tell(failure.text().what);
    }
  }
  reason = "no device here can run a " + language + " kernel (" +
           (seen.empty() ? "no plugin was found" : seen) + ")";
  const std::string usual = usual_class(language);
  if (!usual.empty() && seen.find(usual) == std::string::npos)
    reason += "; there is no plugin for class " + usual + ": put libbench_" + usual +
              ".so on BENCH_PLUGIN_PATH";
  return std::nullopt;
}

std::string compiler_identity(const DeviceChoice &choice, const std::string &language) {
  const bench_ext_kernel_v1 &ext = kernel_extension(*choice.plugin);
  std::string identity;
  bench_writer_v1 writer{};
  writer.struct_size = sizeof writer;
  writer.user = &identity;
  writer.write = [](void *user, const void *bytes, std::uint64_t size) -> bench_status {
    return guarded(nullptr, "writer", [&] {
      static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), size);
    });
  };
  bench_error_v1 error = error_struct();
  const bench_status status =
      ext.compiler(choice.plugin->instance, language.c_str(), &writer, &error);
  if (status != BENCH_OK) throw Failure(status, error, "compiler for " + language);
  return identity;
}

}  // namespace bench::worker

// SPDX-License-Identifier: Apache-2.0
// bench.kernel/1 for language "sim". A kernel writes 1, 2, .. 61, 1, 2, .. to each argument that it
// only writes, whatever its configuration; a fault makes it do something else.
#include <csignal>
#include <cstdlib>

#include "sim.hpp"

namespace bench_sim {
namespace {

const char *const languages[] = {"sim"};
// Small enough to be exact in every type, also those with 7 bits of mantissa.
constexpr unsigned value_period = 61;
constexpr std::uint64_t leaked_part = 16;  // of the device's memory, each launch

void check_language(const char *language) {
  if (std::strcmp(language, "sim") != 0)
    throw Error(BENCH_ERROR_UNSUPPORTED, std::string("language ") + language,
                "the sim plugin compiles the language sim");
}

/// A small whole number in the 16 bits of a float of `mantissa` bits and exponent bias `bias`.
std::uint16_t half_bits(unsigned value, unsigned mantissa, unsigned bias) {
  unsigned exponent = 0;
  while ((value >> (exponent + 1)) != 0) ++exponent;
  const unsigned fraction = (value - (1u << exponent)) << mantissa >> exponent;
  return static_cast<std::uint16_t>(((exponent + bias) << mantissa) | fraction);
}

template <typename T>
void put(char *to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <typename T>
T get(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Twice the value where something is there: 16-bit floats are not worth an adder.
unsigned sum_of(const char *there, unsigned value, bool add) {
  return add && get<std::uint16_t>(there) != 0 ? 2 * value : value;
}

/// One element of a DLPack type; `add` adds to what is there (where that is simple to do).
void put_element(char *to, const bench_kernel_parameter_v1 &type, unsigned value, bool add) {
  const unsigned bytes = type.dtype_bits / 8u;
  switch (type.dtype_code) {
    case 2:
      if (bytes == 8) return put(to, value + (add ? get<double>(to) : 0.0));
      if (bytes == 4) return put(to, static_cast<float>(value) + (add ? get<float>(to) : 0.0f));
      return put(to, half_bits(sum_of(to, value, add), 10, 15));
    case 4:
      return put(to, half_bits(sum_of(to, value, add), 7, 127));
    case 5:
      if (bytes == 16) {
        put(to, value + (add ? get<double>(to) : 0.0));
        return put(to + 8, static_cast<double>(value));
      }
      put(to, static_cast<float>(value) + (add ? get<float>(to) : 0.0f));
      return put(to + 4, static_cast<float>(value));
    case 6:
      return put(to, static_cast<std::uint8_t>((value + add) % 2));
    default:
      break;
  }
  const std::uint64_t before = [&]() -> std::uint64_t {
    std::uint64_t there = 0;
    if (add) std::memcpy(&there, to, bytes);
    return there;
  }();
  const std::uint64_t sum = before + value;
  std::memcpy(to, &sum, bytes);
}

void put_nan(char *to, const bench_kernel_parameter_v1 &type) {
  if (type.dtype_code != 2 && type.dtype_code != 4 && type.dtype_code != 5) return;
  const unsigned part = type.dtype_bits / 8u / (type.dtype_code == 5 ? 2u : 1u);
  for (unsigned i = 0; i < part; ++i) to[i] = static_cast<char>(0xff);  // all ones is a NaN
}

void write_vector(const Program &program, const bench_kernel_parameter_v1 &type, char *data,
                  bool disturbed) {
  const std::uint64_t bytes = type.dtype_bits / 8u;
  const std::uint64_t count = program.elements - (program.has(partial) ? 1 : 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t from = i + (program.has(off_by_one) ? 1 : 0);
    const unsigned value = 1u + static_cast<unsigned>(from % value_period);
    put_element(data + i * bytes, type, value, program.has(accumulate));
  }
  const std::uint64_t middle = program.elements / 2;
  if (program.has(wrong) || disturbed)
    put_element(data + middle * bytes, type, 2u + static_cast<unsigned>(middle % value_period),
                false);
  if (program.has(nan)) put_nan(data + middle * bytes, type);
  if (program.has(overflow)) data[program.elements * bytes] ^= 0x55;
}

bench_status compiler(bench_instance_v1 *, const char *language, const bench_writer_v1 *identity,
                      bench_error_v1 *error) {
  return guarded(error, "compiler", [&] {
    check_language(language);
    write_all(identity, std::string("sim 1"));
  });
}

bench_status compile(bench_instance_v1 *instance, const bench_kernel_source_v1 *source,
                     const bench_writer_v1 *binary, const bench_writer_v1 *,
                     bench_error_v1 *error) {
  return guarded(error, "compile", [&] {
    check_language(source->language);
    if (source->required)
      throw Error(BENCH_ERROR_UNSUPPORTED, "the source requires what this plugin does not know",
                  "use a newer plugin");
    const Program program = compile_program(*source);
    instance->spend(program.compile_ns);
    if (source->deadline_ns != 0 &&
        instance->host_ns.load() > static_cast<double>(source->deadline_ns))
      throw Error(BENCH_ERROR_TIMEOUT, "the simulated compiler took longer than it may",
                  "raise the limit");
    write_all(binary, to_bytes(program, source->name));
  });
}

bench_status load(bench_instance_v1 *instance, bench_device_v1 number, const bench_stream_v1 *,
                  const void *binary, std::uint64_t size, const char *name,
                  const bench_kernel_parameter_v1 *const *parameters, std::uint32_t parameter_count,
                  bench_kernel_v1 **kernel, bench_kernel_resources_v1 *, bench_error_v1 *error) {
  *kernel = nullptr;
  return guarded(error, "load", [&] {
    enter(instance, number);
    auto made = std::make_unique<bench_kernel_v1>();
    made->program = from_bytes(std::string(static_cast<const char *>(binary), size), name);
    for (std::uint32_t i = 0; i < parameter_count; ++i) made->parameters.push_back(*parameters[i]);
    made->vectors.resize(made->parameters.size());
    *kernel = made.release();
  });
}

void unload(bench_instance_v1 *instance, bench_device_v1 number, bench_kernel_v1 *kernel) {
  guarded(nullptr, "unload", [&] {
    Device &device = device_of(instance, number);
    if (device.last_kernel == kernel) device.last_kernel = nullptr;
  });
  delete kernel;
}

bench_status symbol(bench_instance_v1 *, bench_device_v1, bench_kernel_v1 *, const char *name,
                    void **memory, std::uint64_t *, bench_error_v1 *error) {
  *memory = nullptr;
  return bench::plugin::fill(
      error, "symbol",
      Error(BENCH_ERROR_INVALID_ARGUMENT, std::string("a sim program has no global ") + name,
            "pass it as a vector"));
}

/// What a launch does to the process before anything is enqueued.
void do_host_faults(Device &device, const Program &program) {
  if (!program.launch_error.empty())
    throw Error(BENCH_ERROR_OUT_OF_RESOURCES, program.launch_error, "nothing: it failed then, too");
  if (program.has(out_of_memory))
    throw Error(BENCH_ERROR_OUT_OF_RESOURCES, "more registers than there are, as the program says",
                "change the program");
  if (program.has(crash)) std::raise(SIGSEGV);
  if (program.has(aborts)) std::abort();
  if (program.has(exits)) std::exit(3);
  if (program.has(hang_host)) hang_for_ever();
  if (program.has(leak)) {
    const std::uint64_t bytes = device.settings.memory_bytes / leaked_part;
    if (device.memory_used + bytes > device.settings.memory_bytes)
      throw Error(BENCH_ERROR_OUT_OF_RESOURCES, "earlier launches kept all memory",
                  "change the program");
    device.memory_used += bytes;
  }
}

bench_status launch(bench_instance_v1 *instance, bench_device_v1 number, bench_kernel_v1 *kernel,
                    const bench_kernel_launch_v1 *launch, const bench_stream_v1 *stream,
                    bench_error_v1 *error) {
  return guarded(error, "launch", [&] {
    if (launch->required)
      throw Error(BENCH_ERROR_UNSUPPORTED, "the launch requires what this plugin does not know",
                  "use a newer plugin");
    Device &device = enter(instance, number);
    Stream &queue = stream_of(device, stream);
    do_host_faults(device, kernel->program);
    std::uint32_t argument = 0;
    for (std::size_t i = 0; i < kernel->parameters.size(); ++i) {
      if (kernel->parameters[i].kind == BENCH_PARAMETER_SYMBOL) continue;
      if (argument >= launch->argument_count)
        throw Error(BENCH_ERROR_INVALID_ARGUMENT, "fewer arguments than parameters",
                    "pass one a parameter");
      const void *value = launch->arguments[argument++];
      if (kernel->parameters[i].kind == BENCH_PARAMETER_VECTOR)
        std::memcpy(&kernel->vectors[i], value, sizeof(void *));
    }
    instance->spend(device.settings.cost.submit_ns);
    enqueue(instance, device, queue, {Operation::work, kernel, nullptr});
  });
}

bench_status limits(bench_instance_v1 *instance, bench_device_v1 number,
                    bench_kernel_limits_v1 *limits, bench_error_v1 *error) {
  return guarded(error, "limits", [&] {
    device_of(instance, number);
    constexpr std::uint32_t max_threads = 1024;
    if (BENCH_HAS(limits, max_threads_per_block)) limits->max_threads_per_block = max_threads;
  });
}

}  // namespace

void do_effect(Device &device, bench_kernel_v1 &kernel) {
  const Program &program = kernel.program;
  ++kernel.launches;
  if (program.has(stale) || program.elements == 0) return;
  const bool disturbed = program.has(race) && kernel.launches > 1;
  // Thousands of launches in a window leave what the first of them did: done once.
  const bool repeats = program.has(accumulate) || program.has(race);
  if (kernel.contents == device.contents && !repeats) return;
  kernel.contents = ++device.contents;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const bench_kernel_parameter_v1 &parameter = kernel.parameters[i];
    if (parameter.kind != BENCH_PARAMETER_VECTOR || parameter.access != BENCH_ACCESS_WRITE)
      continue;
    if (kernel.vectors[i])
      write_vector(program, parameter, static_cast<char *>(kernel.vectors[i]), disturbed);
  }
}

const bench_ext_kernel_v1 kernel_extension = {sizeof(bench_ext_kernel_v1),
                                              1,
                                              languages,
                                              compiler,
                                              compile,
                                              load,
                                              unload,
                                              symbol,
                                              launch,
                                              limits};

}  // namespace bench_sim

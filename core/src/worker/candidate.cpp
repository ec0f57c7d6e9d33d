// SPDX-License-Identifier: Apache-2.0
#include "worker/candidate.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "bench/ext/cpu.h"
#include "loader/registry.hpp"
#include "measure/extensions.hpp"

namespace bench::worker {
namespace {

void check(bench_status status, const bench_error_v1 &error, const char *where) {
  if (status != BENCH_OK) throw Failure(status, error, where);
}

bench_device_info_v1 info_of(loader::Plugin &plugin, bench_device_v1 device) {
  bench_device_info_v1 info{};
  info.struct_size = sizeof info;
  bench_error_v1 error = error_struct();
  check(plugin.api->device_info(plugin.instance, device, &info, &error), error, "device_info");
  return info;
}

/// A parameter's value as a macro: C knows neither True nor a text without quotes.
std::string definition_of(const problem::Value &value) {
  return value.is_boolean() ? (value.boolean() ? "1" : "0") : value.to_text();
}

template <typename Container>
bench_writer_v1 writer_into(Container &target) {
  bench_writer_v1 writer{};
  writer.struct_size = sizeof writer;
  writer.user = &target;
  writer.write = [](void *user, const void *bytes, std::uint64_t size) -> bench_status {
    const auto *first = static_cast<const typename Container::value_type *>(bytes);
    return guarded(nullptr, "writer", [&] {
      static_cast<Container *>(user)->insert(static_cast<Container *>(user)->end(), first,
                                             first + size);
    });
  };
  return writer;
}

std::uint32_t parameter_kind(problem::MemoryKind kind) {
  switch (kind) {
    case problem::MemoryKind::vector:
      return BENCH_PARAMETER_VECTOR;
    case problem::MemoryKind::scalar:
      return BENCH_PARAMETER_SCALAR;
    case problem::MemoryKind::local:
      return BENCH_PARAMETER_LOCAL;
    default:
      return BENCH_PARAMETER_SYMBOL;
  }
}

}  // namespace

const bench_ext_kernel_v1 &kernel_extension(loader::Plugin &plugin) {
  const auto *ext = static_cast<const bench_ext_kernel_v1 *>(
      plugin.api->get_extension(plugin.instance, BENCH_EXT_KERNEL_V1));
  if (!ext)
    throw Failure(BENCH_ERROR_UNSUPPORTED,
                  "the plugin cannot compile kernels: it has no bench.kernel/1", plugin.path,
                  "use a plugin that has it, or embed the core and launch your own kernels");
  return *ext;
}

std::string read_reference_source(const problem::Problem &problem) {
  const auto text = read_file(problem.reference_kernel->file);
  if (!text) {
    throw Failure(
        BENCH_ERROR_INVALID_ARGUMENT, "cannot read " + problem.reference_kernel->file.string(),
        "ReferenceKernel, KernelFile", "name a readable file, relative to the problem file");
  }
  return *text;
}

/// A kernel on the device and what a launch of it passes.
struct Candidates::Loaded {
  Loaded(loader::Plugin &plugin, const bench_ext_kernel_v1 &ext, bench_device_v1 device)
      : plugin_(plugin), ext_(ext), device_(device) {}
  ~Loaded();
  Loaded(const Loaded &) = delete;  // owns the kernel
  Loaded &operator=(const Loaded &) = delete;

  bench_kernel_v1 *kernel = nullptr;
  problem::Configuration configuration;
  problem::Geometry geometry;
  std::vector<const void *> arguments;
  std::vector<std::uint64_t> sizes;
  bench_kernel_launch_v1 launch{};
  bench_kernel_resources_v1 resources{sizeof(bench_kernel_resources_v1),
                                      UINT32_MAX,
                                      UINT32_MAX,
                                      UINT32_MAX,
                                      UINT32_MAX,
                                      UINT32_MAX};
  std::unique_ptr<Callable> callable;

 private:
  loader::Plugin &plugin_;
  const bench_ext_kernel_v1 &ext_;
  const bench_device_v1 device_;
};

/// The callable of one candidate. Lives as long as its kernel: what the engine records of it is
/// known by its address.
struct Candidates::Callable {
  Callable(Candidates &owner, Loaded &loaded) : owner_(owner), loaded_(loaded) {
    callable.struct_size = sizeof callable;
    callable.user = this;
    callable.launch = [](void *user, const bench_config_v1 *, const bench_stream_v1 *stream,
                         bench_error_v1 *error) {
      auto &self = *static_cast<Callable *>(user);
      return self.owner_.ext_.launch(self.owner_.plugin_.instance, self.owner_.place_.device,
                                     self.loaded_.kernel, &self.loaded_.launch, stream, error);
    };
    if (owner.buffers().has_in_out()) {
      callable.prepare = [](void *user, const bench_config_v1 *, const bench_stream_v1 *stream,
                            bench_error_v1 *error) {
        return static_cast<Callable *>(user)->owner_.buffers().restore_written(*stream, error);
      };
    }
    // An in/out argument that a launch has changed is another problem for the next launch.
    if (!owner.buffers().has_in_out() || owner.problem_.repeatable)
      callable.flags |= BENCH_CALLABLE_REPEATABLE;
    callable.flags |= BENCH_CALLABLE_CAPTURABLE;  // it only launches one kernel of the plugin's own
  }
  Callable(const Callable &) = delete;  // the callable points here
  Callable &operator=(const Callable &) = delete;
  bench_callable_v1 callable{};

 private:
  Candidates &owner_;
  Loaded &loaded_;
};

Candidates::Loaded::~Loaded() {
  if (kernel) ext_.unload(plugin_.instance, device_, kernel);
}

Candidates::Candidates(loader::Plugin &plugin, bench_device_v1 device,
                       const problem::Problem &problem, const measure::Policy &policy)
    : plugin_(plugin),
      ext_(kernel_extension(plugin)),
      place_{plugin.api, plugin.instance, plugin.native(device), false},
      info_(info_of(plugin, plugin.native(device))),
      problem_(problem),
      policy_(policy),
      target_{plugin.api,
              plugin.instance,
              plugin.native(device),
              plugin.has_t1,
              plugin.has_do_bench,
              info_.timer_resolution_ns,
              info_.timer_wrap_ns,
              (info_.flags & BENCH_DEVICE_FLAG_SYNCHRONOUS) != 0},
      rules_(rules_of(problem)) {
  place_.opaque_memory = (info_.flags & BENCH_DEVICE_FLAG_OPAQUE_MEMORY) != 0;
  parameters_.resize(problem.arguments.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const problem::Argument &argument = problem.arguments[i];
    bench_kernel_parameter_v1 &parameter = parameters_[i];
    parameter.struct_size = sizeof parameter;
    parameter.kind = parameter_kind(argument.kind);
    parameter.access = argument.access;
    parameter.dtype_code = argument.type.code;
    parameter.dtype_bits = argument.type.bits;
    parameter.dtype_lanes = 1;
    parameter.name = argument.name.c_str();
    parameter_pointers_.push_back(&parameter);
  }
}

Candidates::~Candidates() {
  while (!loaded_.empty()) unload(loaded_.begin()->first);
  buffers_.reset();
  session_.reset();
}

measure::Session &Candidates::session() {
  if (!session_)
    session_ = std::make_unique<measure::Session>(target_, nullptr, policy_, plugin_.clock());
  return *session_;
}

Buffers &Candidates::buffers() {
  if (!buffers_) buffers_ = std::make_unique<Buffers>(place_, problem_, session().stream());
  return *buffers_;
}

Compiled Candidates::compile_source(const problem::Kernel &kernel,
                                    const problem::Configuration &configuration,
                                    std::int64_t deadline_ns) {
  const problem::Geometry geometry = problem_.geometry(configuration);
  std::vector<std::string> values;
  std::vector<const char *> names, value_pointers, options;
  for (const problem::Value &value : configuration.values) values.push_back(definition_of(value));
  for (std::size_t i = 0; i < values.size(); ++i) {
    names.push_back(problem_.space.parameters()[i].name.c_str());
    value_pointers.push_back(values[i].c_str());
  }
  for (const std::string &option : kernel.options) options.push_back(option.c_str());
  const std::string path = kernel.file.string();
  bench_kernel_source_v1 source{};
  source.struct_size = sizeof source;
  source.language = kernel.language.c_str();
  source.path = path.c_str();
  source.text = kernel.source->c_str();
  source.text_size = kernel.source->size();
  source.name = kernel.name.c_str();
  source.architecture = info_.architecture;
  source.options = options.data();
  source.option_count = static_cast<std::uint32_t>(options.size());
  source.definition_names = names.data();
  source.definition_values = value_pointers.data();
  source.definition_count = static_cast<std::uint32_t>(names.size());
  source.parameters = parameter_pointers_.data();
  source.parameter_count = static_cast<std::uint32_t>(parameter_pointers_.size());
  std::copy(geometry.grid.begin(), geometry.grid.end(), source.grid);
  std::copy(geometry.block.begin(), geometry.block.end(), source.block);
  source.deadline_ns = deadline_ns;
  Compiled compiled;
  const bench_writer_v1 binary = writer_into(compiled.binary);
  const bench_writer_v1 log = writer_into(compiled.log);
  bench_error_v1 error = error_struct();
  const std::int64_t begun = plugin_.clock().now_ns();
  check(ext_.compile(plugin_.instance, &source, &binary, &log, &error), error, "compile");
  compiled.elapsed_ns = plugin_.clock().now_ns() - begun;
  return compiled;
}

Compiled Candidates::compile(std::uint64_t index, std::int64_t deadline_ns) {
  problem::kernel_source(problem_);
  return compile_source(problem_.kernel, problem_.space.at(index), deadline_ns);
}

Compiled Candidates::compile_reference(std::int64_t deadline_ns) {
  problem::Kernel kernel = problem_.kernel;
  kernel.name = problem_.reference_kernel->name;
  kernel.file = problem_.reference_kernel->file;
  kernel.source = read_reference_source(problem_);
  return compile_source(kernel, problem_.default_configuration, deadline_ns);
}

void Candidates::check_limits(const problem::Geometry &geometry, std::uint64_t shared_bytes) const {
  bench_kernel_limits_v1 limits{};
  limits.struct_size = sizeof limits;
  bench_error_v1 error = error_struct();
  if (!ext_.limits || ext_.limits(plugin_.instance, place_.device, &limits, &error) != BENCH_OK)
    return;
  const auto refuse = [](const std::string &what) {
    throw Failure(BENCH_ERROR_OUT_OF_RESOURCES, what, "launch limits of the device",
                  "add a condition that leaves such configurations out");
  };
  std::uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const char name = static_cast<char>('x' + axis);
    threads *= geometry.block[static_cast<std::size_t>(axis)];
    const auto over = [&](const char *what, std::uint32_t value, std::uint32_t limit) {
      if (limit && value > limit)
        refuse(std::string(what) + "." + name + " is " + std::to_string(value) +
               ", the device allows " + std::to_string(limit));
    };
    over("block", geometry.block[static_cast<std::size_t>(axis)], limits.max_block[axis]);
    over("grid", geometry.grid[static_cast<std::size_t>(axis)], limits.max_grid[axis]);
  }
  if (limits.max_threads_per_block && threads > limits.max_threads_per_block) {
    refuse(std::to_string(threads) + " threads per block, the device allows " +
           std::to_string(limits.max_threads_per_block));
  }
  if (limits.max_shared_bytes && shared_bytes > limits.max_shared_bytes) {
    refuse(std::to_string(shared_bytes) + " bytes of shared memory, the device allows " +
           std::to_string(limits.max_shared_bytes));
  }
}

std::unique_ptr<Candidates::Loaded> Candidates::load_kernel(
    const problem::Configuration &configuration, const std::string &name,
    const std::vector<std::uint8_t> &binary) {
  auto loaded = std::make_unique<Loaded>(plugin_, ext_, place_.device);
  loaded->configuration = configuration;
  loaded->geometry = problem_.geometry(configuration);
  const std::uint64_t shared = problem_.shared_bytes(configuration);
  check_limits(loaded->geometry, shared);
  const bench_stream_v1 &stream = session().stream();
  bench_error_v1 error = error_struct();
  check(ext_.load(plugin_.instance, place_.device, &stream, binary.data(), binary.size(),
                  name.c_str(), parameter_pointers_.data(),
                  static_cast<std::uint32_t>(parameter_pointers_.size()), &loaded->kernel,
                  &loaded->resources, &error),
        error, "load");
  for (std::size_t i = 0; i < problem_.arguments.size(); ++i) {
    const problem::Argument &argument = problem_.arguments[i];
    if (argument.kind != problem::MemoryKind::symbol) continue;
    void *memory = nullptr;
    std::uint64_t size = 0;
    check(ext_.symbol(plugin_.instance, place_.device, loaded->kernel, argument.name.c_str(),
                      &memory, &size, &error),
          error, "symbol");
    if (size < argument.bytes()) {
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                    "the kernel's " + argument.name + " has " + std::to_string(size) +
                        " bytes, the problem gives " + std::to_string(argument.bytes()),
                    "symbol " + argument.name, "let both have one size");
    }
    check(plugin_.api->memory_copy(plugin_.instance, place_.device, memory, 0,
                                   buffers().initial(i).data(), 0, argument.bytes(),
                                   BENCH_COPY_TO_DEVICE, &stream, &error),
          error, "copy to symbol");
  }
  // Copies: the next configuration's sizes of local memory would change them under us.
  loaded->arguments = buffers().launch_arguments(configuration);
  loaded->sizes = buffers().launch_sizes();
  bench_kernel_launch_v1 &launch = loaded->launch;
  launch.struct_size = sizeof launch;
  launch.shared_bytes = static_cast<std::uint32_t>(shared);
  std::copy(loaded->geometry.grid.begin(), loaded->geometry.grid.end(), launch.grid);
  std::copy(loaded->geometry.block.begin(), loaded->geometry.block.end(), launch.block);
  launch.arguments = loaded->arguments.data();
  launch.argument_sizes = loaded->sizes.data();
  launch.argument_count = static_cast<std::uint32_t>(loaded->arguments.size());
  return loaded;
}

void Candidates::load(std::uint64_t index, const std::vector<std::uint8_t> &binary) {
  unload(index);
  loaded_[index] = load_kernel(problem_.space.at(index), problem_.kernel.name, binary);
}

void Candidates::unload(std::uint64_t index) {
  const auto found = loaded_.find(index);
  if (found == loaded_.end()) return;
  // What was recorded of the kernel must not outlive it.
  if (found->second->callable) session().drop(found->second->callable->callable);
  loaded_.erase(found);
}

const bench_kernel_resources_v1 &Candidates::resources(std::uint64_t index) {
  return loaded(index).resources;
}

measure::Energy Candidates::energy(std::uint64_t index, measure::EnergyOptions options) {
  options.is_partition = info_.partition[0] != '\0';
  return measure::with_step_downs(session(), [&] {
    return measure::measure_energy(session(), target_, callable(index), options);
  });
}

const bench_callable_v1 &Candidates::callable(std::uint64_t index) {
  Loaded &candidate = loaded(index);
  if (!candidate.callable) candidate.callable = std::make_unique<Callable>(*this, candidate);
  return candidate.callable->callable;
}

Candidates::Loaded &Candidates::loaded(std::uint64_t index) {
  const auto found = loaded_.find(index);
  if (found == loaded_.end())
    throw Failure(BENCH_ERROR_INTERNAL, "configuration " + std::to_string(index) + " is not loaded",
                  "worker", "please report this");
  return *found->second;
}

void Candidates::launch_once(Loaded &loaded) {
  bench_error_v1 error = error_struct();
  const bench_stream_v1 &stream = session().stream();
  check(
      ext_.launch(plugin_.instance, place_.device, loaded.kernel, &loaded.launch, &stream, &error),
      error, "launch");
  check(plugin_.api->stream_synchronize(plugin_.instance, place_.device, &stream, &error), error,
        "stream_synchronize");
}

void Candidates::keep_outputs(Loaded &loaded) {
  expected_.clear();
  expected_again_.clear();
  for (unsigned pass = 0; pass < Buffers::patterns; ++pass) {
    buffers().reset(pass);
    launch_once(loaded);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const problem::Argument &argument = problem_.arguments[rules_[i].argument];
      const std::vector<std::byte> &output = buffers().read(rules_[i].argument);
      if (pass == 0)
        expected_.emplace_back(argument, output);
      else if (output != expected_[i].bytes)
        expected_again_.emplace(i, Expected(argument, output));
    }
  }
}

const Expected &Candidates::expected(std::size_t rule, unsigned pass) const {
  const auto again = expected_again_.find(rule);
  return pass % Buffers::patterns == 0 || again == expected_again_.end() ? expected_[rule]
                                                                         : again->second;
}

void Candidates::make_reference(const std::vector<std::uint8_t> &binary) {
  if (!binary.empty()) {
    const auto reference =
        load_kernel(problem_.default_configuration, problem_.reference_kernel->name, binary);
    buffers().reset();
    launch_once(*reference);
    if (const auto damage = buffers().find_damage()) {
      throw Failure(BENCH_ERROR_CALLABLE_FAILED, "the reference kernel " + *damage,
                    "ReferenceKernel", "mend the reference: nothing can be compared with it");
    }
    keep_outputs(*reference);
    return;
  }
  expected_.clear();
  expected_again_.clear();
  for (const Rule &rule : rules_) {
    const problem::Argument &argument = problem_.arguments[rule.argument];
    const auto found =
        std::find_if(problem_.references.begin(), problem_.references.end(),
                     [&](const problem::Reference &r) { return r.target == argument.name; });
    expected_.emplace_back(argument, problem::fill_bytes(found->data));
  }
}

void Candidates::adopt(std::uint64_t index) {
  keep_outputs(loaded(index));
}

std::int64_t Candidates::verify(std::uint64_t index, std::uint32_t pass) {
  const auto failed = [](tune::EndState state, const std::string &what, const std::string &hint) {
    throw tune::VisitFailed(state,
                            {BENCH_ERROR_CALLABLE_FAILED, what, "verification", hint, 0, ""});
  };
  const std::int64_t begun = plugin_.clock().now_ns();
  buffers().reset(pass);
  launch_once(loaded(index));
  if (const auto damage = buffers().find_damage())
    failed(tune::EndState::wrong_output, *damage,
           "check the bounds of its loops, or declare the argument as written");
  for (std::size_t i = 0; i < rules_.size() && i < expected_.size(); ++i) {
    const auto mismatch = compare(problem_.arguments[rules_[i].argument], rules_[i],
                                  buffers().read(rules_[i].argument), expected(i, pass));
    if (!mismatch) continue;
    const auto state =
        mismatch->non_finite ? tune::EndState::non_finite : tune::EndState::wrong_output;
    if (pass == 0)
      failed(state, mismatch->what, "the configuration computes something else than the reference");
    failed(state, mismatch->what + ", in launch " + std::to_string(pass + 1),
           "it was right in the launch before: it leaves elements out, keeps something from launch "
           "to launch, or threads race in it");
  }
  return plugin_.clock().now_ns() - begun;
}

std::uint32_t Candidates::calibrate(std::uint64_t index) {
  const bench_callable_v1 &callable = this->callable(index);
  return measure::with_step_downs(session(), [&] {
    session().qualify(callable, nullptr);
    return session().choose_launches(callable, nullptr);
  });
}

std::vector<double> Candidates::visit(std::uint64_t index, std::uint32_t samples,
                                      std::uint32_t launches) {
  try {
    return session().visit(callable(index), nullptr, samples, launches);
  } catch (const measure::SteppedDown &) {
    session().qualify_timer();
    throw;
  }
}

measure::Measurement Candidates::measure(std::uint64_t index) {
  return measure::measure(session(), callable(index), nullptr);
}

void Candidates::pin(std::uint32_t core) {
  const auto *cpu = static_cast<const bench_ext_cpu_v1 *>(
      plugin_.api->get_extension(plugin_.instance, BENCH_EXT_CPU_V1));
  if (!cpu) {
    throw Failure(BENCH_ERROR_UNSUPPORTED, "the device's plugin cannot pin threads", plugin_.path,
                  "leave the option out, or use a device of class cpu");
  }
  bench_error_v1 error = error_struct();
  check(cpu->pin(plugin_.instance, core, &error), error, "pin");
}

void Candidates::lock_clock(double clock_hz) {
  const auto *telemetry = measure::find_extension<bench_ext_telemetry_v1>(
      *plugin_.api, plugin_.instance, BENCH_EXT_TELEMETRY_V1);
  if (!telemetry || !telemetry->lock_clock) {
    throw Failure(BENCH_ERROR_UNSUPPORTED, "the device's plugin cannot lock clocks", plugin_.path,
                  "leave the option out");
  }
  bench_error_v1 error = error_struct();
  check(telemetry->lock_clock(plugin_.instance, place_.device, &clock_hz, &error), error,
        "lock_clock");
  clock_locked_ = true;
}

void Candidates::unlock_clock() noexcept {
  if (!clock_locked_) return;
  clock_locked_ = false;
  const auto *telemetry = measure::find_extension<bench_ext_telemetry_v1>(
      *plugin_.api, plugin_.instance, BENCH_EXT_TELEMETRY_V1);
  bench_error_v1 error = error_struct();
  if (telemetry && telemetry->unlock_clock)
    telemetry->unlock_clock(plugin_.instance, place_.device, &error);
}

std::optional<double> Candidates::cycles(std::uint64_t index, std::string &reason) {
  const auto *cpu = static_cast<const bench_ext_cpu_v1 *>(
      plugin_.api->get_extension(plugin_.instance, BENCH_EXT_CPU_V1));
  if (!cpu) {
    reason = "the device's plugin counts no cycles";
    return std::nullopt;
  }
  const bench_callable_v1 &callable = this->callable(index);
  // One launch where another would find changed arguments; else enough that the reading costs
  // nothing.
  const std::uint32_t launches = (callable.flags & BENCH_CALLABLE_REPEATABLE) ? 10 : 1;
  bench_error_v1 error = error_struct();
  const bench_stream_v1 &stream = session().stream();
  if (callable.prepare) {
    check(callable.prepare(callable.user, nullptr, &stream, &error), error, "prepare");
  }
  std::uint64_t before = 0, after = 0;
  bench_status status = cpu->read_cycles(plugin_.instance, &before, &error);
  for (std::uint32_t i = 0; status == BENCH_OK && i < launches; ++i) {
    check(callable.launch(callable.user, nullptr, &stream, &error), error, "launch");
  }
  if (status == BENCH_OK) status = cpu->read_cycles(plugin_.instance, &after, &error);
  if (status != BENCH_OK) {
    reason = error_line(error_text(status, error));
    return std::nullopt;
  }
  return static_cast<double>(after - before) / launches;
}

std::optional<std::int64_t> Candidates::own_time_ns() {
  if (!plugin_.has_own_clock()) return std::nullopt;
  return plugin_.clock().now_ns();
}

std::int64_t Candidates::deadline_ns(std::int64_t timeout_ns) {
  return timeout_ns > 0 ? plugin_.clock().now_ns() + timeout_ns : 0;
}

measure::Cost Candidates::cost() const {
  return session_ ? session_->cost() : measure::Cost{};
}

}  // namespace bench::worker

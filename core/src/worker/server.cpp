// SPDX-License-Identifier: Apache-2.0
// The worker's side of the protocol.
#include <memory>
#include <nlohmann/json.hpp>

#include "loader/registry.hpp"
#include "worker/candidate.hpp"
#include "worker/channel.hpp"
#include "worker/memory_limit.hpp"
#include "worker/protocol.hpp"

namespace bench::worker {
namespace {

using nlohmann::json;

class Server {
 public:
  /// Nothing where the device lives in real time.
  std::optional<std::int64_t> own_time_ns() {
    return candidates_ ? candidates_->own_time_ns() : std::nullopt;
  }

  void give_back() noexcept {
    if (candidates_) candidates_->unlock_clock();
  }

  json answer(const json &request) {
    const std::string op = request.at("op");
    if (op == "init") return init(request);
    if (!candidates_)
      throw Failure(BENCH_ERROR_INTERNAL, "the worker got '" + op + "' before init", "worker",
                    "please report this");
    if (op == "compile") return compiled(candidates_->compile(index(request), deadline(request)));
    if (op == "compile-reference")
      return compiled(candidates_->compile_reference(deadline(request)));
    if (op == "load") {
      candidates_->load(index(request), bytes(request));
      return {{"resources", resources_json(candidates_->resources(index(request)))}};
    }
    if (op == "telemetry") return telemetry_json(candidates_->target());
    if (op == "unload")
      candidates_->unload(index(request));
    else if (op == "reference")
      candidates_->make_reference(bytes(request));
    else if (op == "adopt")
      candidates_->adopt(index(request));
    else if (op == "verify")
      return {{"elapsed_ns", candidates_->verify(index(request), request.at("pass"))}};
    else if (op == "calibrate")
      return {{"launches", candidates_->calibrate(index(request))}};
    else if (op == "visit")
      return with_cost([&] { return visit(request); });
    else if (op == "energy")
      return with_cost([&] { return energy(request); });
    else if (op == "measure")
      return measured(index(request), request.value("energy", false));
    else
      throw Failure(BENCH_ERROR_INTERNAL, "the worker does not know '" + op + "'", "worker",
                    "please report this");
    return json::object();
  }

 private:
  static std::uint64_t index(const json &request) { return request.at("index"); }
  std::int64_t deadline(const json &request) {
    return candidates_->deadline_ns(request.value("timeout_ns", std::int64_t{0}));
  }
  static std::vector<std::uint8_t> bytes(const json &request) {
    return request.at("binary").get_binary();
  }

  static json compiled(Compiled done) {
    return {{"binary", json::binary(std::move(done.binary))},
            {"log", done.log},
            {"elapsed_ns", done.elapsed_ns}};
  }

  json init(const json &request) {
    loader::Options options;
    options.paths = {request.at("plugin").get<std::string>()};
    options.use_environment = false;
    options.core_dir = options.libdir = "";  // the plugin that the tuner chose, and no other
    options.allow_world_writable = request.at("world_writable");
    registry_ = std::make_unique<loader::Registry>(options);
    problem_ = std::make_unique<problem::Problem>(problem::parse_problem(
        request.at("problem").get<std::string>(), request.at("origin").get<std::string>()));
    const measure::Policy policy = policy_of(request.at("policy"));
    const bench_device_v1 device = registry_->parse_device(request.at("device"));
    if (device.type == BENCH_DEVICE_CPU) limit_memory();
    candidates_ = std::make_unique<Candidates>(registry_->plugin_for_device(device), device,
                                               *problem_, policy);
    if (const double clock_hz = request.at("lock_clock_hz"); clock_hz > 0)
      candidates_->lock_clock(clock_hz);
    if (const std::uint32_t pinned = request.at("pin_core")) candidates_->pin(pinned - 1);
    return json::object();
  }

  json measured(std::uint64_t index, bool energy) {
    const json before = telemetry_json(candidates_->target());
    const measure::Measurement measurement = candidates_->measure(index);
    json reply = measurement_json(measurement);
    reply["telemetry"] = {{"before", before}, {"after", telemetry_json(candidates_->target())}};
    reply["resources"] = resources_json(candidates_->resources(index));
    if (energy) {
      measure::EnergyOptions options;
      options.launches = measurement.launches_per_window;
      reply["energy"] = energy_json(candidates_->energy(index, options));
    }
    std::string reason;
    const auto cycles = candidates_->cycles(index, reason);
    reply["cycles_per_launch"] = nullptr;
    if (cycles)
      reply["cycles_per_launch"] = *cycles;
    else
      reply["cycles_reason"] = reason;
    return reply;
  }

  template <typename Answer>
  json with_cost(const Answer &answer) {
    const measure::Cost before = candidates_->cost();
    json reply = answer();
    const measure::Cost cost = candidates_->cost() - before;
    reply["cost"] = {
        {"warmup", cost.warmup_ns}, {"flush", cost.flush_ns}, {"timed", cost.timed_ns}};
    return reply;
  }

  json energy(const json &request) {
    measure::EnergyOptions options;
    options.launches = request.at("launches");
    options.busy_ns = request.at("busy_ns");
    options.idle_ns = 0;
    return energy_json(candidates_->energy(index(request), options));
  }

  json visit(const json &request) {
    std::vector<double> samples;
    bool stepped_down = false;
    try {
      samples = candidates_->visit(index(request), request.at("samples"), request.at("launches"));
    } catch (const measure::SteppedDown &) {
      stepped_down = true;  // the race has to start again
    }
    return {{"samples", samples}, {"stepped_down", stepped_down}};
  }

  std::unique_ptr<loader::Registry> registry_;
  std::unique_ptr<problem::Problem> problem_;
  std::unique_ptr<Candidates> candidates_;
};

json failed(const ErrorText &text) {
  return {{"error", error_json(text)}};
}

}  // namespace

int worker_main(int descriptor) {
  be_first_without_memory();
  Channel channel(descriptor);
  Server server;
  json request;
  while (channel.receive(request, 0) == Received::message) {
    json reply;
    try {
      reply = server.answer(request);
    } catch (const tune::VisitFailed &failure) {
      reply = failed(failure.error());
      reply["state"] = tune::end_state_name(failure.state());
    } catch (const Failure &failure) {
      reply = failed(failure.text());
    } catch (const std::bad_alloc &) {
      reply = failed({BENCH_ERROR_OUT_OF_RESOURCES, "host memory is exhausted", "worker",
                      "use a smaller problem", 0, ""});
    } catch (const std::exception &error) {
      reply = failed({BENCH_ERROR_INTERNAL, error.what(), "worker", "please report this", 0, ""});
    }
    // Time that passes on the device only, for limits of the whole tune.
    if (const auto own = server.own_time_ns()) reply["clock_ns"] = *own;
    if (!channel.send(reply)) break;
  }
  // Kernels may have left the process in any state: nothing of it is worth an orderly end, but for
  // what outlives it.
  server.give_back();
  _exit(0);
}

}  // namespace bench::worker

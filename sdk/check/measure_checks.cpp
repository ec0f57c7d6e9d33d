// SPDX-License-Identifier: Apache-2.0
// do_bench: order and number of callbacks, limits, refusals.
#include <cmath>
#include <cstring>
#include <ctime>
#include <random>
#include <thread>

#include "plugin.hpp"

namespace check {
namespace {

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

void work_ns(std::int64_t length) {
  const std::int64_t end = now_ns() + length;
  while (now_ns() < end) {
  }
}

/// A callable that keeps books. It enqueues nothing: its work is the host's.
struct Measurement {
  explicit Measurement(const Options &options) : bed(options), thread(std::this_thread::get_id()) {
    if (!bed.plugin.api().do_bench) throw NotHere("it has no do_bench; the core's engine measures");
    callable.struct_size = sizeof callable;
    callable.flags = BENCH_CALLABLE_SYNCHRONOUS;
    callable.user = this;
    callable.launch = [](void *user, auto...) {
      return static_cast<Measurement *>(user)->called('l');
    };
    params.struct_size = sizeof params;
    params.warmup_launches = 2;
    params.min_samples = 3;
    params.max_samples = 5;
    params.launches_per_sample = 1;
    result.struct_size = sizeof result;
    result.samples = samples;
    result.capacity = 16;
    std::memset(samples, 0, sizeof samples);
  }
  void prepare() {
    callable.prepare = [](void *user, auto...) {
      return static_cast<Measurement *>(user)->called('p');
    };
  }
  void restore() {
    callable.restore = [](void *user, auto...) {
      return static_cast<Measurement *>(user)->called('r');
    };
  }
  bench_status called(char which) {
    other_thread = other_thread || std::this_thread::get_id() != thread;
    order += which;
    if (which == 'l' && length_ns) work_ns(length_ns);
    if (order.size() == fail_at) {
      return fail_status;
    }
    return BENCH_OK;
  }
  bench_status run() {
    error = new_error();
    const bench_status status = bed.plugin.api().do_bench(
        bed.instance.get(), bed.device, nullptr, &callable, nullptr, &params, &result, &error);
    require(!other_thread, "a callback was called on another thread than do_bench");
    require(result.written <= result.capacity && result.written <= result.taken,
            "written " + std::to_string(result.written) + " is above capacity or taken " +
                std::to_string(result.taken));
    return status;
  }
  void expect(bench_status wanted, const char *why) {
    const std::string before = order;
    const bench_status status = run();
    require(status == wanted, std::string(why) + " gave " + std::to_string(status) + ", expected " +
                                  std::to_string(wanted));
    require(order == before, std::string(why) + " was refused after a callback");
    require_error_filled("do_bench", status, error);
  }
  bool coarse() const { return result.flags & BENCH_RESULT_COARSE; }
  std::size_t count(char which) const {
    std::size_t number = 0;
    for (const char c : order) number += c == which;
    return number;
  }

  Bed bed;
  std::thread::id thread;
  bench_callable_v1 callable{};
  bench_params_v1 params{};
  bench_result_v1 result{};
  bench_sample_v1 samples[17];
  bench_error_v1 error{};
  std::string order;
  std::int64_t length_ns = 0;
  std::size_t fail_at = 0;
  bench_status fail_status = BENCH_ERROR_CALLABLE_FAILED;
  bool other_thread = false;
};

void samples(const Options &options) {
  Measurement m(options);
  require_good("do_bench", m.run(), m.error);
  require(m.coarse() || (m.result.taken >= 3 && m.result.taken <= 5),
          "3 to 5 samples were asked for and " + std::to_string(m.result.taken) +
              " taken, without COARSE");
  for (std::uint32_t i = 0; i < m.result.written; ++i) {
    require(m.samples[i].launches >= 1, "a sample has no launch");
    require(std::isfinite(m.samples[i].elapsed_ns), "a sample's time is not finite");
    require(m.samples[i].elapsed_ns >= 0 || (m.samples[i].flags & BENCH_SAMPLE_NEGATIVE),
            "a negative sample is not marked");
    require(m.samples[i].elapsed_ns != 0 || (m.samples[i].flags & BENCH_SAMPLE_ZERO),
            "a zero sample is not marked");
  }
}

void capacity(const Options &options) {
  Measurement m(options);
  m.result.capacity = 1;
  std::memset(m.samples, 0x5a, sizeof m.samples);
  require_good("do_bench", m.run(), m.error);
  unsigned char untouched[sizeof(bench_sample_v1)];
  std::memset(untouched, 0x5a, sizeof untouched);
  require(std::memcmp(&m.samples[1], untouched, sizeof untouched) == 0,
          "a sample was written beyond the capacity");
  require(m.coarse() || m.result.taken >= 3, "taken stops at the capacity; it counts all samples");
}

void no_capacity(const Options &options) {
  Measurement m(options);
  m.result.capacity = 0;
  m.result.samples = nullptr;
  require_good("do_bench", m.run(), m.error);
  require(m.result.written == 0, "samples were written although there is no room");
}

void warmup(const Options &options) {
  Measurement m(options);
  require_good("do_bench", m.run(), m.error);
  if (m.coarse()) throw Doubtful("it does not obey the limits (COARSE)");
  require(m.count('l') == 2 + m.result.taken,
          std::to_string(m.count('l')) + " launches for 2 of warm-up and " +
              std::to_string(m.result.taken) + " samples of one launch");
}

void prepare_each(const Options &options) {
  Measurement m(options);
  m.prepare();
  m.restore();
  require_good("do_bench", m.run(), m.error);
  require(m.count('r') == 1 && m.order.back() == 'r',
          "restore must be called once and last; the order was " + m.order);
  for (std::size_t i = 0; i + 1 < m.order.size(); ++i)
    require(m.order[i] != (i % 2 ? 'p' : 'l'),
            "without REPEATABLE each launch has one prepare before it; the order was " + m.order);
}

void prepare_once(const Options &options) {
  Measurement m(options);
  m.callable.flags |= BENCH_CALLABLE_REPEATABLE;
  m.prepare();
  require_good("do_bench", m.run(), m.error);
  require(m.order.rfind("pl", 0) == 0 && m.order.find("pp") == std::string::npos,
          "prepare comes before the first warm-up launch and never twice in a row; the order was " +
              m.order);
}

void launch_fails(const Options &options) {
  Measurement m(options);
  m.restore();
  m.fail_at = 4;
  m.fail_status = BENCH_ERROR_CONFIG_REJECTED;
  const bench_status status = m.run();
  require(status == BENCH_ERROR_CONFIG_REJECTED,
          "the callback's status -1 came back as " + std::to_string(status));
  require(m.result.flags & BENCH_RESULT_FROM_CALLBACK,
          "FROM_CALLBACK is not set after a callback's failure");
  require(m.count('l') == 4, "launches went on after one had failed: " + m.order);
  require(m.order.back() == 'r' && m.count('r') == 1,
          "restore was not called once after a failure: " + m.order);
}

void prepare_fails(const Options &options) {
  Measurement m(options);
  m.prepare();
  m.fail_at = 1;
  const bench_status status = m.run();
  require(status == BENCH_ERROR_CALLABLE_FAILED,
          "prepare's status -4 came back as " + std::to_string(status));
  require(m.count('l') == 0, "launch was called after prepare had failed");
}

void lost_device(const Options &options) {
  Measurement m(options);
  m.restore();
  m.fail_at = 1;
  m.fail_status = BENCH_ERROR_DEVICE_LOST;
  require(m.run() == BENCH_ERROR_DEVICE_LOST,
          "DEVICE_LOST of a callback did not come back unchanged");
  require(m.count('r') == 0, "restore was called after DEVICE_LOST");
}

void should_stop(const Options &options) {
  Measurement m(options);
  m.params.should_stop_user = &m;
  m.params.should_stop = [](void *user) {
    return std::int32_t(static_cast<Measurement *>(user)->count('l') >= 4);
  };
  const bench_status status = m.run();
  if (m.coarse()) throw Doubtful("it does not obey the limits (COARSE)");
  require(status == BENCH_ERROR_CANCELLED,
          "should_stop gave " + std::to_string(status) + ", expected CANCELLED (-11)");
  require(m.count('l') == 4, "a launch came after should_stop had said so");
}

void past_deadline(const Options &options) {
  Measurement m(options);
  m.prepare();
  m.params.deadline_ns = 1;
  const bench_status status = m.run();
  require(status == BENCH_ERROR_TIMEOUT,
          "a deadline in the past gave " + std::to_string(status) + ", expected TIMEOUT (-10)");
  require(m.order.empty(), "a deadline in the past still made callbacks: " + m.order);
}

void deadline(const Options &options) {
  Measurement m(options);
  m.length_ns = 5000000;
  m.params.min_samples = 1;
  m.params.max_samples = 2000;  // ten seconds of work
  m.params.deadline_ns = now_ns() + 100000000;
  const bench_status status = m.run();
  if (m.coarse()) throw Doubtful("it does not obey the limits (COARSE)");
  require(status == BENCH_ERROR_TIMEOUT,
          "the deadline passed and do_bench gave " + std::to_string(status));
}

void unknown_wishes(const Options &options) {
  {
    Measurement m(options);
    m.params.required = 0x80000000u;
    m.expect(BENCH_ERROR_UNSUPPORTED, "an unknown bit of params.required");
  }
  {
    Measurement m(options);
    m.callable.required = 1;
    m.expect(BENCH_ERROR_UNSUPPORTED, "an unknown bit of callable.required");
  }
  Measurement m(options);
  m.params.cache = 77;
  m.expect(BENCH_ERROR_UNSUPPORTED, "an unknown cache mode");
}

void unknown_flags(const Options &options) {
  Measurement m(options);
  m.callable.flags |= 0x80000000u;
  m.params.reserved = m.callable.reserved = 0;
  require_good("do_bench with an unknown bit of flags", m.run(), m.error);
}

void bad_arguments(const Options &options) {
  for (int which = 0; which < 4; ++which) {
    Measurement m(options);
    if (which == 0) m.callable.launch = nullptr;
    if (which == 1) m.params.max_samples = m.params.min_samples = 0;
    if (which == 2) m.params.min_samples = m.params.max_samples + 1;
    if (which == 3) m.result.samples = nullptr;
    static const char *const names[] = {"no launch", "max_samples 0",
                                        "max_samples below min_samples",
                                        "no samples with a capacity"};
    m.expect(BENCH_ERROR_INVALID_ARGUMENT, names[which]);
  }
}

void small_structs(const Options &options) {
  for (int which = 0; which < 3; ++which) {
    Measurement m(options);
    (which == 0   ? m.callable.struct_size
     : which == 1 ? m.params.struct_size
                  : m.result.struct_size) = 8;
    const std::uint32_t written = m.result.written;
    bench_error_v1 error = new_error();
    const bench_status status =
        m.bed.plugin.api().do_bench(m.bed.instance.get(), m.bed.device, nullptr, &m.callable,
                                    nullptr, &m.params, &m.result, &error);
    static const char *const names[] = {"callable", "params", "result"};
    require(status == BENCH_ERROR_INVALID_ARGUMENT,
            std::string(names[which]) + " below its 1.0 size gave " + std::to_string(status) +
                ", expected INVALID_ARGUMENT (-13)");
    require(m.order.empty() && written == 0,
            std::string(names[which]) + " below its 1.0 size: callbacks were made");
  }
}

void wrong_device(const Options &options) {
  Measurement m(options);
  m.bed.device.id = 999999;
  m.expect(BENCH_ERROR_NO_DEVICE, "a device that is not listed");
}

void null_error(const Options &options) {
  Measurement m(options);
  m.params.max_samples = m.params.min_samples = 0;
  m.bed.plugin.api().do_bench(m.bed.instance.get(), m.bed.device, nullptr, &m.callable, nullptr,
                              &m.params, &m.result, nullptr);
}

void known_length(const Options &options) {
  Measurement m(options);
  m.length_ns = 2000000;
  require_good("do_bench", m.run(), m.error);
  if (m.result.method != BENCH_METHOD_HOST)
    throw NotHere("it measures with the device's clock, in which work of the host takes no time");
  for (std::uint32_t i = 0; i < m.result.written; ++i)
    require(
        m.samples[i].elapsed_ns + m.result.resolution_ns >=
            double(m.length_ns) * m.samples[i].launches,
        "work of 2000000 ns was measured as " + std::to_string(m.samples[i].elapsed_ns) + " ns");
}

void hooks_untimed(const Options &options) {
  Measurement m(options);
  constexpr std::int64_t hook_ns = 300000000;
  m.params.warmup_launches = 0;
  m.params.min_samples = m.params.max_samples = 1;
  m.callable.prepare = [](void *, auto...) { return work_ns(hook_ns), BENCH_OK; };
  m.callable.restore = m.callable.prepare;
  require_good("do_bench", m.run(), m.error);
  if (m.coarse()) throw Doubtful("it does not obey the limits (COARSE)");
  for (std::uint32_t i = 0; i < m.result.written; ++i)
    require(m.samples[i].elapsed_ns < double(hook_ns),
            "prepare or restore, of 0.3 s each, is inside a window");
}

/// Any mix of legal parameters: the books must balance.
void fuzz(const Options &options) {
  std::mt19937_64 random(options.seed);
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round) {
    Measurement m(options);
    m.params.warmup_launches = std::uint32_t(random() % 4);
    m.params.min_samples = std::uint32_t(random() % 8);
    m.params.max_samples = m.params.min_samples + 1 + std::uint32_t(random() % 8);
    m.params.launches_per_sample = std::uint32_t(random() % 2);
    m.result.capacity = std::uint32_t(random() % 17);
    m.callable.flags = BENCH_CALLABLE_SYNCHRONOUS | (random() % 2 ? BENCH_CALLABLE_REPEATABLE : 0u);
    m.params.cache = random() % 2 ? BENCH_CACHE_COLD : BENCH_CACHE_HOT;
    if (random() % 2) m.prepare();
    if (random() % 2) m.restore();
    if (random() % 3 == 0) m.fail_at = 1 + std::size_t(random() % 12);
    const bench_status status = m.run();
    require(status == BENCH_OK || status == BENCH_ERROR_CALLABLE_FAILED,
            told("do_bench", status, m.error) + " in round " + std::to_string(round));
    require(!m.callable.restore || m.order.empty() || m.count('r') == 1,
            "restore was called " + std::to_string(m.count('r')) + " times in round " +
                std::to_string(round));
  }
}

}  // namespace

const std::vector<Check> &measure_checks() {
  static const std::vector<Check> checks = {
      {"measure.samples",
       "Samples are as many as asked for, finite, and marked where negative or zero.", samples},
      {"measure.capacity", "Samples stay within the buffer; taken counts them all.", capacity},
      {"measure.no_capacity", "A capacity of 0 without a buffer is no error.", no_capacity},
      {"measure.warmup", "Warm-up launches are as many as asked for and not recorded.", warmup},
      {"measure.prepare_each", "prepare precedes every launch; restore comes once, last.",
       prepare_each},
      {"measure.prepare_once", "A REPEATABLE callable is prepared before all warm-up.",
       prepare_once},
      {"measure.launch_fails",
       "A launch's failure ends it, comes back unchanged, and restore still runs.", launch_fails},
      {"measure.prepare_fails", "No launch follows a prepare that failed.", prepare_fails},
      {"measure.lost_device", "After DEVICE_LOST nothing is restored.", lost_device},
      {"measure.should_stop", "should_stop ends it between samples, as CANCELLED.", should_stop},
      {"measure.past_deadline", "A deadline in the past is TIMEOUT without a callback.",
       past_deadline},
      {"measure.deadline", "No window starts after the deadline.", deadline},
      {"measure.unknown_wishes",
       "What must not be ignored and is unknown is UNSUPPORTED, before any callback.",
       unknown_wishes},
      {"measure.unknown_flags", "Unknown bits of flags are ignored.", unknown_flags},
      {"measure.bad_arguments",
       "No launch, no samples or no buffer is INVALID_ARGUMENT, before any callback.",
       bad_arguments},
      {"measure.small_structs",
       "A struct below its 1.0 size is INVALID_ARGUMENT, before any callback.", small_structs},
      {"measure.wrong_device", "A device that is not listed is NO_DEVICE, before any callback.",
       wrong_device},
      {"measure.null_error", "error may be NULL.", null_error},
      {"measure.known_length", "Work of a known length is not measured as shorter.", known_length},
      {"measure.hooks_untimed", "prepare and restore are outside the window.", hooks_untimed},
      {"measure.fuzz", "Any mix of legal parameters keeps the rules.", fuzz},
  };
  return checks;
}

}  // namespace check

// SPDX-License-Identifier: Apache-2.0
#include "worker/buffers.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace bench::worker {
namespace {

// Wide enough for an off-by-one row of a small matrix, small beside any real argument; a multiple
// of 256 keeps the data as aligned as the allocation.
constexpr std::uint64_t guard_bytes = 4096;
// One of each for each pass. All bits set is NaN in every real type, and -1 in every signed one,
// which an output may well be: the second pattern is no number that anybody computes.
constexpr std::uint8_t guard_values[Buffers::patterns] = {0xA5, 0x3C};
constexpr std::uint8_t poison_values[Buffers::patterns] = {0xFF, 0x5B};

bool reads(const problem::Argument &argument) {
  return (argument.access & BENCH_ACCESS_READ) != 0;
}
bool writes(const problem::Argument &argument) {
  return (argument.access & BENCH_ACCESS_WRITE) != 0;
}
bool in_memory(const problem::Argument &argument) {
  return argument.kind == problem::MemoryKind::vector;
}

void check(bench_status status, const bench_error_v1 &error, const char *where) {
  if (status != BENCH_OK) throw Failure(status, error, where);
}

}  // namespace

Buffers::Buffers(const Place &place, const problem::Problem &problem, const bench_stream_v1 &stream)
    : place_(place), problem_(problem), stream_(stream), slots_(problem.arguments.size()) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const problem::Argument &argument = problem.arguments[i];
    Slot &slot = slots_[i];
    if (argument.kind == problem::MemoryKind::local) continue;
    slot.initial = problem::fill_bytes(argument);
    if (!in_memory(argument)) continue;
    slot.lead = place.opaque_memory ? 0 : guard_bytes;
    slot.base = allocate(argument, slot.lead + argument.bytes() + guard_bytes);
    slot.data = place.opaque_memory ? slot.base : static_cast<std::byte *>(slot.base) + slot.lead;
    if (reads(argument) && writes(argument)) {
      has_in_out_ = true;
      slot.saved = allocate(argument, argument.bytes());
      upload(slot.saved, 0, slot.initial.data(), argument.bytes());
    }
  }
  reset();
}

Buffers::~Buffers() {
  for (Slot &slot : slots_) {
    if (slot.base) place_.api->memory_free(place_.instance, place_.device, slot.base);
    if (slot.saved) place_.api->memory_free(place_.instance, place_.device, slot.saved);
  }
}

void *Buffers::allocate(const problem::Argument &argument, std::uint64_t bytes) {
  void *memory = nullptr;
  bench_error_v1 error = error_struct();
  const bench_status status =
      place_.api->memory_allocate(place_.instance, place_.device, &stream_, bytes, &memory, &error);
  if (status != BENCH_OK) {
    ErrorText text = error_text(status, error);
    text.where = "argument " + argument.name + " of " + std::to_string(argument.bytes()) + " bytes";
    if (text.hint.empty()) text.hint = "use a smaller problem, or a device with more memory";
    throw Failure(text);
  }
  return memory;
}

void Buffers::upload(void *target, std::uint64_t offset, const void *source, std::uint64_t bytes) {
  if (bytes == 0) return;
  bench_error_v1 error = error_struct();
  check(place_.api->memory_copy(place_.instance, place_.device, target, offset, source, 0, bytes,
                                BENCH_COPY_TO_DEVICE, &stream_, &error),
        error, "copy to the device");
}

void Buffers::set(void *target, std::uint64_t offset, std::uint8_t value, std::uint64_t bytes) {
  bench_error_v1 error = error_struct();
  check(place_.api->memory_set(place_.instance, place_.device, target, offset, value, bytes,
                               &stream_, &error),
        error, "fill of device memory");
}

const std::vector<std::byte> &Buffers::download(const void *source, std::uint64_t offset,
                                                std::uint64_t bytes) {
  downloaded_.resize(bytes);
  if (bytes == 0) return downloaded_;
  bench_error_v1 error = error_struct();
  check(place_.api->memory_copy(place_.instance, place_.device, downloaded_.data(), 0, source,
                                offset, bytes, BENCH_COPY_FROM_DEVICE, &stream_, &error),
        error, "copy from the device");
  return downloaded_;
}

void Buffers::reset(unsigned pass) {
  pass_ = pass;
  const std::uint8_t guard = guard_values[pass % patterns];
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const problem::Argument &argument = problem_.arguments[i];
    Slot &slot = slots_[i];
    if (!slot.base) continue;
    if (slot.lead) set(slot.base, 0, guard, slot.lead);
    set(slot.base, slot.lead + argument.bytes(), guard, guard_bytes);
    if (!reads(argument)) {
      set(slot.base, slot.lead, poison_values[pass % patterns], argument.bytes());
    } else if (pass == 0 || writes(argument)) {
      upload(slot.base, slot.lead, slot.initial.data(), argument.bytes());
    }
  }
}

bench_status Buffers::restore_written(const bench_stream_v1 &stream, bench_error_v1 *error) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].saved) continue;
    const bench_status status = place_.api->memory_copy(
        place_.instance, place_.device, slots_[i].base, slots_[i].lead, slots_[i].saved, 0,
        problem_.arguments[i].bytes(), BENCH_COPY_ON_DEVICE, &stream, error);
    if (status != BENCH_OK) return status;
  }
  return BENCH_OK;
}

std::optional<std::string> Buffers::find_damage() {
  const std::byte whole{guard_values[pass_ % patterns]};
  const auto damaged = [&](const std::vector<std::byte> &guard) {
    return std::count_if(guard.begin(), guard.end(), [&](std::byte b) { return b != whole; });
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const problem::Argument &argument = problem_.arguments[i];
    const Slot &slot = slots_[i];
    if (!slot.base) continue;
    const auto before = damaged(download(slot.base, 0, slot.lead));
    const auto after = damaged(download(slot.base, slot.lead + argument.bytes(), guard_bytes));
    if (before || after) {
      return "wrote outside argument " + argument.name + ": " +
             std::to_string(before ? before : after) + " bytes changed " +
             (before ? "before its first" : "after its last") + " element";
    }
    if (!writes(argument) && pass_ == 0 &&
        download(slot.base, slot.lead, argument.bytes()) != slot.initial) {
      return "changed argument " + argument.name + ", which is declared as read only";
    }
  }
  return std::nullopt;
}

const std::vector<std::byte> &Buffers::read(std::size_t index) {
  return download(slots_[index].base, slots_[index].lead, problem_.arguments[index].bytes());
}

const std::vector<const void *> &Buffers::launch_arguments(
    const problem::Configuration &configuration) {
  launch_arguments_.clear();
  launch_sizes_.clear();
  const auto pass = [&](const void *value, std::uint64_t size) {
    launch_arguments_.push_back(value);
    launch_sizes_.push_back(size);
  };
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const problem::Argument &argument = problem_.arguments[i];
    switch (argument.kind) {
      case problem::MemoryKind::vector:
        pass(&slots_[i].data, sizeof slots_[i].data);
        break;
      case problem::MemoryKind::scalar:
        pass(slots_[i].initial.data(), slots_[i].initial.size());
        break;
      case problem::MemoryKind::local:
        slots_[i].local_bytes = problem_.local_bytes(argument, configuration);
        pass(&slots_[i].local_bytes, sizeof slots_[i].local_bytes);
        break;
      case problem::MemoryKind::symbol:
        break;  // set through the module, not passed
    }
  }
  return launch_arguments_;
}

}  // namespace bench::worker

// SPDX-License-Identifier: Apache-2.0
#include "tune/tuner_choices.hpp"

namespace bench::tune {

namespace {
constexpr std::uint64_t first_capacity = 16;  // a power of two, as every later one
}

TunerChoices::Table::Table(std::uint64_t capacity)
    : mask(capacity - 1), slots(new std::atomic<const Choice *>[capacity]()) {}

void TunerChoices::Table::insert(const Choice *choice) noexcept {
  std::uint64_t at = choice->hash;
  while (slots[at & mask].load(std::memory_order_relaxed)) ++at;
  // Release: a reader that sees the pointer sees the choice behind it.
  slots[at & mask].store(choice, std::memory_order_release);
}

TunerChoices::TunerChoices() {
  tables_.push_back(std::make_unique<Table>(first_capacity));
  current_.store(tables_.back().get(), std::memory_order_release);
}

const Choice *TunerChoices::publish(std::unique_ptr<const Choice> choice) {
  const std::lock_guard lock(mutex_);
  choices_.reserve(choices_.size() + 1);
  Table *table = tables_.back().get();
  // At most half full: probes stay short and always meet an empty slot.
  if (2 * (choices_.size() + 1) > table->mask + 1) {
    auto larger = std::make_unique<Table>(2 * (table->mask + 1));
    for (const auto &each : choices_) larger->insert(each.get());
    tables_.push_back(std::move(larger));
    table = tables_.back().get();
  }
  choices_.push_back(std::move(choice));
  const Choice *published = choices_.back().get();
  table->insert(published);
  current_.store(table, std::memory_order_release);
  return published;
}

std::size_t TunerChoices::size() const {
  const std::lock_guard lock(mutex_);
  return choices_.size();
}

}  // namespace bench::tune

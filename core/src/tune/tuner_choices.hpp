// SPDX-License-Identifier: Apache-2.0
// The table behind a hit: key -> choice. Reading takes no lock, allocates nothing and asks the
// system for nothing. Slots are published one by one; a table that grew too small stays allocated
// until the tuner dies, since a reader may still be inside (all tables together are at most twice
// the last one).
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace bench::tune {

/// Immutable once published.
struct Choice {
  std::uint64_t hash = 0;
  std::vector<std::uint64_t> key;  ///< words of dispatch::key_words
  std::uint64_t index = 0;         ///< of the configuration
  std::string report;              ///< JSON, for bench_tuner_report_json
};

class TunerChoices {
 public:
  TunerChoices();
  TunerChoices(const TunerChoices &) = delete;  // readers hold pointers into it
  TunerChoices &operator=(const TunerChoices &) = delete;

  /// `same(key words)` decides: two keys may share a hash.
  template <typename Same>
  const Choice *find(std::uint64_t hash, Same &&same) const noexcept {
    const Table *table = current_.load(std::memory_order_acquire);
    for (std::uint64_t at = hash;; ++at) {
      const Choice *choice = table->slots[at & table->mask].load(std::memory_order_acquire);
      if (!choice) return nullptr;  // a table is never full
      if (choice->hash == hash && same(choice->key)) return choice;
    }
  }

  /// The caller makes sure that the key is new.
  const Choice *publish(std::unique_ptr<const Choice> choice);
  std::size_t size() const;

 private:
  struct Table {
    explicit Table(std::uint64_t capacity);
    std::uint64_t mask;
    std::unique_ptr<std::atomic<const Choice *>[]> slots;
    void insert(const Choice *choice) noexcept;
  };
  std::atomic<const Table *> current_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<std::unique_ptr<const Choice>> choices_;
};

}  // namespace bench::tune

// SPDX-License-Identifier: Apache-2.0
// Everything, in the order of the space.
#include "search/strategy.hpp"

namespace bench::search {
namespace {

class Exhaustive final : public Strategy {
 public:
  std::vector<std::uint64_t> propose(History &history, std::size_t count, double) override {
    std::vector<std::uint64_t> proposals;
    for (; next_ < history.landscape().size() && proposals.size() < count; ++next_) {
      if (history.known(next_)) continue;
      history.claim(next_);
      proposals.push_back(next_);
    }
    return proposals;
  }

 private:
  std::uint64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive() {
  return std::make_unique<Exhaustive>();
}

}  // namespace bench::search

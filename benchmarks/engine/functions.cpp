// SPDX-License-Identifier: Apache-2.0
// Six functions from 50 ns to 10 ms: chains of dependent multiplications, whose time the data do
// not change.
#include <cstdint>

namespace {

std::uint64_t state = 0x9e3779b97f4a7c15u;

void chain(std::uint64_t steps) {
  std::uint64_t x = state;
  for (std::uint64_t i = 0; i < steps; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(x));  // neither folded nor vectorised
  }
  state = x | 1;
}

}  // namespace

extern "C" {
void work_50ns() {
  chain(54);
}
void work_500ns() {
  chain(530);
}
void work_5us() {
  chain(5'300);
}
void work_50us() {
  chain(53'000);
}
void work_1ms() {
  chain(1'050'000);
}
void work_10ms() {
  chain(10'500'000);
}
}

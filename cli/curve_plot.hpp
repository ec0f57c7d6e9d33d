// SPDX-License-Identifier: Apache-2.0
// Best-so-far against evaluations as an SVG picture.
#pragma once
#include <string>
#include <vector>

namespace cli {

struct Curve {
  std::string name;
  std::vector<double> values;  // after 1, 2, .. evaluations; 1 is the optimum
};

std::string curve_plot(const std::string &title, const std::vector<Curve> &curves);

}  // namespace cli

// SPDX-License-Identifier: Apache-2.0
#include "curve_plot.hpp"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>

namespace cli {
namespace {

constexpr double width = 720, height = 440, left = 64, right = 20, top = 40, bottom = 48;
// Distinct also for those who see no red or green (Okabe and Ito).
constexpr const char *colours[] = {"#555555", "#0072b2", "#d55e00", "#009e73",
                                   "#cc79a7", "#e69f00", "#56b4e9", "#000000"};

std::string escaped(const std::string &text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string curve_plot(const std::string &title, const std::vector<Curve> &curves) {
  std::size_t most = 2;
  double highest = 1.05;
  for (const Curve &curve : curves) {
    most = std::max(most, curve.values.size());
    // The first few evaluations are off the scale for everybody.
    if (curve.values.size() > 4) highest = std::max(highest, curve.values[4]);
  }
  highest = std::min(highest, 10.0);
  const auto x_of = [&](double evaluation) {
    return left + (width - left - right) * (evaluation - 1.0) / static_cast<double>(most - 1);
  };
  const auto y_of = [&](double value) {
    const double part = std::log(std::clamp(value, 1.0, highest)) / std::log(highest);
    return height - bottom - (height - top - bottom) * part;
  };
  std::ostringstream svg;
  svg.imbue(std::locale::classic());
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height
      << "\" font-family=\"sans-serif\" font-size=\"12\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      << "<text x=\"" << left << "\" y=\"22\" font-size=\"15\">" << escaped(title) << "</text>\n";
  for (int step = 0; step <= 4; ++step) {
    const double value = std::exp(std::log(highest) * step / 4.0);
    svg << "<line x1=\"" << left << "\" x2=\"" << width - right << "\" y1=\"" << y_of(value)
        << "\" y2=\"" << y_of(value) << "\" stroke=\"#dddddd\"/>\n<text x=\"" << left - 6
        << "\" y=\"" << y_of(value) + 4 << "\" text-anchor=\"end\">"
        << std::round(value * 100.0) / 100.0 << "</text>\n";
    const double evaluation = 1.0 + static_cast<double>(most - 1) * step / 4.0;
    svg << "<text x=\"" << x_of(evaluation) << "\" y=\"" << height - bottom + 18
        << "\" text-anchor=\"middle\">" << std::round(evaluation) << "</text>\n";
  }
  svg << "<text x=\"" << width / 2 << "\" y=\"" << height - 10
      << "\" text-anchor=\"middle\">evaluations</text>\n"
      << "<text transform=\"translate(16," << height / 2
      << ") rotate(-90)\" text-anchor=\"middle\">best so far / optimum</text>\n";
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const char *colour = colours[c % std::size(colours)];
    svg << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
    for (std::size_t k = 0; k < curves[c].values.size(); ++k)
      svg << (k ? " " : "") << x_of(static_cast<double>(k + 1)) << ',' << y_of(curves[c].values[k]);
    svg << "\"/>\n<text fill=\"" << colour << "\" x=\"" << width - right - 150 << "\" y=\""
        << top + 16 * static_cast<double>(c + 1) << "\">" << escaped(curves[c].name) << "</text>\n";
  }
  svg << "</svg>\n";
  return svg.str();
}

}  // namespace cli

// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <map>

#include "outcome.hpp"

namespace check {
namespace {

/// For the shell, as a user would paste it.
std::string quoted(const std::string &text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string json_string(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", unsigned(c));
      result += escaped;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string xml_text(const std::string &text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      result += '?';
    else
      result += c;
  }
  return result;
}

std::string seconds_text(double seconds) {
  // Whole milliseconds and a point: the locale's comma would make the JSON invalid.
  const long long ms = static_cast<long long>(seconds * 1e3);
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", ms / 1000, ms % 1000);
  return text;
}

std::map<Verdict, int> counts(const std::vector<Outcome> &outcomes) {
  std::map<Verdict, int> result;
  for (const Outcome &outcome : outcomes) ++result[outcome.verdict];
  return result;
}

}  // namespace

const char *word(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::fail:
      return "fail";
    case Verdict::crash:
      return "crash";
    case Verdict::warn:
      return "warn";
    case Verdict::skip:
      return "skip";
  }
  return "fail";
}

std::string reproduce(const Outcome &outcome, const Options &options) {
  return "bench-plugin-check " + quoted(options.plugin) + " --check " + outcome.check.name +
         " --seed " + std::to_string(options.seed);
}

std::string as_text(const std::vector<Outcome> &outcomes, const Options &options) {
  std::string text;
  for (const Outcome &outcome : outcomes) {
    char line[128];
    std::snprintf(line, sizeof line, "%-5s  %s", word(outcome.verdict), outcome.check.name);
    text += line;
    if (!outcome.text.empty()) text += ": " + outcome.text;
    text += "\n";
    if (outcome.verdict == Verdict::fail || outcome.verdict == Verdict::crash)
      text += std::string("       rule: ") + outcome.check.sentence +
              "\n       again: " + reproduce(outcome, options) + "\n";
  }
  auto number = counts(outcomes);
  text += std::to_string(outcomes.size()) + " checks:";
  for (const Verdict verdict :
       {Verdict::pass, Verdict::fail, Verdict::crash, Verdict::warn, Verdict::skip})
    text += std::string(verdict == Verdict::pass ? " " : ", ") + std::to_string(number[verdict]) +
            " " + word(verdict);
  return text + "\n";
}

std::string as_json(const std::vector<Outcome> &outcomes, const Options &options) {
  std::string text = "{\"plugin\": " + json_string(options.plugin) +
                     ", \"seed\": " + std::to_string(options.seed) + ", \"checks\": [";
  for (std::size_t at = 0; at < outcomes.size(); ++at) {
    const Outcome &outcome = outcomes[at];
    text += std::string(at ? ",\n " : "\n ") + "{\"name\": " + json_string(outcome.check.name) +
            ", \"verdict\": \"" + word(outcome.verdict) +
            "\", \"text\": " + json_string(outcome.text) +
            ", \"proves\": " + json_string(outcome.check.sentence) +
            ", \"seconds\": " + seconds_text(outcome.seconds) +
            ", \"again\": " + json_string(reproduce(outcome, options)) + "}";
  }
  return text + "\n]}\n";
}

std::string as_junit(const std::vector<Outcome> &outcomes, const Options &options) {
  auto number = counts(outcomes);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" +
                     xml_text(options.plugin) + "\" tests=\"" + std::to_string(outcomes.size()) +
                     "\" failures=\"" + std::to_string(number[Verdict::fail]) + "\" errors=\"" +
                     std::to_string(number[Verdict::crash]) + "\" skipped=\"" +
                     std::to_string(number[Verdict::skip]) + "\">\n";
  for (const Outcome &outcome : outcomes) {
    text += std::string("  <testcase name=\"") + outcome.check.name + "\" time=\"" +
            seconds_text(outcome.seconds) + "\">";
    const std::string message = xml_text(outcome.text);
    if (outcome.verdict == Verdict::fail || outcome.verdict == Verdict::crash) {
      const std::string tag = outcome.verdict == Verdict::fail ? "failure" : "error";
      text += "<" + tag + " message=\"" + message + "\">" + xml_text(reproduce(outcome, options)) +
              "</" + tag + ">";
    } else if (outcome.verdict == Verdict::skip) {
      text += "<skipped message=\"" + message + "\"/>";
    } else if (outcome.verdict == Verdict::warn) {
      text += "<system-out>warn: " + message + "</system-out>";
    }
    text += "</testcase>\n";
  }
  return text + "</testsuite>\n";
}

}  // namespace check

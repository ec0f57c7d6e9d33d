// SPDX-License-Identifier: Apache-2.0
#include "recording.hpp"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace bench::recording {
namespace {

using Json = nlohmann::ordered_json;

// Older caches mark a failure by a time that no kernel has.
constexpr double magic_failure_ms = 1e19;
constexpr double ns_per_ms = 1e6;

std::string text_of_value(const Json &value) {
  if (value.is_string()) return canonical_text(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  return canonical_text(value.dump());
}

double unit_ns(const std::string &unit) {
  if (unit == "nanoseconds" || unit == "Nanoseconds") return 1.0;
  if (unit == "microseconds" || unit == "Microseconds") return 1e3;
  if (unit == "seconds" || unit == "Seconds") return 1e9;
  return ns_per_ms;  // "milliseconds", its common misspelling, and files that say nothing
}

End end_of(const std::string &reason) {
  const auto has = [&](const char *word) { return reason.find(word) != std::string::npos; };
  if (has("ompil")) return End::compile_failed;
  if (has("imeout")) return End::timeout;
  if (has("onstraint") || has("InvalidConfig") || has("DeviceLimits")) return End::rejected;
  if (has("orrect") || has("alidation")) return End::wrong_output;
  return End::failed;
}

double number(const Json &object, const char *name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

void add_samples(Row &row, const Json &list, double scale) {
  if (!list.is_array()) return;
  for (const Json &sample : list) {
    if (!sample.is_number()) continue;
    const double ns = sample.get<double>() * scale;
    if (std::isfinite(ns) && ns > 0.0) row.samples_ns.push_back(ns);
  }
}

/// Puts rows together: values get positions as they are seen.
class Builder {
 public:
  explicit Builder(Recording &target) : target_(target) {}

  void name(const std::string &name) {
    target_.names.push_back(name);
    target_.values.emplace_back();
    seen_.emplace_back();
  }

  void add(Row row, const std::vector<std::string> &texts) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto [at, fresh] =
          seen_[i].emplace(texts[i], static_cast<std::uint16_t>(target_.values[i].size()));
      if (fresh) target_.values[i].push_back(texts[i]);
      row.values.push_back(at->second);
    }
    if (row.end == End::measured && row.samples_ns.empty()) {
      row.end = End::failed;
      row.reason = "no time was recorded";
    }
    if (row.end != End::measured) row.samples_ns.clear();
    const auto [known, fresh] = target_.index.emplace(
        Recording::key(row.values), static_cast<std::uint32_t>(target_.rows.size()));
    if (fresh) {
      target_.rows.push_back(std::move(row));
      return;
    }
    Row &before = target_.rows[known->second];  // measured again: more samples of the same
    before.samples_ns.insert(before.samples_ns.end(), row.samples_ns.begin(), row.samples_ns.end());
  }

  /// Numbers in their order: neighbours in a list should be neighbours in effect.
  void sort_values() {
    for (std::size_t i = 0; i < target_.values.size(); ++i) {
      std::vector<std::string> sorted = target_.values[i];
      const auto number_of = [](const std::string &text, double &value) {
        const auto end = text.data() + text.size();
        return std::from_chars(text.data(), end, value).ptr == end;
      };
      std::stable_sort(sorted.begin(), sorted.end(), [&](const auto &a, const auto &b) {
        double x = 0.0, y = 0.0;
        const bool first = number_of(a, x), second = number_of(b, y);
        return first && second ? x < y : first > second || (first == second && a < b);
      });
      std::vector<std::uint16_t> moved(sorted.size());
      for (std::size_t v = 0; v < sorted.size(); ++v)
        moved[seen_[i].at(sorted[v])] = static_cast<std::uint16_t>(v);
      target_.values[i] = std::move(sorted);
      for (Row &row : target_.rows) row.values[i] = moved[row.values[i]];
    }
    target_.index.clear();
    for (std::size_t i = 0; i < target_.rows.size(); ++i)
      target_.index.emplace(Recording::key(target_.rows[i].values), static_cast<std::uint32_t>(i));
  }

 private:
  Recording &target_;
  std::vector<std::map<std::string, std::uint16_t>> seen_;
};

std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

void read_kernel_tuner(const Json &root, Recording &out, Builder &builder) {
  out.format = "kernel-tuner";
  out.device = root.value("device_name", "");
  out.kernel = root.value("kernel_name", "");
  if (out.device.empty()) out.notes.push_back("the file names no device");
  for (const Json &name : root.at("tune_params_keys")) builder.name(name.get<std::string>());
  for (const auto &[key, record] : root.at("cache").items()) {
    const std::vector<std::string> parts = split(key);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < out.names.size(); ++i) {
      const auto found = record.find(out.names[i]);
      if (found != record.end())
        texts.push_back(text_of_value(*found));
      else if (parts.size() == out.names.size())
        texts.push_back(canonical_text(parts[i]));
    }
    if (!record.is_object() || texts.size() != out.names.size()) {
      ++out.skipped;
      continue;
    }
    Row row;
    row.compile_ns = number(record, "compile_time") * ns_per_ms;
    const auto time = record.find("time"), error = record.find("__error__");
    const Json *failure = error != record.end()                       ? &*error
                          : time != record.end() && time->is_string() ? &*time
                                                                      : nullptr;
    if (failure) {
      row.reason = failure->is_string() ? failure->get<std::string>() : failure->dump();
      row.end = end_of(row.reason);
    } else if (number(record, "time") >= magic_failure_ms) {
      row.end = End::failed;
      row.reason = "a time that means failure";
    } else {
      if (const auto times = record.find("times"); times != record.end())
        add_samples(row, *times, ns_per_ms);
      if (row.samples_ns.empty() && number(record, "time") > 0.0)
        row.samples_ns.push_back(number(record, "time") * ns_per_ms);
    }
    builder.add(std::move(row), texts);
  }
}

void read_t4(const Json &root, Recording &out, Builder &builder) {
  out.format = "t4";
  double scale = ns_per_ms;
  if (const auto metadata = root.find("metadata");
      metadata != root.end() && metadata->is_object()) {
    scale = unit_ns(metadata->value("timeunit", ""));
    out.device = metadata->value("device", "");
  }
  for (const Json &result : root.at("results")) {
    const auto configuration = result.find("configuration"), times = result.find("times");
    if (configuration == result.end() || !configuration->is_object()) {
      ++out.skipped;
      continue;
    }
    if (out.names.empty()) {
      for (const auto &[name, value] : configuration->items()) builder.name(name);
    }
    std::vector<std::string> texts;
    for (const std::string &name : out.names) {
      if (const auto found = configuration->find(name); found != configuration->end())
        texts.push_back(text_of_value(*found));
    }
    if (texts.size() != out.names.size()) {
      ++out.skipped;
      continue;
    }
    Row row;
    const std::string invalidity = result.value("invalidity", "correct");
    if (invalidity != "correct") {
      row.reason = invalidity;
      row.end = invalidity == "correctness" ? End::wrong_output : end_of(invalidity);
    }
    if (times != result.end() && times->is_object()) {
      row.compile_ns =
          std::max(number(*times, "compilation_time"), number(*times, "compilation")) * scale;
      if (const auto runs = times->find("runtimes"); runs != times->end())
        add_samples(row, *runs, scale);
    }
    if (const auto all = result.find("measurements");
        row.samples_ns.empty() && all != result.end()) {
      for (const Json &one : *all) {
        if (one.value("name", "") == "time" && number(one, "value") > 0.0)
          row.samples_ns.push_back(number(one, "value") * scale);
      }
    }
    builder.add(std::move(row), texts);
  }
}

void read_ktt(const Json &root, Recording &out, Builder &builder) {
  out.format = "ktt";
  double scale = 1e3;
  if (const auto metadata = root.find("Metadata"); metadata != root.end()) {
    scale = unit_ns(metadata->value("TimeUnit", "Microseconds"));
    out.device = metadata->value("Device", "");
  }
  for (const Json &result : root.at("Results")) {
    std::map<std::string, std::string> values;
    if (const auto pairs = result.find("Configuration"); pairs != result.end()) {
      for (const Json &pair : *pairs)
        values[pair.value("Name", "")] = text_of_value(pair.at("Value"));
    }
    out.kernel = result.value("KernelName", out.kernel);
    if (out.names.empty()) {
      for (const auto &[name, value] : values) builder.name(name);
    }
    std::vector<std::string> texts;
    for (const std::string &name : out.names) {
      if (const auto found = values.find(name); found != values.end())
        texts.push_back(found->second);
    }
    if (texts.empty() || texts.size() != out.names.size()) {
      ++out.skipped;
      continue;
    }
    Row row;
    const std::string status = result.value("Status", "Ok");
    if (status != "Ok") {
      row.reason = status;
      row.end = end_of(status);
    } else if (const auto runs = result.find("ComputationResults"); runs != result.end()) {
      double sum = 0.0;  // a composite kernel's parts
      for (const Json &run : *runs) sum += number(run, "Duration") * scale;
      if (sum > 0.0) row.samples_ns.push_back(sum);
    }
    row.compile_ns =
        std::max(0.0, number(result, "TotalOverhead") - number(result, "DataMovementOverhead")) *
        scale;
    builder.add(std::move(row), texts);
  }
}

/// Text up to the last whole row, with what then must follow: writers leave files unterminated on
/// purpose, and crashes cut them anywhere. All three formats have their rows two levels deep.
std::string mended(const std::string &text) {
  std::string open, kept_open;
  std::size_t kept = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      open += c;
    } else if (c == '}' || c == ']') {
      if (open.empty()) break;
      open.pop_back();
      if (open.size() <= 2) kept = i + 1, kept_open = open;
    }
  }
  std::string result = text.substr(0, kept);
  for (auto at = kept_open.rbegin(); at != kept_open.rend(); ++at) result += *at == '{' ? '}' : ']';
  return result;
}

std::string read_all(const std::filesystem::path &file, bool &truncated) {
  // gzread passes plain files through.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), gzclose);
  if (!in) throw Unreadable("cannot read the recording " + file.string());
  std::string text, buffer(1u << 20, '\0');
  for (;;) {
    const int got = gzread(in.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    if (got > 0) text.append(buffer, 0, static_cast<std::size_t>(got));
    if (got < 0) truncated = true;
    if (got < static_cast<int>(buffer.size())) break;
  }
  int code = Z_OK;
  gzerror(in.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END) truncated = true;
  return text;
}

}  // namespace

double Row::mean_ns() const {
  double sum = 0.0;
  for (const double sample : samples_ns) sum += sample;
  return sum / static_cast<double>(samples_ns.size());
}

double Row::median_ns() const {
  std::vector<double> sorted(samples_ns);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2.0;
}

std::string canonical_text(const std::string &text) {
  if (text == "True" || text == "true") return "1";
  if (text == "False" || text == "false") return "0";
  double value = 0.0;
  const char *end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value)) return text;
  char out[40];
  constexpr double exact = 9007199254740992.0;  // 2^53
  const auto written = value == std::floor(value) && std::abs(value) < exact
                           ? std::to_chars(out, out + sizeof out, static_cast<std::int64_t>(value))
                           : std::to_chars(out, out + sizeof out, value);
  return std::string(out, written.ptr);
}

std::string Recording::key(const std::vector<std::uint16_t> &positions) {
  return std::string(reinterpret_cast<const char *>(positions.data()),
                     positions.size() * sizeof(std::uint16_t));
}

const Row *Recording::find(const std::vector<std::uint16_t> &positions) const {
  const auto found = index.find(key(positions));
  return found == index.end() ? nullptr : &rows[found->second];
}

const Row *Recording::find(const std::vector<std::string> &texts) const {
  std::vector<std::uint16_t> positions;
  for (std::size_t i = 0; i < texts.size() && i < names.size(); ++i) {
    const auto at = std::find(values[i].begin(), values[i].end(), canonical_text(texts[i]));
    if (at == values[i].end()) return nullptr;
    positions.push_back(static_cast<std::uint16_t>(at - values[i].begin()));
  }
  return positions.size() == names.size() ? find(positions) : nullptr;
}

std::string Recording::text_of(const Row &row) const {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i ? ", " : "") + names[i] + "=" + values[i][row.values[i]];
  return text;
}

Recording parse_recording(const std::string &text, const std::string &origin) {
  Recording recording;
  Builder builder(recording);
  try {
    Json root = Json::parse(text, nullptr, false);
    if (root.is_discarded()) {
      recording.truncated = true;
      root = Json::parse(mended(text));
    }
    if (root.contains("cache") && root.contains("tune_params_keys"))
      read_kernel_tuner(root, recording, builder);
    else if (root.contains("results"))
      read_t4(root, recording, builder);
    else if (root.contains("Results"))
      read_ktt(root, recording, builder);
    else
      throw Unreadable(origin + " is neither a Kernel Tuner cache, nor T4 results, nor KTT output");
  } catch (const Json::exception &error) {
    throw Unreadable(origin + " is no recording: " + error.what());
  }
  if (recording.rows.empty()) throw Unreadable(origin + " holds no configuration");
  builder.sort_values();
  if (recording.truncated)
    recording.notes.push_back("the file ends early: its whole rows are used");
  if (recording.skipped)
    recording.notes.push_back(std::to_string(recording.skipped) + " rows were not understood");
  return recording;
}

Recording read_recording(const std::filesystem::path &file) {
  bool truncated = false;
  const std::string text = read_all(file, truncated);
  Recording recording = parse_recording(text, file.string());
  recording.truncated = recording.truncated || truncated;
  return recording;
}

}  // namespace bench::recording

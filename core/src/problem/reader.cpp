// SPDX-License-Identifier: Apache-2.0
// Reads T1 files as people write them.
#include <algorithm>
#include <cmath>

#include "base/file.hpp"
#include "bench/ext/kernel.h"
#include "problem/json_members.hpp"
#include "problem/problem.hpp"
#include "problem/scope.hpp"

namespace bench::problem {
namespace {

using nlohmann::json;

class NoNames final : public Scope {
 public:
  const Value *find(const std::string &) const override { return nullptr; }
  std::vector<std::string> names() const override { return {}; }
};

template <typename Body>
auto located(const std::string &place, Body &&body) {
  try {
    return body();
  } catch (const Failure &failure) {
    ErrorText text = failure.text();
    text.where = place + ", " + text.where;
    throw Failure(text);
  }
}

class Reader {
 public:
  Reader(const json &document, std::filesystem::path origin) : top_(document, origin.string()) {
    problem_.origin = std::move(origin);
  }

  Problem read() {
    problem_.name = problem_.origin.stem().string();
    if (const json *general = top_.find("General")) {
      Members members(*general, place("General"));
      problem_.name = members.text("BenchmarkName", problem_.name);
    }
    if (const json *config = top_.find("BenchmarkConfig")) read_constants(*config);
    top_.ignore({"Search", "Budget", "x-bench", "$schema", "FormatVersion"});
    Members kernel(
        top_.require("KernelSpecification", "the kernel's file, name, arguments and sizes"),
        place("KernelSpecification"));
    read_problem_size(kernel);
    read_space();
    read_kernel(kernel);
    read_arguments(kernel);
    read_references(kernel);
    if (const json *budget = top_.find("Budget")) read_budget(*budget);
    const json *ours = top_.find("x-bench");
    if (!ours) ours = kernel.find("x-bench");
    if (ours) read_extensions(*ours);
    kernel.note_rest(problem_.notes);
    top_.note_rest(problem_.notes);
    return std::move(problem_);
  }

 private:
  std::string place(const std::string &member) const {
    return problem_.origin.string() + ", " + member;
  }
  std::filesystem::path beside(const std::string &file) const {
    const std::filesystem::path path(file);
    return path.is_absolute() ? path : problem_.origin.parent_path() / path;
  }

  void read_constants(const json &config) {
    if (!config.is_object()) return;
    for (const auto &[name, value] : config.items()) {
      if (value.is_number() || value.is_boolean())
        problem_.constants.emplace_back(name, value_of_json(value, place("BenchmarkConfig")));
    }
  }

  void read_problem_size(Members &kernel) {
    const json *size = kernel.find("ProblemSize");
    if (!size) return;
    const json list = size->is_array() ? *size : json::array({*size});
    List values;
    problem_.problem_size_parts.resize(std::min<std::size_t>(list.size(), 3));
    for (std::size_t axis = 0; axis < list.size(); ++axis) {
      Value value = value_of_json(list[axis], place("KernelSpecification, ProblemSize"));
      if (value.is_text()) {
        // May depend on parameters: kept as an expression. Without any it is a number from now on.
        Expression expression = located(place("KernelSpecification, ProblemSize"),
                                        [&] { return Expression::parse(value.text()); });
        if (expression.names().empty())
          value = located(place("KernelSpecification, ProblemSize"),
                          [&] { return expression.evaluate(NoNames{}); });
        else if (axis < 3)
          problem_.problem_size_parts[axis] = std::move(expression), value = Value(0);
      }
      values.push_back(std::move(value));
    }
    problem_.problem_size = Value(std::move(values));
  }

  Value typed(const Value &value, const std::string &type, const std::string &where) {
    const auto fail = [&] {
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT, value.to_text() + " is no " + type, where,
                    "correct the value, or Type (int, uint, float, bool, string)");
    };
    if (type == "float" || type == "double") {
      if (!value.is_number()) fail();
      return Value(value.real());
    }
    if (type == "int" || type == "uint") {
      if (!value.is_number() || (value.is_real() && std::nearbyint(value.real()) != value.real()))
        fail();
      if (type == "uint" && value.real() < 0) fail();
      return value.is_real() ? Value(static_cast<std::int64_t>(value.real()))
                             : Value(value.integer());
    }
    if (type == "bool") {
      if (!value.is_number()) fail();
      return Value(value.truth());
    }
    return value.is_text() ? value : Value(value.to_text());  // string
  }

  Parameter read_parameter(const json &one, std::optional<Value> &standard) {
    Members members(one, place("TuningParameters"));
    Parameter parameter;
    parameter.name = members.text("Name");
    const bool good =
        !parameter.name.empty() && !std::isdigit(static_cast<unsigned char>(parameter.name[0])) &&
        std::all_of(parameter.name.begin(), parameter.name.end(),
                    [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    if (!good)
      members.fail("'" + parameter.name + "' is no name for a parameter",
                   "use letters, digits and _, as in C: it becomes a macro");
    parameter.type = members.text("Type", "int");
    const std::string where = place("parameter " + parameter.name);
    if (parameter.type != "int" && parameter.type != "uint" && parameter.type != "float" &&
        parameter.type != "double" && parameter.type != "bool" && parameter.type != "string") {
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "Type '" + parameter.type + "' is not known",
                    where, "use int, uint, float, bool or string");
    }
    const json &values =
        members.require("Values", "a list, or a text with an expression that gives one");
    List list;
    if (values.is_string()) {
      const Value value = located(where + ", Values", [&] {
        return Expression::parse(values.get<std::string>()).evaluate(NoNames{});
      });
      list = value.is_list() ? value.list() : List{value};
    } else if (values.is_array()) {
      for (const auto &value : values) list.push_back(value_of_json(value, where + ", Values"));
    } else {
      list.push_back(value_of_json(values, where + ", Values"));
    }
    for (const Value &value : list)
      parameter.values.push_back(typed(value, parameter.type, where + ", Values"));
    if (const json *given = members.find("Default")) {
      const json &scalar = given->is_array() && given->size() == 1 ? (*given)[0] : *given;
      standard =
          typed(value_of_json(scalar, where + ", Default"), parameter.type, where + ", Default");
    }
    members.note_rest(problem_.notes);
    return parameter;
  }

  void read_space() {
    Members space(top_.require("ConfigurationSpace", "tuning parameters and conditions"),
                  place("ConfigurationSpace"));
    const json &list = space.require("TuningParameters", "a list of {Name, Type, Values}");
    if (!list.is_array() || list.empty())
      space.fail("TuningParameters holds no parameter",
                 "declare at least one {Name, Type, Values}");
    std::vector<Parameter> parameters;
    std::vector<std::optional<Value>> standards;
    for (const auto &one : list) {
      standards.emplace_back();
      parameters.push_back(read_parameter(one, standards.back()));
    }
    std::vector<std::string> conditions;
    if (const json *given = space.find("Conditions")) {
      for (const auto &one : *given) {
        if (one.is_string()) {
          conditions.push_back(one.get<std::string>());
          continue;
        }
        Members members(one, place("Conditions"));
        conditions.push_back(members.text("Expression"));
        if (conditions.back().empty())
          members.fail("a condition without Expression", "give the text of the condition");
        members.ignore({"Parameters"});
        members.note_rest(problem_.notes);
      }
    }
    space.note_rest(problem_.notes);
    problem_.space = located(place("ConfigurationSpace"), [&] {
      return Space::build(std::move(parameters), conditions, problem_.constants);
    });
    choose_default(standards);
  }

  void choose_default(const std::vector<std::optional<Value>> &standards) {
    if (problem_.space.size() == 0) return;
    const auto &parameters = problem_.space.parameters();
    std::vector<std::uint32_t> wanted(parameters.size(), 0);
    bool any = false, moved = false;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!standards[i]) continue;
      any = true;
      const auto &values = parameters[i].values;
      const auto found = std::find(values.begin(), values.end(), *standards[i]);
      if (found != values.end()) {
        wanted[i] = static_cast<std::uint32_t>(found - values.begin());
        continue;
      }
      moved = true;
      for (std::size_t v = 0;
           v < values.size() && standards[i]->is_number() && values[v].is_number(); ++v) {
        if (std::fabs(values[v].real() - standards[i]->real()) <
            std::fabs(values[wanted[i]].real() - standards[i]->real()))
          wanted[i] = static_cast<std::uint32_t>(v);
      }
    }
    const auto exact = problem_.space.index_of_indices(wanted);
    problem_.default_configuration =
        problem_.space.at(exact ? *exact : problem_.space.nearest(wanted));
    if (any && (moved || !exact)) {
      problem_.notes.push_back(
          "the declared defaults are no valid configuration; the nearest valid one is the "
          "default: " +
          configuration_text(problem_.space, problem_.default_configuration));
    } else if (!any) {
      problem_.notes.push_back(
          "no defaults are declared; the default is the first valid configuration: " +
          configuration_text(problem_.space, problem_.default_configuration));
    }
  }

  Expression expression(const std::string &text, const std::string &where) {
    return located(place(where), [&] { return Expression::parse(text); });
  }

  std::vector<std::optional<Expression>> read_axes(Members &kernel, const char *name) {
    std::vector<std::optional<Expression>> axes;
    const json *given = kernel.find(name);
    if (!given) return axes;
    Members members(*given, place(name));
    for (const char *axis : {"X", "Y", "Z"}) {
      const auto text = members.expression(axis);
      axes.push_back(
          text ? std::optional<Expression>(expression(*text, std::string(name) + "." + axis))
               : std::nullopt);
    }
    members.note_rest(problem_.notes);
    return axes;
  }

  void read_kernel(Members &kernel) {
    Kernel &target = problem_.kernel;
    target.language = kernel.text("Language");
    if (target.language.empty())
      kernel.fail("Language is missing", "e.g. \"C++\", \"C\", \"CUDA\", \"HIP\" or \"OpenCL\"");
    target.name = kernel.text("KernelName");
    if (target.name.empty())
      kernel.fail("KernelName is missing", "name the function in KernelFile");
    const std::string file = kernel.text("KernelFile");
    if (file.empty())
      kernel.fail("KernelFile is missing", "name the kernel's source file, relative to this file");
    target.file = beside(file);
    target.source = read_file(target.file);
    if (const json *options = kernel.find("CompilerOptions")) {
      for (const auto &option : options->is_array() ? *options : json::array({*options})) {
        if (!option.is_string())
          kernel.fail("CompilerOptions holds " + option.dump(), "write options as texts");
        target.options.push_back(option.get<std::string>());
      }
    }
    problem_.global_size = read_axes(kernel, "GlobalSize");
    problem_.local_size = read_axes(kernel, "LocalSize");
    const std::string type =
        kernel.text("GlobalSizeType", target.language == "OpenCL" ? "OpenCL" : "CUDA");
    problem_.global_counts_threads = type == "OpenCL" || type == "Vulkan";
    const char *divisors[] = {"GridDivX", "GridDivY", "GridDivZ"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const json *given = kernel.find(divisors[axis]);
      if (!given) continue;
      problem_.grid_divisors.resize(3);
      for (const auto &one : given->is_array() ? *given : json::array({*given})) {
        problem_.grid_divisors[axis].push_back(
            expression(value_of_json(one, place(divisors[axis])).to_text(), divisors[axis]));
      }
    }
    if (const auto shared = kernel.expression("SharedMemory"); shared && *shared != "0")
      problem_.shared_memory = expression(*shared, "SharedMemory");
    kernel.ignore({"Stream", "Misc", "Device", "BenchmarkName", "Profiling", "SimulationInput",
                   "Description"});
  }

  Argument read_argument(const json &one, const std::string &list) {
    Members members(one, place(list));
    Argument argument;
    argument.name = members.text("Name");
    if (argument.name.empty()) members.fail("an argument without Name", "name it as in the kernel");
    const std::string where = place("argument " + argument.name);
    const auto fail = [&](const std::string &what, const std::string &hint) {
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT, what, where, hint);
    };
    const std::string type = members.text("Type", "float");
    const auto known = find_data_type(type);
    if (!known)
      fail("Type '" + type + "' is not known",
           "use bool, int8 to int64, uint8 to uint64, half, float or double");
    argument.type = *known;
    const std::string memory = members.text("MemoryType", "Vector");
    const bool gpu = problem_.kernel.language == "CUDA" || problem_.kernel.language == "HIP";
    const bool constant_memory = members.text("MemType") == "Constant" && gpu;
    if (memory == "Vector")
      argument.kind = constant_memory ? MemoryKind::symbol : MemoryKind::vector;
    else if (memory == "Scalar")
      argument.kind = MemoryKind::scalar;
    else if (memory == "Local")
      argument.kind = MemoryKind::local;
    else if (memory == "Symbol")
      argument.kind = MemoryKind::symbol;
    else
      fail("MemoryType '" + memory + "' is not known", "use Vector, Scalar, Local or Symbol");
    const std::string access = members.text("AccessType", "ReadOnly");
    if (access == "ReadOnly")
      argument.access = BENCH_ACCESS_READ;
    else if (access == "WriteOnly")
      argument.access = BENCH_ACCESS_WRITE;
    else if (access == "ReadWrite")
      argument.access = BENCH_ACCESS_READ | BENCH_ACCESS_WRITE;
    else
      fail("AccessType '" + access + "' is not known", "use ReadOnly, WriteOnly or ReadWrite");
    argument.output = members.flag("Output");
    argument.size_text = members.expression("Size").value_or("1");
    if (argument.kind != MemoryKind::local && argument.kind != MemoryKind::scalar)
      argument.count = count_of(argument, where);
    read_fill(members, argument, where);
    members.ignore(
        {"TypeSize", "TargetName", "ValidationMethod", "ValidationThreshold", "Description"});
    members.note_rest(problem_.notes);
    return argument;
  }

  std::uint64_t count_of(const Argument &argument, const std::string &where) {
    const Value value = located(where + ", Size", [&] {
      return Expression::parse(argument.size_text).evaluate(ProblemScope(problem_));
    });
    const double size = value.is_number() ? value.real() : 0.0;
    if (!(size >= 1.0) || size * static_cast<double>(argument.type.bytes()) > 1e15) {
      throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                    "Size `" + argument.size_text + "` is " + value.to_text() + " elements", where,
                    "it must be at least 1, and fit a memory");
    }
    return static_cast<std::uint64_t>(size);
  }

  void read_fill(Members &members, Argument &argument, const std::string &where) {
    const std::string type = members.text("FillType", "Constant");
    const std::string hint =
        "use Constant, Random, or BinaryRaw with a DataSource that a script wrote before";
    if (type == "Constant")
      argument.fill.kind = FillKind::constant;
    else if (type == "Random")
      argument.fill.kind = FillKind::random;
    else if (type == "BinaryRaw")
      argument.fill.kind = FillKind::binary_file;
    else if (type == "Script" || type == "Generator")
      throw Failure(BENCH_ERROR_UNSUPPORTED,
                    "FillType " + type + " runs code from a data file and is refused", where, hint);
    else
      throw Failure(BENCH_ERROR_UNSUPPORTED, "FillType '" + type + "' is not supported", where,
                    hint);
    argument.fill.value = argument.fill.kind == FillKind::random ? Value(1.0) : Value(0);
    if (const json *value = members.find("FillValue")) {
      argument.fill.value = value_of_json(*value, where + ", FillValue");
      if (argument.fill.value.is_text())
        argument.fill.value = located(where + ", FillValue", [&] {
          return Expression::parse(argument.fill.value.text()).evaluate(ProblemScope(problem_));
        });
    }
    if (const json *seed = members.find("RandomSeed")) {
      if (!seed->is_number_unsigned())
        throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "RandomSeed is " + seed->dump(), where,
                      "write a whole number, at least 0");
      argument.fill.seed = seed->get<std::uint64_t>();
    }
    const std::string source = members.text("DataSource");
    if (argument.fill.kind == FillKind::binary_file) {
      if (source.empty())
        throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "FillType BinaryRaw without DataSource", where,
                      "name the file, relative to the problem file");
      argument.fill.file = beside(source);
    } else if (argument.fill.kind == FillKind::constant && argument.kind != MemoryKind::local) {
      located(where, [&] {
        return value_bytes(argument.fill.value, argument.type);
      });  // a value that does not fit is told now
    }
  }

  void read_arguments(Members &kernel) {
    const json *list = kernel.find("Arguments");
    if (!list) return;
    if (!list->is_array()) kernel.fail("Arguments is no list", "write [{...}, ...]");
    for (const auto &one : *list) {
      Argument argument = read_argument(one, "Arguments");
      const bool twice =
          std::any_of(problem_.arguments.begin(), problem_.arguments.end(),
                      [&](const Argument &known) { return known.name == argument.name; });
      if (twice) kernel.fail("argument " + argument.name + " is declared twice", "rename one");
      problem_.arguments.push_back(std::move(argument));
    }
  }

  void read_references(Members &kernel) {
    const json *list = kernel.find("ReferenceArguments");
    if (!list) return;
    for (const auto &one : *list) {
      Members members(one, place("ReferenceArguments"));
      Reference reference;
      reference.target = members.text("TargetName", members.text("Name"));
      const auto target =
          std::find_if(problem_.arguments.begin(), problem_.arguments.end(),
                       [&](const Argument &argument) { return argument.name == reference.target; });
      if (target == problem_.arguments.end()) {
        std::vector<std::string> names;
        for (const Argument &argument : problem_.arguments) names.push_back(argument.name);
        const auto near = nearest_name(reference.target, names);
        members.fail("TargetName '" + reference.target + "' is no argument",
                     near ? "did you mean " + *near + "?" : "name one of Arguments");
      }
      const std::string method = members.text("ValidationMethod", "SideBySideRelativeComparison");
      if (method == "AbsoluteDifference")
        reference.method = ValidationMethod::sum_of_differences;
      else if (method == "SideBySideComparison")
        reference.method = ValidationMethod::each_difference;
      else if (method == "SideBySideRelativeComparison")
        reference.method = ValidationMethod::each_relative;
      else
        members.fail(
            "ValidationMethod '" + method + "' is not known",
            "use AbsoluteDifference, SideBySideComparison or SideBySideRelativeComparison");
      if (const json *threshold = members.find("ValidationThreshold")) {
        if (!threshold->is_number() || threshold->get<double>() < 0)
          members.fail("ValidationThreshold is " + threshold->dump(), "write a number, at least 0");
        reference.threshold = threshold->get<double>();
      }
      json data = one;
      data["Name"] = reference.target;
      if (!data.contains("Type")) data["Type"] = target->type.name;
      if (!data.contains("Size")) data["Size"] = target->size_text;
      reference.data = read_argument(data, "ReferenceArguments");
      if (reference.data.bytes() != target->bytes()) {
        members.fail("the reference of " + reference.target + " has " +
                         std::to_string(reference.data.bytes()) + " bytes, the argument " +
                         std::to_string(target->bytes()),
                     "let both have one Type and Size");
      }
      problem_.references.push_back(std::move(reference));
    }
  }

  void read_budget(const json &budget) {
    for (const auto &one : budget.is_array() ? budget : json::array({budget})) {
      Members members(one, place("Budget"));
      const std::string type = members.text("Type");
      const json &value = members.require("BudgetValue", "a number");
      if (!value.is_number() || value.get<double>() <= 0)
        members.fail("BudgetValue is " + value.dump(), "write a positive number");
      Budget read{BudgetKind::configurations, value.get<double>()};
      if (type == "TuningDuration")
        read.kind = BudgetKind::duration_s;
      else if (type == "ConfigurationFraction")
        read.kind = BudgetKind::fraction;
      else if (type != "ConfigurationCount")
        members.fail("Budget Type '" + type + "' is not known",
                     "use TuningDuration, ConfigurationCount or ConfigurationFraction");
      problem_.budgets.push_back(read);
      members.note_rest(problem_.notes);
    }
  }

  void read_extensions(const json &ours) {
    Members members(ours, place("x-bench"));
    if (const json *reference = members.find("ReferenceKernel")) {
      Members kernel(*reference, place("x-bench, ReferenceKernel"));
      ReferenceKernel read{kernel.text("KernelName"), beside(kernel.text("KernelFile"))};
      if (read.name.empty() || !kernel.find("KernelFile"))
        kernel.fail("KernelName or KernelFile is missing", "name the function and its file");
      problem_.reference_kernel = read;
      kernel.note_rest(problem_.notes);
    }
    const auto metric = [&](const char *name, std::optional<Expression> &target) {
      if (const auto text = members.expression(name))
        target = expression(*text, std::string("x-bench, ") + name);
    };
    metric("Bytes", problem_.bytes);
    metric("Flops", problem_.flops);
    metric("Items", problem_.items);
    problem_.repeatable = members.flag("Repeatable");
    members.note_rest(problem_.notes);
  }

  Members top_;
  Problem problem_;
};

}  // namespace

Problem parse_problem(std::string_view text, const std::filesystem::path &origin) {
  const json document = parse_json(text, origin.string());
  return Reader(document, origin).read();
}

Problem read_problem(const std::filesystem::path &path) {
  const auto text = read_file(path);
  if (!text) {
    throw Failure(BENCH_ERROR_INVALID_ARGUMENT, "cannot read the problem file", path.string(),
                  "name a readable T1 file (JSON)");
  }
  return parse_problem(*text, path);
}

const std::string &kernel_source(const Problem &problem) {
  if (problem.kernel.source) return *problem.kernel.source;
  throw Failure(BENCH_ERROR_INVALID_ARGUMENT,
                "cannot read the kernel's file " + problem.kernel.file.string(),
                problem.origin.string() + ", KernelFile",
                "put it there, or correct the path; it is relative to the problem file");
}

std::string identity_hash(const Problem &problem) {
  std::string text = problem.kernel.language + "\x1f" + problem.kernel.name + "\x1f" +
                     problem.kernel.source.value_or("");
  const auto add = [&](const std::string &part) { text += "\x1e" + part; };
  for (const std::string &option : problem.kernel.options) add(option);
  for (const Parameter &parameter : problem.space.parameters())
    add(parameter.name + parameter.type + Value(List(parameter.values)).to_text());
  for (const Expression &condition : problem.space.conditions()) add(condition.text());
  for (const auto &[name, value] : problem.constants) add(name + "=" + value.to_text());
  for (const auto *axes :
       {&problem.global_size, &problem.local_size, &problem.problem_size_parts}) {
    for (const auto &axis : *axes) add(axis ? axis->text() : "");
  }
  for (const auto &divisors : problem.grid_divisors) {
    for (const Expression &divisor : divisors) add(divisor.text());
    add("");
  }
  add(problem.problem_size.to_text() + (problem.global_counts_threads ? "threads" : "blocks") +
      (problem.repeatable ? "repeatable" : ""));
  if (problem.shared_memory) add(problem.shared_memory->text());
  for (const Argument &argument : problem.arguments) {
    add(argument.name + argument.type.name + std::to_string(static_cast<int>(argument.kind)) +
        std::to_string(argument.access) + argument.size_text + std::to_string(argument.count) +
        std::to_string(static_cast<int>(argument.fill.kind)) + argument.fill.value.to_text() +
        std::to_string(argument.fill.seed.value_or(0)));
  }
  for (const Reference &reference : problem.references)
    add(reference.target + std::to_string(static_cast<int>(reference.method)) +
        Value(reference.threshold).to_text());
  const std::uint64_t hash = hash_text(text);
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

}  // namespace bench::problem

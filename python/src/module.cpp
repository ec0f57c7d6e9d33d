// SPDX-License-Identifier: Apache-2.0
// The extension module over the public C API alone.
#include <nanobind/nanobind.h>

#include "arguments.hpp"
#include "context.hpp"
#include "tuned.hpp"
#include "tuner.hpp"

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(_core, module) {
  // Tuned functions are mostly globals: alive at the program's end, and that is no defect.
  nb::set_leak_warnings(false);
  module.def("version", [] { return bench_version(); });
  module.def("set_error_factory", &libbench::set_error_factory, "factory"_a);
  module.def("device_of", &libbench::device_of, "object"_a);
  module.def("measure", &libbench::measure, "context"_a, "device"_a, "stream"_a.none(),
             "function"_a, "arguments"_a, "keywords"_a, "flags"_a, "policy"_a, "hooks"_a);
  nb::class_<libbench::Context>(module, "Context")
      .def(nb::init<const std::vector<std::string> &, const std::string &, std::uint32_t>(),
           "plugin_paths"_a, "store_path"_a, "flags"_a)
      .def("devices_json", &libbench::Context::devices_json)
      .def("plugins_json", &libbench::Context::plugins_json, "story"_a)
      .def("parse_device", &libbench::Context::parse_device, "name"_a)
      .def("dispatch", &libbench::Context::dispatch, "arguments"_a, "device"_a)
      .def("take_log", &libbench::Context::take_log);
  nb::class_<libbench::Tuner>(module, "Tuner")
      .def(nb::init<nb::object, nb::dict>(), "context"_a, "options"_a)
      .def("tune", &libbench::Tuner::tune, "values"_a, "function"_a, "arguments"_a, "keywords"_a,
           "configs"_a, "stream"_a.none(), "flags"_a, "hooks"_a)
      .def("find", &libbench::Tuner::find, "values"_a)
      .def("choose", &libbench::Tuner::choose, "values"_a, "index"_a)
      .def("report_json", &libbench::Tuner::report_json, "values"_a);
  module.attr("Tuned") = libbench::make_tuned_type();
}

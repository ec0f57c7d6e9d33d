# SPDX-License-Identifier: Apache-2.0
# Writes templates.hpp into this folder's build folder: one row a file of sdk/template/.
set(bench_templates "${PROJECT_SOURCE_DIR}/sdk/template")
file(GLOB_RECURSE bench_template_paths CONFIGURE_DEPENDS RELATIVE "${bench_templates}" "${bench_templates}/*")
set(BENCH_TEMPLATE_FILES "")
foreach(path ${bench_template_paths})
  string(REGEX MATCH "^([^/]+)/(.*)$" matched "${path}")
  set(language "${CMAKE_MATCH_1}")
  string(REGEX REPLACE "\\.in$" "" target "${CMAKE_MATCH_2}")
  file(READ "${bench_templates}/${path}" text)
  string(APPEND BENCH_TEMPLATE_FILES "    {\"${language}\", \"${target}\", R\"template(${text})template\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${bench_templates}/${path}")
endforeach()
configure_file("${CMAKE_CURRENT_LIST_DIR}/templates.hpp.in" "${CMAKE_CURRENT_BINARY_DIR}/templates.hpp" @ONLY)

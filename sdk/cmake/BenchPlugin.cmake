# SPDX-License-Identifier: Apache-2.0
# bench_add_plugin(DEVICE SOURCES files... [LIBS targets...] [OUTPUT_DIRECTORY dir] [NO_INSTALL] [TARGET name])
# Builds libbench_<DEVICE>.so: hidden visibility, one exported symbol, no undefined symbols, no fast-math
# start files (they would flip the process's floating-point mode when the plugin is loaded). The same
# file serves this source tree and an installed SDK, so that both build a plugin alike. After enable_testing()
# an installed SDK also adds the test <TARGET>_check, which runs bench-plugin-check.
set(BENCH_PLUGIN_VERSION_SCRIPT "${CMAKE_CURRENT_LIST_DIR}/plugin.map" CACHE INTERNAL "")

function(bench_add_plugin device)
  cmake_parse_arguments(ARG "NO_INSTALL" "OUTPUT_DIRECTORY;TARGET" "SOURCES;LIBS" ${ARGN})
  if(NOT ARG_SOURCES OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bench_add_plugin(${device} SOURCES files... [LIBS targets...] [OUTPUT_DIRECTORY dir] "
                        "[NO_INSTALL] [TARGET name]): given '${ARGN}'")
  endif()
  # The loader skips any other file name without a word.
  if(NOT device MATCHES "^[a-z0-9_-]+$")
    message(FATAL_ERROR "bench_add_plugin: '${device}' is not a device name; use small letters, digits, _ and -")
  endif()
  if(NOT ARG_TARGET)
    set(ARG_TARGET bench_${device})
  endif()
  if(NOT ARG_OUTPUT_DIRECTORY)
    set(ARG_OUTPUT_DIRECTORY "${BENCH_PLUGIN_OUTPUT_DIRECTORY}")
  endif()
  add_library(${ARG_TARGET} MODULE ${ARG_SOURCES})
  target_link_libraries(${ARG_TARGET} PRIVATE bench::plugin_sdk ${ARG_LIBS})
  set_target_properties(${ARG_TARGET} PROPERTIES
    OUTPUT_NAME bench_${device} PREFIX lib SUFFIX .so
    POSITION_INDEPENDENT_CODE ON
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LINK_DEPENDS "${BENCH_PLUGIN_VERSION_SCRIPT}")
  if(ARG_OUTPUT_DIRECTORY)
    set_target_properties(${ARG_TARGET} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${ARG_OUTPUT_DIRECTORY}")
  endif()
  target_link_options(${ARG_TARGET} PRIVATE "LINKER:--version-script=${BENCH_PLUGIN_VERSION_SCRIPT}")
  if(NOT BENCH_SANITIZE)
    # A sanitizer's run-time symbols are undefined in a shared object by design.
    target_link_options(${ARG_TARGET} PRIVATE LINKER:-z,defs)
  endif()
  # From an installed SDK only: in this tree tests/ decides what is checked and when.
  if(TARGET bench::plugin_check AND NOT TARGET bench_plugin_check)
    add_test(NAME ${ARG_TARGET}_check COMMAND bench::plugin_check "$<TARGET_FILE:${ARG_TARGET}>")
  endif()
  if(NOT ARG_NO_INSTALL)
    install(TARGETS ${ARG_TARGET} LIBRARY DESTINATION ${BENCH_PLUGIN_INSTALL_DIR})
  endif()
endfunction()

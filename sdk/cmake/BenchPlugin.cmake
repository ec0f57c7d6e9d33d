# SPDX-License-Identifier: Apache-2.0
# bench_add_plugin(DEVICE SOURCES files... [OUTPUT_DIRECTORY dir] [NO_INSTALL] [TARGET name])
# Hidden visibility, one exported symbol, no undefined symbols, no fast-math start files (they would
# flip the process's floating-point mode when the plugin is loaded).
function(bench_add_plugin device)
  cmake_parse_arguments(ARG "NO_INSTALL" "OUTPUT_DIRECTORY;TARGET" "SOURCES;LIBS" ${ARGN})
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
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY "${ARG_OUTPUT_DIRECTORY}"
    LINK_DEPENDS "${BENCH_PLUGIN_VERSION_SCRIPT}")
  target_link_options(${ARG_TARGET} PRIVATE "LINKER:--version-script=${BENCH_PLUGIN_VERSION_SCRIPT}")
  if(NOT BENCH_SANITIZE)
    # A sanitizer's run-time symbols are undefined in a shared object by design.
    target_link_options(${ARG_TARGET} PRIVATE LINKER:-z,defs)
  endif()
  if(NOT ARG_NO_INSTALL)
    install(TARGETS ${ARG_TARGET} LIBRARY DESTINATION ${BENCH_PLUGIN_INSTALL_DIR})
  endif()
endfunction()

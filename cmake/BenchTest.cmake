# SPDX-License-Identifier: Apache-2.0
# bench_add_test(NAME SOURCES files... [LIBS targets...] [LABELS labels...] [ENV A=b ...] [TIMEOUT s])
# One doctest program, one CTest entry. It links the core's internals, so that a test can reach what
# libbench.so hides. Unless ENV says otherwise the test sees no plugins but those it names itself.
function(bench_add_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LIBS;LABELS;ENV;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE bench_core bench_test_main ${ARG_LIBS})
  target_compile_definitions(${name} PRIVATE
    BENCH_HUB_DIR="${BENCH_HUB_DIR}"
    BENCH_TEST_BINARY_DIR="${CMAKE_BINARY_DIR}"
    BENCH_TEST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} SKIP_RETURN_CODE 77)
  if(ARG_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
  # What reads foreign bytes: `scripts/test` builds these alone under the sanitizers.
  if(ARG_LABELS MATCHES "loader|parser")
    if(NOT TARGET foreign_bytes_tests)
      add_custom_target(foreign_bytes_tests)
    endif()
    add_dependencies(foreign_bytes_tests ${name})
  endif()
  if(ARG_ENV)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${ARG_ENV}")
  endif()
endfunction()

# SPDX-License-Identifier: Apache-2.0
# Settings that every target of the project shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Hidden by default: two copies of the core in one process must not bind to each other's symbols.
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Everything that runs from the build tree lies in two folders, as after an installation: the core
# finds its helpers beside itself and its plugins in lib/bench/plugins-1.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(BENCH_PLUGIN_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/bench/plugins-1")
set(BENCH_PLUGIN_INSTALL_DIR "${CMAKE_INSTALL_LIBDIR}/bench/plugins-1")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlapping copies in std::string's operator+ at -O2 and above where there are none.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(BENCH_WERROR)
  add_compile_options(-Werror)
endif()
if(BENCH_SANITIZE)
  add_compile_options(-fsanitize=${BENCH_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${BENCH_SANITIZE})
endif()

find_program(BENCH_CCACHE ccache)
if(BENCH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${BENCH_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${BENCH_CCACHE}")
endif()

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)

# SPDX-License-Identifier: Apache-2.0
# What an installation consists of beside the targets: the CMake package, pkg-config files, .deb packages.
#   core     libbench.so, its helper processes and the program
#   sdk      headers, CMake and pkg-config files, for vendors and embedders
#   plugins  the plugins of this tree
include(CMakePackageConfigHelpers)

# The header is the only place that says which ABI this is.
file(STRINGS "${PROJECT_SOURCE_DIR}/sdk/include/bench/plugin_v1.h" bench_abi_lines
     REGEX "^#define BENCH_ABI_(MAJOR|MINOR) [0-9]+")
foreach(line ${bench_abi_lines})
  string(REGEX MATCH "BENCH_ABI_(MAJOR|MINOR) ([0-9]+)" matched "${line}")
  set(BENCH_ABI_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()

set(BENCH_CMAKE_INSTALL_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/bench")
set(bench_sdk_cmake "${PROJECT_SOURCE_DIR}/sdk/cmake")
configure_package_config_file("${bench_sdk_cmake}/benchConfig.cmake.in" "${PROJECT_BINARY_DIR}/benchConfig.cmake"
  INSTALL_DESTINATION "${BENCH_CMAKE_INSTALL_DIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/benchConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/benchConfig.cmake" "${PROJECT_BINARY_DIR}/benchConfigVersion.cmake"
              "${bench_sdk_cmake}/BenchPlugin.cmake" "${bench_sdk_cmake}/plugin.map"
        DESTINATION "${BENCH_CMAKE_INSTALL_DIR}" COMPONENT sdk)
install(EXPORT bench_sdk NAMESPACE bench:: FILE benchSdkTargets.cmake DESTINATION "${BENCH_CMAKE_INSTALL_DIR}"
        COMPONENT sdk)
install(EXPORT bench NAMESPACE bench:: FILE benchCoreTargets.cmake DESTINATION "${BENCH_CMAKE_INSTALL_DIR}"
        COMPONENT sdk)

# Relative to the .pc file itself: an unpacked archive or a staged tree works wherever it lies.
set(BENCH_PKGCONFIG_DIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
string(REGEX REPLACE "[^/]+" ".." BENCH_PC_PREFIX "${BENCH_PKGCONFIG_DIR}")
foreach(name bench bench-plugin)
  configure_file("${bench_sdk_cmake}/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${BENCH_PKGCONFIG_DIR}" COMPONENT sdk)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bench)
set(CPACK_PACKAGE_VENDOR "The bench project")
set(CPACK_PACKAGE_CONTACT "The bench project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL core sdk plugins)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CPACK_PACKAGE_CONTACT}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
# What a C++20 program of g++ 12 needs; asked of dpkg-shlibdeps it would be the build machine's own versions.
set(bench_needs "libc6 (>= 2.34), libstdc++6 (>= 12), libgcc-s1")
set(CPACK_DEBIAN_CORE_PACKAGE_DEPENDS "${bench_needs}, zlib1g")
set(CPACK_DEBIAN_CORE_PACKAGE_NAME bench)
set(CPACK_DEBIAN_SDK_PACKAGE_NAME bench-dev)
set(CPACK_DEBIAN_SDK_PACKAGE_DEPENDS "${bench_needs}")
set(CPACK_DEBIAN_SDK_PACKAGE_SUGGESTS "bench (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PLUGINS_PACKAGE_NAME bench-plugins)
set(CPACK_DEBIAN_PLUGINS_PACKAGE_DEPENDS "${bench_needs}, zlib1g")
set(CPACK_DEBIAN_PLUGINS_PACKAGE_SUGGESTS "bench (= ${PROJECT_VERSION})")
include(CPack)

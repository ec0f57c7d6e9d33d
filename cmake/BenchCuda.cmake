# SPDX-License-Identifier: Apache-2.0
# Headers of CUDA, of which the plugin links nothing: from a CUDA Toolkit, else from where
# scripts/setup put them. Sets BENCH_CUDA_INCLUDE_DIRS, empty if one is missing; BENCH_CUDA_MISSING says which.
# BENCH_CUDA_NVRTC_LIBRARY is a compiler for tests, which needs no device, if there is one.
set(bench_cuda_cache "$ENV{XDG_CACHE_HOME}")
if(NOT bench_cuda_cache)
  set(bench_cuda_cache "$ENV{HOME}/.cache")
endif()
set(BENCH_CUDA_PACKAGES "${bench_cuda_cache}/bench/cuda-12.9/nvidia" CACHE PATH
    "folder of unpacked nvidia-* packages, each with include/ and lib/")

set(BENCH_CUDA_INCLUDE_DIRS "")
set(BENCH_CUDA_MISSING "")
foreach(pair cuda.h|cuda_runtime nvrtc.h|cuda_nvrtc nvml.h|nvml_dev cupti.h|cuda_cupti)
  string(REPLACE "|" ";" pair "${pair}")
  list(GET pair 0 header)
  list(GET pair 1 package)
  string(MAKE_C_IDENTIFIER "BENCH_CUDA_${header}_DIR" variable)
  # What the system's own folders have is often old, and comes last.
  find_path(${variable} ${header} NO_DEFAULT_PATH
            PATHS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
            PATH_SUFFIXES include extras/CUPTI/include)
  find_path(${variable} ${header} NO_DEFAULT_PATH
            PATHS "${BENCH_CUDA_PACKAGES}/${package}" PATH_SUFFIXES include)
  find_path(${variable} ${header} PATH_SUFFIXES include extras/CUPTI/include)
  mark_as_advanced(${variable})
  if(${variable})
    list(APPEND BENCH_CUDA_INCLUDE_DIRS "${${variable}}")
  else()
    list(APPEND BENCH_CUDA_MISSING ${header})
  endif()
endforeach()
# Distributions carry older toolkits, whose headers name other revisions of the driver's functions.
if(BENCH_CUDA_cuda_h_DIR)
  file(STRINGS "${BENCH_CUDA_cuda_h_DIR}/cuda.h" bench_cuda_version REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX REPLACE "[^0-9]" "" bench_cuda_version "${bench_cuda_version}")
  if(NOT bench_cuda_version OR bench_cuda_version LESS 12000)
    list(APPEND BENCH_CUDA_MISSING "cuda.h of CUDA 12 (${BENCH_CUDA_cuda_h_DIR} is older)")
  endif()
endif()
list(REMOVE_DUPLICATES BENCH_CUDA_INCLUDE_DIRS)
if(BENCH_CUDA_MISSING)
  set(BENCH_CUDA_INCLUDE_DIRS "")
endif()

find_file(BENCH_CUDA_NVRTC_LIBRARY NAMES libnvrtc.so.13 libnvrtc.so.12
          HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
          PATHS "${BENCH_CUDA_PACKAGES}/cuda_nvrtc"
          PATH_SUFFIXES lib64 lib)
mark_as_advanced(BENCH_CUDA_NVRTC_LIBRARY)

# The part for CUDA (irn/engine/cuda/module.h), a separate library that is loaded on demand:
# lib/irn/libirn_cuda.so. IRN_WITH_CUDA: AUTO builds it if nvcc is found, ON fails if it is not. For
# processors of sm_80 (A100) and sm_90 (H100, H200), with code that the drivers of later ones translate.
set(IRN_WITH_CUDA AUTO CACHE STRING "Build the part for CUDA devices: ON, OFF, or AUTO if nvcc is there")

set(IRN_HAS_CUDA OFF)
if(IRN_WITH_CUDA AND NOT CMAKE_CROSSCOMPILING)
  find_program(IRN_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(IRN_NVCC)
    set(IRN_HAS_CUDA ON)
  elseif(NOT IRN_WITH_CUDA STREQUAL AUTO)
    message(FATAL_ERROR "IRN_WITH_CUDA is ${IRN_WITH_CUDA}, but nvcc is not there: install CUDA's toolkit, put nvcc into PATH, or turn it OFF")
  endif()
endif()

if(IRN_HAS_CUDA)
  set(CMAKE_CUDA_COMPILER ${IRN_NVCC})
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
  set(made_once OFF)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
    set(made_once ON)
  endif()
  if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
  enable_language(CUDA)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/irn/*.cu)
  # Before assembly, only code for clusters of blocks differs between these processors. The rest is compiled
  # once and assembled for both, to the same machine code in two thirds of the time.
  set(with_clusters ${sources})
  list(FILTER with_clusters INCLUDE REGEX "/(cluster_[a-z_]+|adjoint)[.]cu$")
  list(REMOVE_ITEM sources ${with_clusters})
  add_library(irn_cuda_alike OBJECT ${sources})
  if(made_once)
    set_target_properties(irn_cuda_alike PROPERTIES CUDA_ARCHITECTURES OFF)
    target_compile_options(irn_cuda_alike PRIVATE -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_80,code=sm_90
                                                  -gencode=arch=compute_80,code=compute_80)
  endif()
  add_library(irn_cuda MODULE ${with_clusters} $<TARGET_OBJECTS:irn_cuda_alike>)
  foreach(target irn_cuda_alike irn_cuda)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include)
    # CMake 3.25 does not know what nvcc 13 supports. Divisions and roots are good to an ulp or two, which
    # halves the instructions of a sigmoid.
    target_compile_options(${target} PRIVATE -std=c++20 --expt-relaxed-constexpr --compress-mode=size -prec-div=false -prec-sqrt=false)
    if(IRN_WERROR)
      target_compile_options(${target} PRIVATE "SHELL:-Werror all-warnings")
    endif()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CUDA_VISIBILITY_PRESET hidden)
  endforeach()
  # In replicas, numbers below 1e-38 are zero, as on the processor.
  file(GLOB replicas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/irn/engine/cuda/replica_kernels_*.cu)
  set_source_files_properties(${replicas} PROPERTIES COMPILE_OPTIONS "-ftz=true")
  set_target_properties(irn_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/irn)
  # OPTIONAL: a build of the other targets alone can be installed.
  install(TARGETS irn_cuda LIBRARY DESTINATION lib/irn OPTIONAL)
endif()

# The part for CUDA (irn/engine/cuda/module.h), a library of its own that is loaded when it is needed: lib/irn/libirn_cuda.so.
# IRN_WITH_CUDA: AUTO builds it where nvcc is, ON fails where it is not. For the processors of sm_80 (A100) and sm_90 (H100, H200), with code that
# drivers of later ones translate.
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
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
  endif()
  if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
  enable_language(CUDA)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/irn/*.cu)
  add_library(irn_cuda MODULE ${sources})
  target_include_directories(irn_cuda PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include)
  # CMake 3.25 does not know what nvcc 13 can. Divisions and roots are good to an ulp or two: half the instructions of a sigmoid.
  target_compile_options(irn_cuda PRIVATE -std=c++20 --expt-relaxed-constexpr --compress-mode=size -prec-div=false -prec-sqrt=false)
  # In replicas numbers below 1e-38 are zero, as on the processor.
  file(GLOB replicas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/irn/engine/cuda/replica_kernels_*.cu)
  set_source_files_properties(${replicas} PROPERTIES COMPILE_OPTIONS "-ftz=true")
  if(IRN_WERROR)
    target_compile_options(irn_cuda PRIVATE "SHELL:-Werror all-warnings")
  endif()
  set_target_properties(irn_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static CUDA_VISIBILITY_PRESET hidden
                                            LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/irn)
  install(TARGETS irn_cuda LIBRARY DESTINATION lib/irn OPTIONAL)  # of those who built the rest alone, nothing more is asked
endif()

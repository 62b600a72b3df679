# The libraries that irn depends on. None of them appears in a public header; those who link the static
# library need only Highway, zlib and threads (see irn-config.cmake.in and irn.pc.in).

find_package(Threads REQUIRED)
find_package(hwy REQUIRED)
find_package(ZLIB REQUIRED)
find_package(FastFloat REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_path(IRN_RANDOM123_DIR Random123/philox.h REQUIRED)

# For IRN_WITH_OPENBLAS, and for benchmarks that compare with it.
find_library(IRN_OPENBLAS_LIBRARY openblas)
find_path(IRN_OPENBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas-pthread openblas)
if(IRN_WITH_OPENBLAS AND NOT (IRN_OPENBLAS_LIBRARY AND IRN_OPENBLAS_INCLUDE))
  message(FATAL_ERROR "IRN_WITH_OPENBLAS is ON, but OpenBLAS is not there: install libopenblas-pthread-dev or turn it OFF")
endif()

if(IRN_BUILD_TESTS OR IRN_BUILD_APPS OR IRN_BUILD_BENCH)
  find_package(fmt REQUIRED)
endif()
if(IRN_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()

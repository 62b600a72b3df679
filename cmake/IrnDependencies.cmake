# What the library stands on. Nothing here shows in a public header; only Highway, zlib and threads are needed by
# those who link the static library (see irn-config.cmake.in and irn.pc.in).

find_package(Threads REQUIRED)
find_package(hwy REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(FastFloat REQUIRED)
find_package(nlohmann_json REQUIRED)
find_path(IRN_RANDOM123_DIR Random123/philox.h REQUIRED)

if(IRN_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(Eigen3 REQUIRED NO_MODULE)
  find_package(rapidcheck REQUIRED)
endif()

# One call for each folder. irn/<folder>/CMakeLists.txt is the line
#
#   irn_folder()
#
# which adds every *.cpp below the folder to the library and builds the *_test.cpp into one GoogleTest
# program, irn_<folder>_test. A new file needs no line anywhere.

function(irn_library)
  add_library(irn)
  add_library(irn::irn ALIAS irn)
  irn_compile(irn)
  set_target_properties(irn PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                                       POSITION_INDEPENDENT_CODE ON)
  configure_file(irn/base/version.h.in include/irn/base/version.h @ONLY)
  target_include_directories(irn PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                        $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_include_directories(irn SYSTEM PRIVATE ${IRN_RANDOM123_DIR})
  # Header-only libraries are used only inside our objects: consumers of the installed library never see them.
  target_link_libraries(irn PRIVATE hwy::hwy ZLIB::ZLIB Threads::Threads
                                    $<BUILD_INTERFACE:FastFloat::fast_float>
                                    $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
                                    $<BUILD_INTERFACE:Eigen3::Eigen>)
  if(IRN_WITH_OPENBLAS)
    target_compile_definitions(irn PRIVATE IRN_WITH_OPENBLAS)
    target_include_directories(irn SYSTEM PRIVATE ${IRN_OPENBLAS_INCLUDE})
    target_link_libraries(irn PRIVATE openblas)
  endif()
endfunction()

function(irn_add_if_present folder)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endfunction()

# A GoogleTest program. Each TEST becomes one ctest, so that ctest -j distributes them and names the one that
# failed.
function(irn_test name)
  include(GoogleTest)
  add_executable(${name} ${ARGN})
  irn_compile(${name})
  irn_compile_quickly(${name})
  target_link_libraries(${name} PRIVATE irn::irn hwy::hwy ZLIB::ZLIB fmt::fmt nlohmann_json::nlohmann_json
                                        Eigen3::Eigen rapidcheck GTest::gmock GTest::gtest_main)
  set(longest 600)
  if(CMAKE_CROSSCOMPILING)  # under an emulator
    set(longest 7200)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${longest} LABELS ${name})
endfunction()

function(irn_folder)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(sources)
    target_sources(irn PRIVATE ${sources})
  endif()
  if(tests AND IRN_BUILD_TESTS)
    irn_test(irn_${folder}_test ${tests})
  endif()
endfunction()

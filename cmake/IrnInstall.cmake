# cmake --install: headers, library, find_package(irn) and a pkg-config file. tests/install proves it.
include(CMakePackageConfigHelpers)
set(IRN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/irn)

install(TARGETS irn EXPORT irn-targets)
install(DIRECTORY irn ${PROJECT_BINARY_DIR}/include/irn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*-inl.h" EXCLUDE PATTERN "irn/engine/cuda" EXCLUDE)
install(EXPORT irn-targets NAMESPACE irn:: DESTINATION ${IRN_CMAKE_DIR})

configure_package_config_file(cmake/irn-config.cmake.in irn-config.cmake INSTALL_DESTINATION ${IRN_CMAKE_DIR})
write_basic_package_version_file(irn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/irn-config.cmake ${PROJECT_BINARY_DIR}/irn-config-version.cmake
        DESTINATION ${IRN_CMAKE_DIR})

# ${pcfiledir} keeps the file right wherever the prefix is moved, and with `cmake --install --prefix`.
file(RELATIVE_PATH IRN_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
# A shared libirn hides its dependencies; a static one passes them on to its users, who rarely know to ask
# pkg-config for --static.
set(IRN_PC_PACKAGES "libhwy zlib")
if(IRN_WITH_OPENBLAS)
  string(APPEND IRN_PC_PACKAGES " openblas")
endif()
if(BUILD_SHARED_LIBS)
  set(IRN_PC_NEEDS "Requires.private: ${IRN_PC_PACKAGES}\nLibs.private: -pthread")
else()
  set(IRN_PC_NEEDS "Requires: ${IRN_PC_PACKAGES}\nLibs.private: -pthread")
endif()
configure_file(cmake/irn.pc.in irn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/irn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# What differs between the packages; cpack reads this once for each of them.
if(CPACK_GENERATOR STREQUAL TGZ)
  set(CPACK_COMPONENTS_ALL static manual)
  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()

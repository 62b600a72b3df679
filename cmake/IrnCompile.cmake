# How every target of this project is compiled. Options are set on targets, never globally, so that irn can be
# a subproject without affecting its host, and never exported, so that consumers keep their own.

find_program(IRN_CCACHE ccache)
if(IRN_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${IRN_CCACHE})
endif()

# Options and descriptions are aggregates; a member left out means its default and is no oversight.
set(IRN_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                 -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND IRN_WARNINGS -Wno-restrict)  # false alarms on "text" + std::string (GCC bug 105651)
endif()
if(IRN_WERROR)
  list(APPEND IRN_WARNINGS -Werror)
endif()

# No contraction: a*b+c must round the same way on every CPU and compiler; kernels that want a fused
# multiply-add ask for it. No -march: Highway chooses the instruction set at run time, so one binary runs
# everywhere.
set(IRN_FLOATING_POINT -ffp-contract=off -fno-fast-math)

# arm64: NEON is part of the architecture, so there is nothing to choose at run time. With g++, Highway would
# mark every function for the cryptographic extension. Such functions cannot be inlined into unmarked ones,
# and a Raspberry Pi 4 lacks the extension. Without <sys/auxv.h> Highway takes the NEON that the compiler
# itself may use.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(IRN_HIGHWAY TOOLCHAIN_MISS_SYS_AUXV_H)
endif()

function(irn_compile target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${IRN_WARNINGS} ${IRN_FLOATING_POINT})
  target_compile_definitions(${target} PRIVATE ${IRN_HIGHWAY})
  if(IRN_FEW_TARGETS)
    target_compile_definitions(${target} PRIVATE IRN_FEW_TARGETS)
  endif()
  if(IRN_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${IRN_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${IRN_SANITIZE})
  endif()
endfunction()

# For tests and for code that only calls the library and prints: it compiles in a third less time and runs as
# fast.
function(irn_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

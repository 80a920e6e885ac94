# SPDX-License-Identifier: BSD-3-Clause
# find_package(tofa): target tofa::core, with all that the static library needs.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/tofa-targets.cmake)

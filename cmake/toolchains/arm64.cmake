# 64-bit ARM, with NEON, under qemu-user.
include(${CMAKE_CURRENT_LIST_DIR}/foreign.cmake)
use_emulated(aarch64)
find_foreign_packages(build-arm64 aarch64-linux-gnu)

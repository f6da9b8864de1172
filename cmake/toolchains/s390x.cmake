# s390x, which is big-endian, under qemu-user.
include(${CMAKE_CURRENT_LIST_DIR}/foreign.cmake)
use_emulated(s390x)
find_foreign_packages(build-s390x s390x-linux-gnu)

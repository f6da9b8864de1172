# 32-bit x86: this machine's own gcc with -m32. Programs run on the processor itself.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_C_COMPILER gcc)
# <asm/errno.h> lies with the 64-bit headers: the package gcc-multilib, which links it, excludes all cross compilers.
set(CMAKE_C_FLAGS_INIT "-m32 -idirafter /usr/include/x86_64-linux-gnu")
include(${CMAKE_CURRENT_LIST_DIR}/foreign.cmake)
find_foreign_packages(build-m32 i386-linux-gnu)

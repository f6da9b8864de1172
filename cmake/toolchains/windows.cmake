# Windows on x86-64: Debian's mingw-w64, in the flavour that has POSIX threads; programs run under wine. scripts/windows
# makes what lies in build-windows: cmocka for Windows, and the folder in which wine keeps what it has of Windows.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static) # programs need no DLL of the compiler's
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/wine)
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_CURRENT_LIST_DIR}/../../build-windows/cmocka/lib/pkgconfig)

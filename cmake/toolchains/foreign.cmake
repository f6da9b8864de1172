# What the toolchains of other machines share. scripts/ports has unpacked cmocka of that machine into BUILD-FOLDER/root.
# The installed compilers and libraries are Debian's.

# find_foreign_packages(BUILD-FOLDER TRIPLET): looks for libraries there and nowhere on this machine.
macro(find_foreign_packages build_folder triplet)
    get_filename_component(foreign_root ${CMAKE_CURRENT_LIST_DIR}/../../${build_folder}/root ABSOLUTE)
    set(ENV{PKG_CONFIG_SYSROOT_DIR} ${foreign_root})
    set(ENV{PKG_CONFIG_LIBDIR} ${foreign_root}/usr/lib/${triplet}/pkgconfig)
    list(APPEND CMAKE_FIND_ROOT_PATH ${foreign_root})
    set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
    set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
    set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
endmacro()

# use_emulated(PROCESSOR): a cross compiler, and programs that run under qemu-user.
macro(use_emulated processor)
    set(CMAKE_SYSTEM_NAME Linux)
    set(CMAKE_SYSTEM_PROCESSOR ${processor})
    set(CMAKE_C_COMPILER ${processor}-linux-gnu-gcc)
    set(CMAKE_FIND_ROOT_PATH /usr/${processor}-linux-gnu)
    find_program(BROADPHASE_QEMU qemu-${processor} REQUIRED)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${BROADPHASE_QEMU} -L /usr/${processor}-linux-gnu)
endmacro()

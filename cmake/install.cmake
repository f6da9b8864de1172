# Headers, libraries, tool, a CMake package and broadphase.pc. All of it can be moved: no path is written into a file.
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/broadphase)

install(FILES ${public_headers} include/broadphase/broadphase.hpp include/broadphase/broadphase_values.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/broadphase)
install(TARGETS broadphase broadphase_shared EXPORT broadphase)
if(WIN32)
    install(FILES ${export_list} DESTINATION ${CMAKE_INSTALL_LIBDIR}) # for linkers that make their own import library of it
endif()
if(BROADPHASE_TOOL)
    install(TARGETS broadphase_installed_tool)
    if(NOT CMAKE_CROSSCOMPILING)
        set(manual ${PROJECT_BINARY_DIR}/installed/manual)
        install(FILES ${manual}/broadphase.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
        install(FILES ${manual}/broadphase DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
        install(FILES ${manual}/_broadphase DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
        install(FILES ${manual}/broadphase.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    endif()
endif()

install(EXPORT broadphase FILE broadphaseConfig.cmake NAMESPACE broadphase:: DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/broadphaseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/broadphaseConfigVersion.cmake DESTINATION ${package_directory})

file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
list(JOIN link_libraries " " pc_private_libraries)
configure_file(cmake/broadphase.pc.in broadphase.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/broadphase.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

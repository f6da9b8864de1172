# Writes a header that names the commit of a source tree, with -dirty where files differ from it. The header is touched only
# when that has changed, so that nothing is compiled again without need.
# usage: cmake -D source=DIRECTORY -D header=FILE -P commit.cmake
cmake_minimum_required(VERSION 3.22)
execute_process(COMMAND git describe --always --dirty --tags WORKING_DIRECTORY ${source}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
    set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${header} CONTENT "#define ABOUT_COMMIT \"${commit}\"\n")

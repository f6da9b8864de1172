# Makes a wheel of the package in `from` and its compiled `modules`, in the folder `to`: cmake -D from=... -P wheel.cmake
set(copy ${to}/package)
file(REMOVE_RECURSE ${copy})
file(GLOB old_wheels ${to}/*.whl)
file(REMOVE ${to}/made ${old_wheels})
file(COPY ${from}/README.md ${from}/pyproject.toml ${from}/setup.py ${from}/broadphase DESTINATION ${copy}
    PATTERN __pycache__ EXCLUDE)
file(COPY ${from}/../../LICENSE DESTINATION ${copy})
foreach(module ${modules})
    file(COPY ${module} DESTINATION ${copy}/broadphase FOLLOW_SYMLINK_CHAIN)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E env BROADPHASE_VERSION=${version} PYTHONWARNINGS=ignore
    ${python} setup.py --quiet bdist_wheel --py-limited-api cp311 --dist-dir ${to}
    WORKING_DIRECTORY ${copy} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed)
    message(FATAL_ERROR "the wheel could not be made:\n${said}")
endif()
file(REMOVE_RECURSE ${copy})
file(GLOB new_wheels ${to}/*.whl)
message(STATUS "${new_wheels}")
file(TOUCH ${to}/made)

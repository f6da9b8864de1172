# Makes C++ of a file of cuda/, with its lines where they were: -D from=FILE.cu -D to=FILE.cpp
file(READ ${from} text)
# kernel<<<shape>>>( becomes a call; the kernel is a name, with or without template arguments
string(REGEX REPLACE "([a-z_]+(<[A-Za-z0-9_, ]+>)?)([ \n]*)<<<(([^>]|->)+)>>>\\("
    "on_host::launch(\"\\1\", [&](const auto &...given) { (\\1)(given...); },\\3\\4)(" text "${text}")
string(REGEX REPLACE "extern __shared__ ([a-z0-9 ]+) ([a-z]+)\\[\\]"
    "\\1 *\\2 = static_cast<\\1 *>(on_host::shared_memory())" text "${text}")
string(REGEX REPLACE "#include <cub/[a-z_/]+\\.cuh>" "#include <cub_on_host.h>" text "${text}")
file(WRITE ${to} "#line 1 \"${from}\"\n${text}")

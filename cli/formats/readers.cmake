# The readers of boxes (box_reader.h) and all that they need: part of the tool, and of what browsers read files with.
set(box_reader_sources
    box_csv.c
    box_form.c
    box_list.c
    box_npy.c
    box_npz.c
    box_obj.c
    box_ply.c
    box_reader.c
    box_stl.c
    failure.c
    inflate.c
    input.c
    line_reader.c
    mesh.c
    npy.c
    number.c
    ply.c
)
list(TRANSFORM box_reader_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

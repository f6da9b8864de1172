// Prints a program as C, to report a defect.
#include "programs/program.h"

#include <math.h>
#include <string.h>

typedef struct printer {
    FILE *to;
    size_t fields; // of the initialiser that is being written
} printer;

// ---- values --------------------------------------------------------------------------------------------------------

static void print_number(FILE *to, double value, bool wide) {
    if (isnan(value) || isinf(value)) {
        (void)fputs(isnan(value) ? "NAN" : value > 0 ? "INFINITY" : "-INFINITY", to);
    } else if (value == rint(value) && fabs(value) < 1e6) {
        (void)fprintf(to, "%s%.0f", signbit(value) ? "-" : "", fabs(value));
        (void)fputs(signbit(value) && value == 0.0 ? ".0" : "", to);
    } else {
        (void)fprintf(to, wide ? "%a" : "%af", value);
    }
}

static void print_box(FILE *to, const bp_box_double *box, bool wide) {
    (void)fputs("{", to);
    for (int end = 0; end < 2; ++end) {
        (void)fputs(end == 0 ? "{" : ", {", to);
        for (int axis = 0; axis < 3; ++axis) {
            (void)fputs(axis == 0 ? "" : ", ", to);
            print_number(to, end == 0 ? box->min[axis] : box->max[axis], wide);
        }
        (void)fputs("}", to);
    }
    (void)fputs("}", to);
}

static void print_object(FILE *to, const bp_object *o) {
    (void)fprintf(to, "{%llu, %llu, %u, %u, %llu, %llu}", (unsigned long long)o->group, (unsigned long long)o->mask,
                  o->flags, o->island, (unsigned long long)o->user, (unsigned long long)o->reserved);
}

// ---- the config ----------------------------------------------------------------------------------------------------

static void field(printer *p, const char *name, long long value) {
    if (value != 0) {
        (void)fprintf(p->to, "%s.%s = %lld", p->fields++ == 0 ? "" : ", ", name, value);
    }
}

static void field_float(printer *p, const char *name, float value) {
    if (value != 0.0f) {
        (void)fprintf(p->to, "%s.%s = %a", p->fields++ == 0 ? "" : ", ", name, (double)value);
    }
}

static void field_axis(printer *p, const char *name, int axis, float value) {
    char whole[32];
    (void)snprintf(whole, sizeof whole, "%s[%d]", name, axis);
    field_float(p, whole, value);
}

static void print_arrays(printer *p, const bp_method_settings *m) {
    for (int axis = 0; axis < 3; ++axis) {
        char name[32];
        (void)snprintf(name, sizeof name, "grid_size[%d]", axis);
        field(p, name, m->grid_size[axis]);
        field_axis(p, "domain.min", axis, m->domain.min[axis]);
        field_axis(p, "domain.max", axis, m->domain.max[axis]);
    }
}

static void print_settings(FILE *to, const bp_method_settings *m) {
    printer p = {.to = to};
    (void)fprintf(to, "    bp_method_settings settings = {");
    field(&p, "simd", m->simd);
    field_float(&p, "hierarchy_factor", m->hierarchy_factor);
    field_float(&p, "cell_size", m->cell_size);
    field_float(&p, "grid_load", m->grid_load);
    field(&p, "grid_form", m->grid_form);
    field(&p, "brute_force_below", m->brute_force_below);
    field(&p, "hash_table", m->hash_table);
    field(&p, "hash_cell_limit", m->hash_cell_limit);
    field(&p, "pivot_layout", m->pivot_layout);
    field(&p, "chunk_size", m->chunk_size);
    field(&p, "grid_entries", m->grid_entries);
    field(&p, "compact_keys", m->compact_keys);
    field(&p, "compact_sort", m->compact_sort);
    field(&p, "octree_max_objects", m->octree_max_objects);
    field(&p, "octree_max_depth", m->octree_max_depth);
    field_float(&p, "looseness", m->looseness);
    field(&p, "bvh_build", m->bvh_build);
    field(&p, "bvh_split", m->bvh_split);
    field(&p, "bvh_axis", m->bvh_axis);
    field(&p, "bvh_descent", m->bvh_descent);
    field(&p, "sweep_axes", m->sweep_axes);
    print_arrays(&p, m);
    (void)fprintf(to, "%s};\n", p.fields == 0 ? "0" : "");
}

static void print_config(FILE *to, const bp_config *c, bp_method method) {
    printer p = {.to = to};
    (void)fprintf(to, "    bp_config config = {");
    field(&p, "method", (long long)method);
    field(&p, "dimensions", c->dimensions);
    field(&p, "threads", c->threads);
    field(&p, "update", c->update == BP_UPDATE_INDIVIDUAL && !is_incremental(method) ? 0 : (long long)c->update);
    field(&p, "pair_order", c->pair_order);
    field(&p, "flags", c->flags);
    field(&p, "shape", c->shape);
    field_float(&p, "margin", c->margin);
    for (int axis = 0; axis < 3; ++axis) {
        field_axis(&p, "period", axis, c->period[axis]);
    }
    (void)fprintf(to, "%s.settings = &settings};\n", p.fields == 0 ? "" : ", ");
}

// ---- calls ---------------------------------------------------------------------------------------------------------

static void print_boxes(FILE *to, const step *s) {
    (void)fprintf(to, "(const bp_box%s[]){", s->wide ? "_double" : "");
    for (size_t i = 0; i < s->count; ++i) {
        (void)fputs(i == 0 ? "" : ", ", to);
        print_box(to, &s->items[i].box, s->wide);
    }
    (void)fputs("}", to);
}

static void print_objects(FILE *to, const step *s) {
    (void)fputs(s->without ? "NULL" : "(const bp_object[]){", to);
    for (size_t i = 0; i < s->count && !s->without; ++i) {
        (void)fputs(i == 0 ? "" : ", ", to);
        print_object(to, &s->items[i].object);
    }
    (void)fputs(s->without ? "" : "}", to);
}

static void print_ids(FILE *to, const step *s) {
    (void)fputs(s->without ? "NULL" : "(const bp_id[]){", to);
    for (size_t i = 0; i < s->count && !s->without; ++i) {
        (void)fprintf(to, "%s%u", i == 0 ? "" : ", ", s->items[i].id);
    }
    (void)fputs(s->without ? "" : "}", to);
}

// A call of no objects needs no arrays, which C could not write down.
static void print_empty(FILE *to, const step *s) {
    const char *name = s->what == OPERATION_ADD ? "add" : "move";
    (void)fprintf(to, "bp_%s_many%s(world, 0, NULL, NULL%s)", name, s->wide ? "_double" : "",
                  s->what == OPERATION_ADD ? ", NULL" : "");
}

static void print_add(FILE *to, const step *s) {
    (void)fprintf(to, "bp_add%s%s(world, ", s->many ? "_many" : "", s->wide ? "_double" : "");
    if (s->many) {
        (void)fprintf(to, "%zu, ", s->count);
    }
    print_boxes(to, s);
    (void)fputs(", ", to);
    print_objects(to, s);
    (void)fputs(", ids)", to);
}

static void print_move(FILE *to, const step *s) {
    (void)fprintf(to, "bp_move%s%s(world, ", s->many ? "_many" : "", s->wide ? "_double" : "");
    if (s->many) {
        (void)fprintf(to, "%zu, ", s->count);
        print_ids(to, s);
    } else {
        (void)fprintf(to, "%u", s->items[0].id);
    }
    (void)fputs(", ", to);
    print_boxes(to, s);
    (void)fputs(")", to);
}

static void print_asker(FILE *to, const step *s) {
    if (s->without) {
        (void)fputs("NULL", to);
    } else {
        (void)fputs("&(const bp_object)", to);
        print_object(to, &s->items[0].object);
    }
}

static void print_numbers(FILE *to, const float *values, size_t count) {
    (void)fputs("{", to);
    for (size_t i = 0; i < count; ++i) {
        (void)fputs(i == 0 ? "" : ", ", to);
        print_number(to, (double)values[i], false);
    }
    (void)fputs("}", to);
}

static void print_query(FILE *to, const step *s) {
    const step narrow = {.items = {s->items[0]}, .count = 1};
    if (s->what == OPERATION_QUERY_BOX) {
        (void)fputs("bp_query_box(world, ", to);
        print_boxes(to, &narrow);
    } else if (s->what == OPERATION_QUERY_RAY) {
        (void)fputs("bp_query_ray(world, &(const bp_ray){", to);
        print_numbers(to, s->ray, 3);
        (void)fputs(", ", to);
        print_numbers(to, s->ray + 3, 3);
        (void)fputs(", ", to);
        print_number(to, (double)s->ray[6], false);
        (void)fputs("}", to);
    } else {
        (void)fputs("bp_query_nearest(world, (const float[])", to);
        print_numbers(to, s->ray, 3);
        (void)fprintf(to, ", %zu", s->capacity > 0 ? s->capacity : 1);
    }
    (void)fputs(", ", to);
    print_asker(to, s);
    static const char *const lists[] = {"ids", "hits", "near"};
    (void)fprintf(to, ", %s", lists[s->what - OPERATION_QUERY_BOX]);
    if (s->what != OPERATION_QUERY_NEAREST) {
        (void)fprintf(to, ", %zu", s->capacity);
    }
    (void)fputs(", &found)", to);
}

static void print_call(FILE *to, const step *s) {
    (void)fputs("    told(", to);
    if (s->count == 0 && s->many) {
        print_empty(to, s);
    } else if (s->what == OPERATION_ADD) {
        print_add(to, s);
    } else if (s->what == OPERATION_MOVE) {
        print_move(to, s);
    } else if (s->what >= OPERATION_QUERY_BOX && s->what <= OPERATION_QUERY_NEAREST) {
        print_query(to, s);
    } else if (s->what == OPERATION_REMOVE) {
        (void)fprintf(to, "bp_remove(world, %u)", s->items[0].id);
    } else if (s->what == OPERATION_SET_OBJECT) {
        (void)fprintf(to, "bp_set_object(world, %u, ", s->items[0].id);
        print_objects(to, &(step){.count = 1, .items = {s->items[0]}});
        (void)fputs(")", to);
    } else if (s->what == OPERATION_GET_OBJECT) {
        (void)fprintf(to, "bp_get_object(world, %u, NULL, NULL)", s->items[0].id);
    } else if (s->what == OPERATION_RESERVE) {
        (void)fprintf(to, "bp_world_reserve(world, %zu)", s->capacity);
    } else if (s->what == OPERATION_VALIDATE) {
        (void)fputs("bp_world_validate(world)", to);
    } else if (s->what == OPERATION_SAVE_AND_LOAD) {
        (void)fprintf(to, "saved_and_loaded(&world, &config, &settings, %u, %d)", s->method, s->without);
    } else if (s->what == OPERATION_FIND) {
        (void)fprintf(to, "called(world, &config, %d, %d)", s->wide, !s->without);
    } else {
        (void)fputs("updated(world)", to);
    }
    (void)fputs(");\n", to);
}

// ---- the frame -----------------------------------------------------------------------------------------------------

static const char *const PRELUDE[] = {
    "#include <broadphase/broadphase.h>\n",
    "#include <broadphase/broadphase_methods.h>\n",
    "#include <math.h>\n",
    "#include <stdio.h>\n",
    "#include <string.h>\n\n",
    "static bp_id ids[4096];\n",
    "static bp_ray_hit hits[4096];\n",
    "static bp_near near[4096];\n",
    "static size_t found;\n",
    "static unsigned char bytes[1 << 22];\n",
    "static size_t written, read_from;\n\n",
    "static void told(bp_status status) {\n",
    "    printf(\"%s\\n\", bp_status_text(status));\n",
    "}\n\n",
    "static void list(const char *what, const bp_pair *pairs, size_t count) {\n",
    "    for (size_t i = 0; i < count; ++i) {\n",
    "        printf(\"%s (%u, %u)\\n\", what, pairs[i].a, pairs[i].b);\n",
    "    }\n",
    "}\n\n",
    "static inline bp_status updated(bp_world *world) {\n",
    "    bp_result result = {0};\n",
    "    const bp_status status = bp_update(world, &result);\n",
    "    list(\"pair\", result.pairs, result.pair_count);\n",
    "    list(\"begun\", result.begun, result.begun_count);\n",
    "    list(\"ended\", result.ended, result.ended_count);\n",
    "    return status;\n",
    "}\n\n",
    "static inline bp_status called(const bp_world *world, const bp_config *config, int wide, int between) {\n",
    "    static bp_box_double boxes[4096];\n",
    "    static bp_box floats[4096];\n",
    "    bp_pairs pairs = {0};\n",
    "    size_t count = 0;\n",
    "    for (bp_id id = 0; id < 4096; ++id) {\n",
    "        if (bp_get_object_double(world, id, &boxes[count], NULL) == BP_OK) {\n",
    "            for (int axis = 0; axis < 3; ++axis) {\n",
    "                floats[count].min[axis] = (float)boxes[count].min[axis];\n",
    "                floats[count].max[axis] = (float)boxes[count].max[axis];\n",
    "            }\n",
    "            ++count;\n",
    "        }\n",
    "    }\n",
    "    const size_t first = between ? count / 3 : 0, rest = count - first;\n",
    "    const bp_status status =\n",
    "        between ? wide ? bp_find_pairs_between_double(boxes, first, boxes + first, rest, config, &pairs)\n",
    "                       : bp_find_pairs_between(floats, first, floats + first, rest, config, &pairs)\n",
    "        : wide  ? bp_find_pairs_double(boxes, count, config, &pairs)\n",
    "                : bp_find_pairs(floats, count, config, &pairs);\n",
    "    list(\"found\", pairs.data, pairs.count);\n",
    "    bp_pairs_free(&pairs, config);\n",
    "    return status;\n",
    "}\n\n",
    "static int keep(void *context, const void *from, size_t size) {\n",
    "    (void)context;\n",
    "    memcpy(bytes + written, from, size);\n",
    "    written += size;\n",
    "    return 1;\n",
    "}\n\n",
    "static int give(void *context, void *to, size_t size) {\n",
    "    (void)context;\n",
    "    memcpy(to, bytes + read_from, size);\n",
    "    read_from += size;\n",
    "    return read_from <= written;\n",
    "}\n\n",
    "static inline bp_status saved_and_loaded(bp_world **world, bp_config *config, bp_method_settings *settings,\n",
    "                                         unsigned ahead, int otherwise) {\n",
    "    written = read_from = 0;\n",
    "    told(bp_world_save(*world, keep, NULL));\n",
    "    bp_world_destroy(*world);\n",
    "    do {\n",
    "        config->method = (bp_method)(((size_t)config->method + ahead) % bp_method_count());\n",
    "        ahead = 1;\n",
    "    } while (config->dimensions == 2 && (bp_method_supports(config->method) & BP_SUPPORTS_2D) == 0);\n",
    "    if ((bp_method_supports(config->method) & BP_SUPPORTS_INCREMENTAL) == 0) {\n",
    "        config->update = BP_UPDATE_AUTOMATIC;\n",
    "    }\n",
    "    if (otherwise) {\n",
    "        config->pair_order = config->pair_order == BP_ORDER_SORTED ? BP_ORDER_FOUND : BP_ORDER_SORTED;\n",
    "        settings->brute_force_below ^= 1;\n",
    "    }\n",
    "    return bp_world_load(config, give, NULL, world);\n",
    "}\n\n",
    "int main(void) {\n",
};

void program_print(const program *p, bp_method method, const outcome *found, FILE *to) {
    (void)fprintf(to, "// method %s, call %zu: %s\n", bp_method_name((size_t)method), found->at, found->text);
    for (size_t i = 0; i < COUNT_OF(PRELUDE); ++i) {
        (void)fputs(PRELUDE[i], to);
    }
    print_settings(to, &p->settings);
    print_config(to, &p->config, method);
    (void)fputs("    bp_world *world = NULL;\n    told(bp_world_create(&config, &world));\n", to);
    for (size_t i = 0; i < p->count; ++i) {
        print_call(to, &p->steps[i]);
    }
    (void)fputs("    (void)ids, (void)hits, (void)near, (void)found;\n    bp_world_destroy(world);\n}\n", to);
}

#include "cuda_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { IDLE_MOST = 4 };

static cuda_library library;
static bool is_loaded;
static cuda_slot *idle; // the one that was used last comes first

// ---------------------------------------------------------------------------------------------------------------------
// Loading

// POSIX has symbols as pointers to data; those of functions have the same bits.
static bool find_symbol(void *handle, const char *name, void *function) {
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool find_symbols(void *handle) {
    return find_symbol(handle, "bp_version", &library.version) &&
           find_symbol(handle, "bp_cuda_create", &library.create) &&
           find_symbol(handle, "bp_cuda_destroy", &library.destroy) &&
           find_symbol(handle, "bp_cuda_find_pairs", &library.find_pairs) &&
           find_symbol(handle, "bp_cuda_find_pairs_between", &library.find_pairs_between) &&
           find_symbol(handle, "bp_cuda_find_neighbors", &library.find_neighbors) &&
           find_symbol(handle, "bp_cuda_find_neighbors_variable", &library.find_neighbors_variable) &&
           find_symbol(handle, "bp_cuda_find_neighbors_between", &library.find_neighbors_between) &&
           find_symbol(handle, "bp_cuda_find_pairs_double", &library.find_pairs_double) &&
           find_symbol(handle, "bp_cuda_find_pairs_between_double", &library.find_pairs_between_double) &&
           find_symbol(handle, "bp_cuda_find_neighbors_double", &library.find_neighbors_double) &&
           find_symbol(handle, "bp_cuda_widen", &library.widen) &&
           find_symbol(handle, "bp_cuda_widen_double", &library.widen_double) &&
           find_symbol(handle, "bp_cuda_device_of", &library.device_of) &&
           find_symbol(handle, "bp_cuda_use_device", &library.use_device) &&
           find_symbol(handle, "bp_cuda_allocate", &library.allocate) &&
           find_symbol(handle, "bp_cuda_release", &library.release);
}

// Its structs must be ours: before 1.0 every version may change them.
static bool check_library(void *handle, const char *path) {
    if (!find_symbols(handle)) {
        PyErr_Format(core.unsupported_error, "%s is not libbroadphase_cuda version %s: %s", path, bp_version(),
                     dlerror());
        return false;
    }
    if (strcmp(library.version(), bp_version()) == 0) return true;
    PyErr_Format(core.unsupported_error, "%s has version %s, but this package has version %s; they must be the same",
                 path, library.version(), bp_version());
    return false;
}

// True: it is loaded. False: why not is in `reasons`, or an exception is set.
static bool try_path(const char *path, PyObject **reasons) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL) {
        is_loaded = check_library(handle, path);
        if (!is_loaded) dlclose(handle);
        return is_loaded;
    }
    PyObject *more = PyUnicode_FromFormat("%U\n  %s", *reasons, dlerror());
    if (more == NULL) return false;
    Py_DECREF(*reasons);
    *reasons = more;
    return false;
}

static void try_paths(PyObject *paths) {
    PyObject *reasons = PyUnicode_FromString("");
    const Py_ssize_t count = reasons == NULL ? 0 : PyList_Size(paths);
    for (Py_ssize_t i = 0; i < count && !is_loaded && !PyErr_Occurred(); i++) {
        const char *path = PyUnicode_AsUTF8AndSize(PyList_GetItem(paths, i), NULL);
        if (path != NULL) try_path(path, &reasons);
    }
    if (!is_loaded && !PyErr_Occurred()) {
        PyErr_Format(core.unsupported_error,
                     "arrays on a GPU need libbroadphase_cuda, which could not be loaded:%U\n"
                     "Build it where CUDA's compiler is (`make python` puts it into the wheel), name the file in the "
                     "environment variable BROADPHASE_CUDA_LIBRARY, or copy the array to the host, as with .cpu() or "
                     ".get()",
                     reasons);
    }
    Py_XDECREF(reasons);
}

const cuda_library *cuda_library_get(void) {
    return &library;
}

const cuda_library *cuda_library_load(void) {
    if (is_loaded) return &library;
    PyObject *module = PyImport_ImportModule("broadphase.gpu");
    PyObject *paths = module == NULL ? NULL : PyObject_CallMethod(module, "library_paths", NULL);
    Py_XDECREF(module);
    if (paths == NULL) return NULL;
    try_paths(paths);
    Py_DECREF(paths);
    return is_loaded ? &library : NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// Contexts

static void keep_sentence(void *context, const char *text) {
    cuda_slot *slot = context;
    strncpy(slot->sentence, text, sizeof slot->sentence - 1);
}

// All that a context reads of a config; those with other fields that matter there are refused when they are made.
static bool serves(const cuda_slot *slot, int device, const bp_config *config) {
    return slot->device == device && slot->config.dimensions == config->dimensions &&
           slot->config.period[0] == config->period[0] && slot->config.period[1] == config->period[1] &&
           slot->config.period[2] == config->period[2] && slot->config.pair_order == config->pair_order &&
           slot->config.radius_rule == config->radius_rule && slot->config.flags == config->flags &&
           slot->config.shape == config->shape && slot->config.margin == config->margin &&
           slot->config.filter.pass == config->filter.pass;
}

cuda_slot *cuda_slot_take(int device, const bp_config *config) {
    for (cuda_slot **place = &idle; *place != NULL; place = &(*place)->next) {
        if (!serves(*place, device, config)) continue;
        cuda_slot *slot = *place;
        *place = slot->next;
        return slot;
    }
    cuda_slot *slot = calloc(1, sizeof *slot);
    if (slot == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    slot->device = device;
    slot->config = *config;
    slot->config.log = (bp_log){.write = keep_sentence, .context = slot};
    return slot;
}

bp_status cuda_slot_make(cuda_slot *slot) {
    slot->sentence[0] = '\0';
    return slot->context != NULL ? BP_OK : library.create(&slot->config, &slot->context);
}

void cuda_slot_drop(cuda_slot *slot) {
    int before = slot->device;
    (void)library.use_device(slot->device, &before);
    library.destroy(slot->context);
    (void)library.use_device(before, NULL);
    free(slot);
}

static void drop_from(cuda_slot **place) {
    while (*place != NULL) {
        cuda_slot *slot = *place;
        *place = slot->next;
        cuda_slot_drop(slot);
    }
}

void cuda_slot_give(cuda_slot *slot) {
    slot->next = idle;
    idle = slot;
    cuda_slot **place = &idle;
    for (int i = 0; i < IDLE_MOST && *place != NULL; i++) place = &(*place)->next;
    drop_from(place);
}

const char free_gpu_memory_doc[] =
    "free_gpu_memory()\n--\n\n"
    "Gives the device memory back that is kept for the next call with arrays on a GPU: at most 16 MB and 84 bytes for "
    "each\n"
    "box or point of the largest call, for each of the last four settings; with float64 24 bytes more, and 8 or 16 "
    "for\n"
    "each pair of boxes that float32 cannot tell apart. Results are not touched.\n\n"
    ">>> import broadphase\n"
    ">>> broadphase.free_gpu_memory()\n";

PyObject *core_free_gpu_memory(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    drop_from(&idle);
    Py_RETURN_NONE;
}

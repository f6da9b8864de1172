// Saving and loading through MPI-IO.
//
//     header, 128 bytes | objects, by rank | pairs of the last update, by rank
//
// All numbers are little-endian, and the machine must be too. Checksums are sums over records, so they do not depend on
// which rank wrote which. A save goes to a temporary file, which replaces the named one when all is written.
#include "base/log.h"
#include "world.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 2, PATH_MOST = 4096, BLOCK = 1 << 20 };
static const char MAGIC[8] = {'b', 'p', '_', 'm', 'p', 'i', '\r', '\n'};

typedef struct file_header {
    char magic[8];
    uint32_t version;
    uint32_t order; // 0x01020304, to detect the byte order
    uint32_t dimensions, shape;
    float period[3];
    uint32_t user_bytes;
    uint64_t objects, pairs, next_id;
    uint64_t object_sum, pair_sum;
    uint64_t reserved[5];
    uint64_t own_sum; // of all bytes before it
} file_header;

_Static_assert(sizeof(file_header) == 128, "the header is 128 bytes long");

typedef struct file_object {
    uint64_t id;
    bp_box box;
    uint64_t group, mask;
    uint32_t object_flags, island;
    uint64_t user;
    uint32_t flags; // BP_MPI_NEWBORN or 0
    uint32_t padding;
} file_object; // user bytes follow, padded to a multiple of 8

// The same in version 1.
typedef struct file_object_1 {
    uint64_t id;
    bp_box box;
    uint32_t group, mask, object_flags, island;
    uint64_t user;
    uint32_t flags;
    uint32_t padding;
} file_object_1;

_Static_assert(sizeof(file_object) == 72 && sizeof(file_object_1) == 64, "records have no gaps");

static size_t object_bytes(const bp_mpi_world *world, uint32_t version) {
    const size_t bytes = version > 1 ? sizeof(file_object) : sizeof(file_object_1);
    return bytes + ((size_t)world->config.user_bytes + 7) / 8 * 8;
}

static uint64_t sum_of(const void *record, size_t bytes) {
    uint64_t sum = bytes;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)record + i, sizeof word);
        sum = bp_mpi_hash(sum + word);
    }
    return sum;
}

static bp_status file_status(bp_mpi_comm *comm, int code, const char *doing, const char *path) {
    if (code == MPI_SUCCESS) {
        return BP_OK;
    }
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, text, &length);
    bp_log_write(&comm->log, "%s: %s failed: %s", path, doing, text);
    return BP_ERROR_ARGUMENT;
}

// ---- the path ------------------------------------------------------------------------------------------------------

#define PARTIAL ".partial"

static bp_status check_path(bp_mpi_comm *comm, const char *path) {
    if (path == NULL || *path == '\0') {
        bp_log_write(&comm->log, "path is %s on rank %d", path == NULL ? "NULL" : "empty", comm->rank);
        return BP_ERROR_ARGUMENT;
    }
    if (strlen(path) + sizeof PARTIAL > PATH_MOST) {
        bp_log_write(&comm->log, "path on rank %d is longer than the %zu bytes that are possible", comm->rank,
                     PATH_MOST - sizeof PARTIAL);
        return BP_ERROR_ARGUMENT;
    }
    return BP_OK;
}

// Ranks that open different files would wait for each other. Collective.
static bp_status agree_on_path(bp_mpi_comm *comm, const char *path) {
    bp_status status = check_path(comm, path);
    uint64_t sum = 0;
    for (const char *at = path; status == BP_OK && *at != '\0'; ++at) sum = bp_mpi_hash(sum + (unsigned char)*at);
    const int64_t mine = (int64_t)(sum >> 1);
    int64_t most[2] = {mine, -mine};
    status = bp_mpi_agree_most(comm, status, most, 2);
    if (status == BP_OK && most[0] != -most[1]) {
        bp_log_write(&comm->log, "path is not the same on all ranks; on rank %d it is %s", comm->rank, path);
        status = BP_ERROR_ARGUMENT;
    }
    return status;
}

// ---- saving --------------------------------------------------------------------------------------------------------

static void pack_object(const bp_mpi_world *world, size_t index, file_object *to) {
    const bp_mpi_owned_objects *owned = &world->owned;
    const size_t user = world->config.user_bytes;
    const bp_object *object = &((const bp_object *)owned->objects.data)[index];
    memset(to, 0, object_bytes(world, VERSION));
    to->id = ((const uint64_t *)owned->ids.data)[index];
    to->box = ((const bp_box *)owned->boxes.data)[index];
    to->group = object->group;
    to->mask = object->mask;
    to->object_flags = object->flags;
    to->island = object->island;
    to->user = object->user;
    to->flags = ((const uint8_t *)owned->flags.data)[index] & BP_MPI_NEWBORN;
    if (user > 0) {
        memcpy(to + 1, (const char *)owned->user.data + index * user, user);
    }
}

// One rank's part of the file: records of one kind, written or read in blocks.
typedef struct section {
    MPI_Offset start; // of this rank's part
    size_t count, bytes;
    uint64_t sum;
} section;

static size_t block_of(const bp_mpi_world *world, const section *part) {
    const size_t limit = world->comm.limit < BLOCK ? world->comm.limit : BLOCK;
    return limit > part->bytes ? limit / part->bytes : 1;
}

static int write_objects(const bp_mpi_world *world, MPI_File file, section *part, char *block) {
    const size_t most = block_of(world, part);
    int code = MPI_SUCCESS;
    for (size_t first = 0; first < part->count && code == MPI_SUCCESS; first += most) {
        const size_t count = part->count - first < most ? part->count - first : most;
        for (size_t i = 0; i < count; ++i) {
            pack_object(world, first + i, (file_object *)(block + i * part->bytes));
            part->sum += sum_of(block + i * part->bytes, part->bytes);
        }
        code = MPI_File_write_at(file, part->start + (MPI_Offset)(first * part->bytes), block,
                                 (int)(count * part->bytes), MPI_BYTE, MPI_STATUS_IGNORE);
    }
    return code;
}

static int write_pairs(const bp_mpi_world *world, MPI_File file, section *part) {
    const size_t most = block_of(world, part);
    const bp_mpi_pair *pairs = bp_mpi_pairs_data(&world->pairs);
    int code = MPI_SUCCESS;
    for (size_t first = 0; first < part->count && code == MPI_SUCCESS; first += most) {
        const size_t count = part->count - first < most ? part->count - first : most;
        for (size_t i = 0; i < count; ++i) part->sum += sum_of(&pairs[first + i], sizeof *pairs);
        code = MPI_File_write_at(file, part->start + (MPI_Offset)(first * part->bytes), pairs + first,
                                 (int)(count * part->bytes), MPI_BYTE, MPI_STATUS_IGNORE);
    }
    return code;
}

static file_header header_of(const bp_mpi_world *world) {
    file_header header = {.version = VERSION,
                          .order = 0x01020304,
                          .dimensions = world->config.local.dimensions,
                          .shape = (uint32_t)world->config.local.shape,
                          .user_bytes = world->config.user_bytes,
                          .objects = world->objects,
                          .next_id = world->next_id};
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    memcpy(header.period, world->config.local.period, sizeof header.period);
    return header;
}

// Where this rank's parts begin, and how much there is in all.
static bp_status lay_out(bp_mpi_world *world, section parts[2], file_header *header) {
    int64_t mine[2] = {(int64_t)parts[0].count, (int64_t)parts[1].count}, before[2] = {0, 0}, all[2];
    bp_mpi_comm *comm = &world->comm;
    bp_status status = bp_mpi_check(comm, MPI_Exscan(mine, before, 2, MPI_INT64_T, MPI_SUM, comm->handle), "counting");
    if (comm->rank == 0) before[0] = before[1] = 0;
    memcpy(all, mine, sizeof all);
    status = status == BP_OK ? bp_mpi_sum(comm, all, 2) : status;
    header->pairs = (uint64_t)all[1];
    parts[0].start = (MPI_Offset)sizeof *header + before[0] * (MPI_Offset)parts[0].bytes;
    parts[1].start =
        (MPI_Offset)sizeof *header + all[0] * (MPI_Offset)parts[0].bytes + before[1] * (MPI_Offset)parts[1].bytes;
    return status;
}

static bp_status write_all(bp_mpi_world *world, const char *path, char *block) {
    bp_mpi_comm *comm = &world->comm;
    section parts[2] = {{.count = world->owned.count, .bytes = object_bytes(world, VERSION)},
                        {.count = world->pairs.count, .bytes = sizeof(bp_mpi_pair)}};
    file_header header = header_of(world);
    MPI_File file;
    bp_status status = lay_out(world, parts, &header);
    if (status != BP_OK) {
        return status;
    }
    status =
        file_status(comm, MPI_File_open(comm->handle, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
                    "creating it", path);
    if (bp_mpi_agree(comm, status) != BP_OK) {
        if (status == BP_OK) (void)MPI_File_close(&file);
        return BP_ERROR_ARGUMENT;
    }
    int code = MPI_File_set_size(file, 0);
    code = code == MPI_SUCCESS ? write_objects(world, file, &parts[0], block) : code;
    code = code == MPI_SUCCESS ? write_pairs(world, file, &parts[1]) : code;
    int64_t sums[2] = {(int64_t)parts[0].sum, (int64_t)parts[1].sum};
    status = bp_mpi_agree(comm, file_status(comm, code, "writing it", path));
    status = status == BP_OK ? bp_mpi_sum(comm, sums, 2) : status;
    header.object_sum = (uint64_t)sums[0];
    header.pair_sum = (uint64_t)sums[1];
    header.own_sum = sum_of(&header, offsetof(file_header, own_sum));
    if (status == BP_OK && comm->rank == 0) {
        code = MPI_File_write_at(file, 0, &header, sizeof header, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    const int closed = MPI_File_close(&file);
    code = code == MPI_SUCCESS ? closed : code;
    return status == BP_OK ? bp_mpi_agree(comm, file_status(comm, code, "writing it", path)) : status;
}

bp_status bp_mpi_world_save(bp_mpi_world *world, const char *path) {
    if (world == NULL) {
        return BP_ERROR_ARGUMENT;
    }
    char partial[PATH_MOST];
    bp_mpi_bring_boxes(world);
    bp_buffer block = {0};
    const size_t bytes = object_bytes(world, VERSION);
    bp_status status = agree_on_path(&world->comm, path);
    if (status == BP_OK) {
        (void)snprintf(partial, sizeof partial, "%s" PARTIAL, path);
        const bool reserved = bp_buffer_reserve_slack(&block, bp_mpi_allocator(world), 0, BLOCK + bytes, 1);
        status = bp_mpi_agree(&world->comm, reserved ? BP_OK : BP_ERROR_MEMORY);
    }
    status = status == BP_OK ? write_all(world, partial, block.data) : status;
    if (status == BP_OK && world->comm.rank == 0 && rename(partial, path) != 0) {
        bp_log_write(&world->comm.log, "%s could not be renamed to %s", partial, path);
        status = BP_ERROR_ARGUMENT;
    }
    bp_buffer_free(&block, bp_mpi_allocator(world));
    return bp_mpi_agree(&world->comm, status);
}

// ---- loading -------------------------------------------------------------------------------------------------------

static bp_status refuse(const bp_mpi_world *world, const char *path, const char *what) {
    bp_log_write(&world->comm.log, "%s: %s", path, what);
    return BP_ERROR_ARGUMENT;
}

static bp_status check_header(const bp_mpi_world *world, const char *path, const file_header *header, MPI_Offset size) {
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0) return refuse(world, path, "is no saved world");
    if (header->order != 0x01020304) return refuse(world, path, "was saved on a machine with another order of bytes");
    if (header->version < 1 || header->version > VERSION)
        return refuse(world, path, "was saved by a later version of broadphase, in another format");
    if (header->own_sum != sum_of(header, offsetof(file_header, own_sum))) return refuse(world, path, "was altered");
    const file_header mine = header_of(world);
    bool same =
        header->dimensions == mine.dimensions && header->shape == mine.shape && header->user_bytes == mine.user_bytes;
    for (int axis = 0; axis < 3; ++axis) same = same && header->period[axis] == mine.period[axis];
    if (!same) {
        return refuse(world, path, "has other dimensions, shape, period or user_bytes than the config");
    }
    const uint64_t room = (uint64_t)size - sizeof *header, bytes = object_bytes(world, header->version);
    if (header->objects > room / bytes || header->pairs > room / sizeof(bp_mpi_pair) ||
        header->objects * bytes + header->pairs * sizeof(bp_mpi_pair) != room) {
        return refuse(world, path, "is cut off, or longer than its header says");
    }
    return BP_OK;
}

// This rank's part of `total` records.
static section share_of(const bp_mpi_world *world, uint64_t total, MPI_Offset start, size_t bytes) {
    const uint64_t ranks = (uint64_t)world->comm.size, rank = (uint64_t)world->comm.rank;
    const uint64_t each = total / ranks, more = total % ranks;
    const uint64_t first = rank * each + (rank < more ? rank : more);
    return (section){
        .start = start + (MPI_Offset)(first * bytes), .count = (size_t)(each + (rank < more)), .bytes = bytes};
}

static int read_part(const bp_mpi_world *world, MPI_File file, section *part, char *to) {
    const size_t most = block_of(world, part);
    int code = MPI_SUCCESS;
    for (size_t first = 0; first < part->count && code == MPI_SUCCESS; first += most) {
        const size_t count = part->count - first < most ? part->count - first : most;
        char *block = to + first * part->bytes;
        code = MPI_File_read_at(file, part->start + (MPI_Offset)(first * part->bytes), block,
                                (int)(count * part->bytes), MPI_BYTE, MPI_STATUS_IGNORE);
        for (size_t i = 0; code == MPI_SUCCESS && i < count; ++i)
            part->sum += sum_of(block + i * part->bytes, part->bytes);
    }
    return code;
}

// A record of any version as one of this version, and its user bytes.
static file_object unpack_object(const char *record, uint32_t version, const char **user) {
    file_object object;
    file_object_1 old;
    *user = record + (version > 1 ? sizeof object : sizeof old);
    if (version > 1) {
        memcpy(&object, record, sizeof object);
        return object;
    }
    memcpy(&old, record, sizeof old);
    return (file_object){.id = old.id,
                         .box = old.box,
                         .group = old.group,
                         .mask = old.mask,
                         .object_flags = old.object_flags,
                         .island = old.island,
                         .user = old.user,
                         .flags = old.flags};
}

// Records become existing objects; those that no update had processed are still new.
static bp_status add_loaded(bp_mpi_world *world, const char *records, size_t count, uint32_t version) {
    const size_t bytes = object_bytes(world, version), user = world->config.user_bytes;
    const bp_allocator *allocator = bp_mpi_allocator(world);
    bp_buffer ids = {0}, boxes = {0}, objects = {0}, users = {0};
    const bool good = bp_buffer_reserve_slack(&ids, allocator, 0, count + 1, sizeof(uint64_t)) &&
                      bp_buffer_reserve_slack(&boxes, allocator, 0, count + 1, sizeof(bp_box)) &&
                      bp_buffer_reserve_slack(&objects, allocator, 0, count + 1, sizeof(bp_object)) &&
                      bp_buffer_reserve_slack(&users, allocator, 0, count + 1, user + 1);
    bp_status status = bp_mpi_agree(&world->comm, good ? BP_OK : BP_ERROR_MEMORY);
    const char *user_bytes;
    for (size_t i = 0; status == BP_OK && i < count; ++i) {
        const file_object record = unpack_object(records + i * bytes, version, &user_bytes);
        ((uint64_t *)ids.data)[i] = record.id;
        ((bp_box *)boxes.data)[i] = record.box;
        ((bp_object *)objects.data)[i] = (bp_object){.group = record.group,
                                                     .mask = record.mask,
                                                     .flags = record.object_flags,
                                                     .island = record.island,
                                                     .user = record.user};
        if (user > 0) memcpy((char *)users.data + i * user, user_bytes, user);
    }
    if (status == BP_OK) {
        status = bp_mpi_add_many(world, count, ids.data, boxes.data, objects.data, user > 0 ? users.data : NULL, NULL);
        status = status == BP_ERROR_BOX || status == BP_ERROR_ID ? BP_ERROR_ARGUMENT
                                                                 : status; // the file cannot be a valid save
    }
    for (size_t i = 0; status == BP_OK && i < count; ++i) {
        const file_object record = unpack_object(records + i * bytes, version, &user_bytes);
        ((uint8_t *)world->owned.flags.data)[i] = (uint8_t)(record.flags & BP_MPI_NEWBORN);
    }
    bp_buffer *arrays[] = {&ids, &boxes, &objects, &users};
    for (size_t i = 0; i < 4; ++i) bp_buffer_free(arrays[i], allocator);
    return status;
}

static bp_status read_all(bp_mpi_world *world, MPI_File file, const char *path, bp_buffer *records) {
    bp_mpi_comm *comm = &world->comm;
    file_header header = {0};
    MPI_Offset size = 0;
    int code = MPI_File_get_size(file, &size);
    if (code == MPI_SUCCESS && size >= (MPI_Offset)sizeof header) {
        code = MPI_File_read_at(file, 0, &header, sizeof header, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    bp_status status = file_status(comm, code, "reading it", path);
    status = status == BP_OK && size < (MPI_Offset)sizeof header ? refuse(world, path, "is cut off") : status;
    status = status == BP_OK ? check_header(world, path, &header, size) : status;
    section objects = {0}, pairs = {0};
    if (status == BP_OK) {
        const MPI_Offset first = (MPI_Offset)sizeof header;
        objects = share_of(world, header.objects, first, object_bytes(world, header.version));
        pairs =
            share_of(world, header.pairs, first + (MPI_Offset)(header.objects * objects.bytes), sizeof(bp_mpi_pair));
        if (!bp_buffer_reserve_slack(records, bp_mpi_allocator(world), 0, objects.count + 1, objects.bytes) ||
            !bp_mpi_pairs_reserve(&world->pairs, bp_mpi_allocator(world), pairs.count + 1)) {
            status = BP_ERROR_MEMORY;
        }
    }
    if (status == BP_OK) {
        code = read_part(world, file, &objects, records->data);
        code = code == MPI_SUCCESS ? read_part(world, file, &pairs, world->pairs.memory.data) : code;
        status = file_status(comm, code, "reading it", path);
    }
    status = bp_mpi_agree(comm, status);
    int64_t sums[2] = {(int64_t)objects.sum, (int64_t)pairs.sum};
    status = status == BP_OK ? bp_mpi_sum(comm, sums, 2) : status;
    if (status == BP_OK && ((uint64_t)sums[0] != header.object_sum || (uint64_t)sums[1] != header.pair_sum)) {
        status = refuse(world, path, "was altered");
    }
    status = status == BP_OK ? add_loaded(world, records->data, objects.count, header.version) : status;
    if (status == BP_OK) {
        world->pairs.count = pairs.count;
        world->next_id = header.next_id;
    }
    return status;
}

bp_status bp_mpi_world_load(MPI_Comm communicator, const bp_mpi_config *config, const char *path,
                            bp_mpi_world **world) {
    bp_status status = bp_mpi_world_open(communicator, config, world);
    if (status != BP_OK) {
        return status;
    }
    bp_mpi_world *self = *world;
    MPI_File file;
    bp_buffer records = {0};
    status = agree_on_path(&self->comm, path);
    if (status == BP_OK) {
        const int code = MPI_File_open(self->comm.handle, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        status = file_status(&self->comm, code, "opening it", path);
        const bp_status all = bp_mpi_agree(&self->comm, status);
        if (all == BP_OK) {
            status = read_all(self, file, path, &records);
            (void)MPI_File_close(&file);
        } else if (status == BP_OK) {
            (void)MPI_File_close(&file);
        }
        status = all == BP_OK ? status : all;
    }
    bp_buffer_free(&records, bp_mpi_allocator(self));
    if (status != BP_OK) {
        bp_mpi_world_destroy(self);
        *world = NULL;
    }
    return status;
}

/// broadphase: streams. Saves a world, loads it again, and records its steps; where the bytes go is up to two callbacks.
///
///     static int write_file(void *context, const void *bytes, size_t size) {
///         return fwrite(bytes, 1, size, context) == size;
///     }
///     ... bp_world_save(world, write_file, file);
#include <broadphase/broadphase.h> // which includes this one: so it stands before the guard

#ifndef BROADPHASE_STREAM_H
#define BROADPHASE_STREAM_H

#ifdef __cplusplus
extern "C" {
#endif

/// Takes `size` bytes, at most 16 KiB at a time. Returns 0 on failure, which ends the saving or recording. It may not
/// change the world (such calls return BP_ERROR_ARGUMENT).
typedef int (*bp_write)(void *context, const void *bytes, size_t size);
/// Fills `bytes` with the next `size` bytes, at most 16 KiB at a time. Returns 0 if the stream ends before.
typedef int (*bp_read)(void *context, void *bytes, size_t size);

/// Writes all objects and the pairs of the last update as a stream with a version and checksums: the same bytes for the
/// same state, on every machine. Changes since the last update are saved as such. Fails with BP_ERROR_ARGUMENT if `write`
/// fails, and with BP_ERROR_MEMORY if sorting the pairs needs more than there is.
BP_API bp_status bp_world_save(const bp_world *world, bp_write write, void *context);

/// Creates a world from a stream: the same ids, boxes, objects and pairs. The config must agree with the saved world in
/// dimensions, shape, margin and period; it may name another method. Events continue: the next update lists what has begun
/// and ended since the last update before the save. Nothing is read beyond the end of the world, so more data may follow
/// it. Streams of earlier versions of the library can be loaded. Fails with BP_ERROR_ARGUMENT for a stream that is truncated,
/// altered or of a later version; the log says which. On failure *world is NULL.
BP_API bp_status bp_world_load(const bp_config *config, bp_read read, void *context, bp_world **world);

/// From now on each bp_update first appends to a stream what it is about to see: all objects at first, then which objects
/// have come, gone or moved since the last update. `broadphase trace` replays such a stream. Only boxes are recorded, as
/// given; 64-bit boxes are rounded outwards. If `write` fails, recording ends and that update returns BP_ERROR_ARGUMENT
/// without having begun; the next one works as usual. `write` = NULL ends a recording.
BP_API bp_status bp_world_record(bp_world *world, bp_write write, void *context);

#ifdef __cplusplus
}
#endif

#endif

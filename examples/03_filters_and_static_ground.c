// Which pairs are wanted: groups and masks, a static ground, and several rooms in one world.
#include <broadphase/broadphase.h>
#include <stdio.h>

enum { GROUND = 1, PLAYER = 2, SHOT = 4, GHOST = 8 }; // groups are bits
enum { TILES = 100 };

// What each kind meets. A pair needs both sides to agree; a group or mask of 0 means all bits.
static const bp_object ground = {.group = GROUND, .flags = BP_STATIC};
static const bp_object player = {.group = PLAYER, .mask = GROUND | PLAYER | SHOT};
static const bp_object shot = {.group = SHOT, .mask = GROUND | PLAYER}; // shots fly through each other
static const bp_object ghost = {.group = GHOST, .mask = GROUND};        // walks through all but the ground

static bp_box cube(float x, float y, float z) {
    return (bp_box){{x, y, z}, {x + 1.0f, y + 1.0f, z + 1.0f}};
}

static const char *name(const bp_world *world, bp_id id) {
    bp_object object = {0};
    if (bp_get_object(world, id, NULL, &object) != BP_OK) return "nothing";
    switch (object.group) {
    case GROUND: return "ground";
    case PLAYER: return "player";
    case SHOT: return "shot";
    default: return "ghost";
    }
}

// A hundred tiles that touch each other: as they are static, none of these pairs is looked for.
static bp_status add_ground(bp_world *world, uint32_t room) {
    bp_object tile = ground;
    tile.island = room; // objects of different islands never pair
    bp_status status = BP_OK;
    for (int i = 0; i < TILES && status == BP_OK; ++i) {
        const bp_box box = cube((float)(i % 10), (float)(i / 10), -1.0f);
        status = bp_add(world, &box, &tile, NULL);
    }
    return status;
}

static bp_status add(bp_world *world, bp_object object, uint32_t room, bp_box box, bp_id *id) {
    object.island = room;
    return bp_add(world, &box, &object, id);
}

// Prints the pairs that are not with the ground, and returns how many they are.
static int print_pairs(bp_world *world, const char *title) {
    bp_result result;
    int others = 0;
    if (bp_update(world, &result) != BP_OK) return -1;
    printf("%s:\n", title);
    for (size_t i = 0; i < result.pair_count; ++i) {
        const bp_pair pair = result.pairs[i];
        if (pair.a < 2 * TILES) continue; // the tiles came first: they have the smallest ids
        printf("    %s %u meets %s %u\n", name(world, pair.a), (unsigned)pair.a, name(world, pair.b), (unsigned)pair.b);
        ++others;
    }
    printf("    and %zu pairs with the ground\n", result.pair_count - (size_t)others);
    return others;
}

static int run(bp_world *world) {
    bp_id alice, bob;
    // Two rooms at the same place: all stand in the same cube of air.
    if (add_ground(world, 1) != BP_OK || add_ground(world, 2) != BP_OK) return 1;
    if (add(world, player, 1, cube(2.5f, 2.5f, 0.0f), &alice) != BP_OK) return 1;
    if (add(world, player, 2, cube(2.5f, 2.5f, 0.0f), &bob) != BP_OK) return 1;
    if (add(world, shot, 1, cube(3.0f, 2.5f, 0.5f), NULL) != BP_OK) return 1;
    if (add(world, shot, 1, cube(3.0f, 3.0f, 0.5f), NULL) != BP_OK) return 1;
    if (add(world, ghost, 1, cube(2.5f, 2.5f, 0.0f), NULL) != BP_OK) return 1;
    if (print_pairs(world, "alice is shot at in room 1, bob is in room 2") != 2) return 1;

    bp_object moved = player; // bob comes over: it takes effect with the next update
    moved.island = 1;
    if (bp_set_object(world, bob, &moved) != BP_OK) return 1;
    return print_pairs(world, "bob comes into room 1") == 5 ? 0 : 1;
}

int main(void) {
    const bp_config config = {.pair_order = BP_ORDER_SORTED};
    bp_world *world = NULL;
    if (bp_world_create(&config, &world) != BP_OK) return 1;
    const int outcome = run(world);
    bp_world_destroy(world);
    return outcome;
}

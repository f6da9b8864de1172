// What no_cost.sh looks at: each function makes one call of the C++ header.
#include <broadphase/broadphase.hpp>

using namespace broadphase;

extern "C" {

// NOLINTBEGIN: these are seen by a compiler only
void call_pairs(const std::vector<bp_box> &boxes, std::vector<bp_pair> *out) {
    new (out) std::vector<bp_pair>(pairs(boxes));
}
void call_find_pairs(const std::vector<bp_box> &boxes, pair_list *out) {
    new (out) pair_list(find_pairs(boxes));
}
void call_find_pairs_between(array_view<const bp_box> a, array_view<const bp_box> b, pair_list *out) {
    new (out) pair_list(find_pairs_between(a, b));
}
void call_neighbors(const std::vector<float> &points, neighbor_list *out) {
    new (out) neighbor_list(neighbors(points, 1.0f));
}
void call_add(world &world, const bp_box &box, bp_id *id) {
    *id = world.add(box);
}
void call_move(world &world, const std::vector<bp_box> &boxes) {
    world.move(boxes);
}
void call_update(world &world, result *out) {
    new (out) result(world.update());
}
void call_query_box(const world &world, const bp_box &box, std::vector<bp_id> &buffer, array_view<const bp_id> *out) {
    *out = world.query_box(box, buffer);
}
// NOLINTEND
}

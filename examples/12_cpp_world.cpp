// A world in C++: balls run along a line, a callable says which pairs are wanted, and a ray looks who is in front.
#include <broadphase/broadphase.hpp>
#include <iostream>

int main() {
    bp_config config{};
    config.flags = BP_EVENTS;
    const auto are_of_one_kind = [](bp_id a, bp_id b) { return a % 2 == b % 2; };
    config.filter = broadphase::make_filter(are_of_one_kind);
    broadphase::world world(config);
    std::vector<bp_box> boxes(6);
    world.add(boxes); // all in one place, at the origin
    std::size_t ended = 0;
    for (int step = 0; step < 10; ++step) {
        for (std::size_t i = 0; i < boxes.size(); ++i) boxes[i].max[0] = 1 + (boxes[i].min[0] += 0.1f * float(i));
        world.move(boxes);
        for (const bp_pair pair : world.update().ended()) {
            std::cout << "step " << step << ": " << pair.a << " leaves " << pair.b << '\n';
            ++ended;
        }
    }
    const auto first = world.query_first_hit({{100, 0, 0}, {-1, 0, 0}, 1000});
    return ended == 6 && first && first->id == 5 ? 0 : 1;
}

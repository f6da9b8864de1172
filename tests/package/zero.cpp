// In C++, too, {0} is how a struct begins that the caller fills: headers.sh compiles this with all warnings.
#include <broadphase/broadphase.h>

int main() {
    bp_config config = {0};
    bp_object object = {0};
    bp_method_settings settings = {0};
    bp_pairs pairs = {0};
    bp_answers answers = {0};
    bp_neighbors neighbors = {0};
    bp_neighbor_images images = {0};
    bp_lattice lattice = {0};
    bp_scenario scenario = {0};
    config.settings = &settings;
    object.group = config.threads == 0 && lattice.kind_count == 0 && scenario.steps == 0 ? 1 : 2;
    return pairs.data == nullptr && answers.ids == nullptr && neighbors.indices == nullptr && images.shifts == nullptr
               ? static_cast<int>(object.group - 1)
               : 3;
}

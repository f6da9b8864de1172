// Hostile scenes with names: each made a method of some library quadratic, or could. Their parameters are explained in
// hostile.h.
#include "hostile.h"

#include <string.h>

typedef struct named_scene {
    const char *name;
    const char *text;
    const char *summary;
} named_scene;

#define CUBES "a.size=5 b.size=5 c.size=5"
#define WHOLE(role) #role ".low=8 " #role ".high=8 "
#define PLATES "a.place=rank a.unit=gap a.size=1 "
#define ONION "turn=random a.place=rank a.mirror=1 a.size=200 b.place=same b.unit=first c.place=same c.unit=first"
#define NEEDLES "b.size=6 c.size=6"
#define STAIRS "a.place=rank a.unit=gap a.size=1 b.place=rank b.unit=gap b.size=1 c.place=rank c.unit=gap c.size=1"

static const named_scene SCENES[] = {
    // Plates
    {"plates", PLATES "+ turn=y a.at=2 " PLATES "+ turn=z a.at=4 " PLATES, "stacks of plates of three orientations"},
    {"plates-stack", PLATES "b.size=0 c.size=0", "one stack of plates that do not touch"},
    {"plates-jitter", "a.place=rank a.size=12", "a stack of plates, as thick as two pairs each allow"},
    {"plates-loose", "turn=random a.size=3 b.size=3 c.size=20", "plates of three orientations at random places"},
    {"plates-holes",
     "a.place=rank a.unit=gap a.size=1 b.place=layers b.layers=1 b.unit=gap b.size=1 + a.place=rank a.unit=gap "
     "a.size=1 "
     "c.place=layers c.layers=1 c.unit=gap c.size=1 b.at=2",
     "two stacks of strips: plates with something cut out"},
    {"plates-sizes", "turn=random a.size=1 a.sizes=10 b.size=1 b.sizes=10 c.size=20", "plates of very different edges"},
    {"plates-in-columns", "a.place=layers a.layers=10 a.unit=gap a.size=1 b.size=6 c.place=rank c.unit=gap c.size=2",
     "plates in a thousand stacks"},
    // Needles
    {"needles", "turn=random " NEEDLES, "needles through the domain, along any axis"},
    {"needles-lengths", "turn=random a.sizes=12 " NEEDLES, "needles of random lengths, along any axis"},
    {"needles-parallel", NEEDLES, "needles through the domain, all along one axis"},
    {"needles-parallel-lengths", "a.sizes=16 " NEEDLES, "parallel needles of random lengths"},
    {"needles-in-a-slab", "turn=random b.size=4 c.size=4 + a.place=same turn=z b.size=6 c.size=14 share=3",
     "needles of which most lie in one plane"},
    {"needles-flat", "flat=1 turn=random a.size=1 b.size=8", "needles along two axes, in two dimensions"},
    {"needles-clumped", "turn=random b.place=clumps b.layers=8 c.place=clumps c.layers=8 " NEEDLES,
     "needles in bundles of bundles"},
    {"bars", "turn=random a.size=1 b.size=5 c.size=5", "bars of 16:1:1 along any axis"},
    {"bars-mixed", "turn=random a.size=1 a.sizes=4 b.size=3 b.sizes=8 c.size=3 c.sizes=8", "bars of all proportions"},
    {"weave", NEEDLES " + turn=y " NEEDLES, "needles of two axes"},
    {"weave-layers",
     "b.size=12 c.place=layers c.layers=9 c.unit=gap c.size=2 + turn=y c.size=12 b.place=layers b.layers=9 b.unit=gap "
     "b.size=2 b.phase=4",
     "needles of two axes in layers that alternate"},
    // Combs and stairs
    {"comb", "b.place=rank b.unit=gap b.size=1", "teeth as long and as deep as the domain"},
    {"comb-lengths", "a.sizes=10 b.place=rank b.unit=gap b.size=1 c.sizes=10", "teeth of random lengths"},
    {"combs", "b.place=lattice b.unit=gap b.size=1 c.place=lattice c.unit=gap c.size=1",
     "rows of teeth, which miss each other"},
    {"stairs", STAIRS, "a diagonal of boxes"},
    {"stairs-long", "a.place=rank a.unit=gap a.size=1 b.place=rank b.size=2 c.place=rank c.size=2",
     "a diagonal of plates"},
    {"stairs-30-octaves", "a.octaves=30 b.octaves=30 c.octaves=30 " STAIRS,
     "a diagonal of boxes that grow over 30 octaves"},
    {"stairs-100-octaves", "a.octaves=100 b.octaves=100 c.octaves=100 " STAIRS,
     "a diagonal of boxes that grow over 100 octaves"},
    {"slabs-that-halve", WHOLE(a) WHOLE(b) "c.place=rank c.octaves=60 c.unit=gap c.size=1",
     "infinite slabs that become thinner over 60 octaves"},
    // Around a centre
    {"onion", ONION, "plates around a centre, at even distances"},
    {"onion-60-octaves", "a.octaves=60 " ONION, "plates around a centre, at distances over 60 octaves"},
    {"onion-flat", "flat=1 " ONION, "edges around a centre, in two dimensions"},
    {"frames", "turn=random a.place=rank a.mirror=1 a.size=200 b.place=same b.unit=first c.size=3",
     "edges around an axis"},
    {"nested", "scale=60 " CUBES, "the same scene at all scales over 60 octaves"},
    {"nested-needles", "scale=60 turn=random b.size=8 c.size=8", "needles at all scales over 60 octaves"},
    {"nested-plates", "scale=30 turn=random a.place=rank a.size=20 b.size=1 c.size=1", "plates at all scales"},
    // Infinite
    {"slabs", WHOLE(a) WHOLE(b) "c.place=rank c.unit=gap c.size=1", "infinite slabs that miss each other"},
    {"half-infinite", "a.high=8 b.size=5 c.size=5", "boxes without an end along one axis"},
    {"half-infinite-any", "turn=random a.high=8 b.size=5 c.size=5", "boxes without an end along any axis"},
    {"half-infinite-ways", "turn=random a.low=4 a.high=4 b.size=8 c.size=8", "without an end to either side, or both"},
    {"quadrants", "a.high=8 b.high=8 c.place=spread c.unit=gap c.size=3", "without an end along two axes"},
    {"quadrants-stairs", "a.high=8 a.place=rank b.low=8 b.place=rank c.place=spread c.unit=gap c.size=3",
     "without an end along two axes, in order"},
    {"columns", WHOLE(a) "b.place=lattice b.unit=gap b.size=1 c.place=lattice c.unit=gap c.size=1",
     "infinite columns that miss each other"},
    {"columns-crossed",
     "turn=z " WHOLE(a) "b.place=lattice b.unit=gap b.size=2 c.place=lattice c.unit=gap c.size=2 + " WHOLE(
         a) "b.place=lattice b.unit=gap b.size=2 b.phase=4 c.place=lattice c.unit=gap c.size=2",
     "infinite columns along two axes that miss each other"},
    {"columns-random", "turn=random " WHOLE(a) "b.size=6 c.size=6", "infinite columns along any axis"},
    // Places
    {"points-log", "a.octaves=60 a.size=200 b.octaves=60 b.size=200 c.octaves=60 c.size=200",
     "points at log-uniform places"},
    {"points-log-any-sign",
     "a.octaves=60 a.mirror=1 a.size=200 b.octaves=60 b.mirror=1 b.size=200 c.octaves=60 c.mirror=1 c.size=200",
     "points at log-uniform places around the origin"},
    {"boxes-log",
     "a.octaves=40 a.unit=place a.size=6 b.octaves=40 b.unit=place b.size=6 c.octaves=40 c.unit=place "
     "c.size=6",
     "boxes at log-uniform places, as large as they are far"},
    {"plane", "a.size=5 b.size=5 c.place=same", "all in one plane"},
    {"line", "a.size=5 b.place=same c.place=same", "all on one line"},
    {"clumps",
     "a.place=clumps a.layers=6 a.size=12 b.place=clumps b.layers=6 b.size=12 c.place=clumps c.layers=6 "
     "c.size=12",
     "clumps of clumps"},
    {"sizes", "a.size=1 a.sizes=20 b.size=1 b.sizes=20 c.size=1 c.sizes=20", "edges log-uniform over 20 octaves"},
    {"sizes-flat", "flat=1 a.size=1 a.sizes=20 b.size=1 b.sizes=20", "the same in two dimensions"},
    // Mixes
    {"giants", "share=99 " CUBES " + a.size=1 b.size=1 c.size=1", "cubes, and one giant in a hundred"},
    {"cubes-and-needles", "share=9 a.size=8 b.size=8 c.size=8 + turn=random b.size=12 c.size=12",
     "a tenth are needles"},
    {"cubes-and-half-infinite", "share=9 a.size=8 b.size=8 c.size=8 + turn=random a.high=8 b.size=12 c.size=12",
     "a tenth have no end"},
    {"cubes-and-plates", "share=9 a.size=8 b.size=8 c.size=8 + a.place=rank a.size=24", "a tenth are plates"},
    {"cubes-and-onion", "share=4 a.size=8 b.size=8 c.size=8 a.at=3 + " ONION, "cubes beside an onion"},
    {"everything",
     "a.size=8 b.size=8 c.size=8 + turn=random b.size=12 c.size=12 + a.place=rank a.at=-4 a.size=24 + turn=random "
     "a.high=8 b.size=12 c.size=12 + a.octaves=40 a.size=20 b.octaves=40 b.size=20 c.octaves=40 c.size=20",
     "cubes, needles, plates, half-infinite boxes and dust near a corner"},
    // Between two sets
    {"between-dust-and-needles", "a.size=20 b.size=20 c.size=20 / turn=random " NEEDLES, "dust against needles"},
    {"between-needles", "b.size=6 c.size=6 / turn=y b.size=6 c.size=6", "needles of two axes"},
    {"between-needles-woven",
     "b.size=12 c.place=layers c.layers=9 c.unit=gap c.size=2 / turn=y c.size=12 b.place=layers b.layers=9 b.unit=gap "
     "b.size=2 b.phase=4",
     "needles of two axes in layers that alternate"},
    {"between-cubes-and-slabs",
     "a.size=5 b.size=5 c.place=layers c.layers=9 c.unit=gap c.size=2 / " WHOLE(a)
         WHOLE(b) "c.place=layers c.layers=9 c.phase=4 c.unit=gap c.size=2",
     "cubes in layers against infinite slabs between them"},
    {"between-cubes-and-slabs-beside", "a.size=5 b.size=5 c.size=5 / c.at=2 " WHOLE(a) WHOLE(b) "c.size=5",
     "cubes against infinite slabs beside them"},
    {"between-points-and-onion", "a.size=200 b.size=200 c.size=200 / " ONION, "points against plates around a centre"},
    {"between-plates", PLATES "/ turn=y a.at=2 " PLATES, "plates of two orientations, side by side"},
    {"between-plates-crossed",
     "a.place=rank a.size=2 b.size=1 c.size=10 / turn=y a.place=rank a.size=2 b.size=10 c.size=1",
     "plates of two orientations, few of which meet"},
    {"between-half-infinite",
     "a.high=8 b.place=layers b.layers=9 b.unit=gap b.size=2 c.size=12 / a.low=8 b.place=layers "
     "b.layers=9 b.phase=4 b.unit=gap b.size=2 c.size=12",
     "half-infinite boxes against such the other way"},
    {"between-giants-and-dust", "a.size=3 b.size=3 c.size=3 / share=9 a.size=20 b.size=20 c.size=20",
     "giants against dust"},
    {"between-combs", "b.place=rank b.unit=gap b.size=2 / b.place=rank b.phase=4 b.unit=gap b.size=2",
     "combs into each other"},
    {"between-stairs",
     "a.octaves=30 b.octaves=30 c.octaves=30 " STAIRS
     " / a.octaves=30 a.phase=4 b.octaves=30 b.phase=4 c.octaves=30 c.phase=4 " STAIRS,
     "stairs over 30 octaves against the same a little further"},
    {"between-onions", ONION " / a.phase=4 " ONION, "onions into each other"},
    {"between-columns",
     WHOLE(a) "b.place=lattice b.unit=gap b.size=2 c.place=lattice c.unit=gap c.size=2 / " WHOLE(
         a) "b.place=lattice b.unit=gap b.size=2 b.phase=4 c.place=lattice c.unit=gap c.size=2",
     "infinite columns between infinite columns"},
    {"between-nested", "scale=60 " CUBES " / scale=60 turn=random b.size=8 c.size=8",
     "cubes against needles, at all scales"},
    {"between-lengths", "a.sizes=12 b.size=6 c.size=6 / turn=y a.sizes=12 b.size=6 c.size=6",
     "needles of random lengths along two axes"},
    {"between-few-and-many", "share=1 turn=random a.high=8 b.size=8 c.size=8 / share=99 " CUBES,
     "a few without an end against many cubes"},
};

size_t hostile_count(void) {
    return sizeof SCENES / sizeof SCENES[0];
}

const char *hostile_name(size_t index) {
    return index < hostile_count() ? SCENES[index].name : NULL;
}

const char *hostile_text(size_t index) {
    return index < hostile_count() ? SCENES[index].text : NULL;
}

const char *hostile_summary(size_t index) {
    return index < hostile_count() ? SCENES[index].summary : NULL;
}

const char *hostile_find(const char *name) {
    for (size_t i = 0; i < hostile_count(); ++i) {
        if (strcmp(SCENES[i].name, name) == 0) {
            return SCENES[i].text;
        }
    }
    return NULL;
}

// The suite `gissler`: the experiments of M. Gissler, M. Ihmsen, M. Teschner, "Efficient Uniform Grids for
// Collision Handling in Medical Simulators", section 5.
//
//     tissue.c           the scenes                        suite_gissler.c     the experiments with boxes
//     collisions.c       the exact test                    gissler_frames.c    those with collisions
//     handling.c         boxes and exact test, in turn     gissler_summary.c   the results, beside the paper
//     locality.c         one question in several orders
//     callgrind.c        runs cache_probe.c in a simulator
#ifndef BENCH_GISSLER_H
#define BENCH_GISSLER_H

#include "core/bench.h"
#include "suites/locality.h"
#include "suites/tissue.h"

// The rows that the summary looks for. `cell=edge`: cells are as long as the mean edge, the paper's rule; else the
// library chooses.
#define INDEX_SORT "compact-grid cell=edge"
#define INDEX_SORT_CURVE "compact-grid keys=z-curve cell=edge"
#define SERIAL_HASHING "spatial-hash cell=edge"
#define CUCKOO "cuckoo-grid cell=edge"

// The same with primitives in every cell that they overlap, as the paper enters them. (spatial-hash always does.)
#define INDEX_SORT_FOOTPRINTS "compact-grid entries=footprint cell=edge"
#define INDEX_SORT_FOOTPRINTS_CURVE "compact-grid entries=footprint keys=z-curve cell=edge"
#define CUCKOO_FOOTPRINTS "cuckoo-grid entries=footprint cell=edge"

#define FRAME_SCENE "frames/stacking frame=%zu"
#define KEPT " world" // in worlds that are kept from frame to frame; else one call in each
#define CONTACT_SCENE "contact/%s test=%s"
#define EXACT_TEST "exact-test" // its tests are the collisions

enum { CONTACT_SCENES = 3, FRAMES_WEIGHT = 20, CONTACT_WEIGHT = 2 };

#define LOCALITY_SCENE "locality/skull order=%s"
#define NEAR_LINES " cache-lines=d1"
#define FAR_LINES " cache-lines=ll"
#define INSTRUCTIONS " instructions"

#define SORT_SCENE "sort/skull changed=%g"
#define SORT_OWN_SCENE "sort/skull" // as much as the tissue deforms
#define SORT_RADIX "compact-grid sort=radix"
#define SORT_ADAPTIVE "compact-grid sort=adaptive"
#define SORT_AUTOMATIC "compact-grid sort=automatic"
#define CHANGED_KEYS " changed-keys"
#define SORT_ALONE " alone" // without moving boxes, making keys and copying
#define STANDARD "std"
#define STANDARD_SORT "sort" // of the last order with the keys of this step

enum { SORT_SHARES = 6 };
extern const double sort_shares[SORT_SHARES]; // of keys that change in a step

// Above this share the library's automatic sort is radix; see bp_compact_sort.
#define SORT_SWITCH 0.15

// The experiments `frames` and `contact`.
void gissler_frames(const bench_options *options, bench_session *session);

// Prints the results. A promise that is missed is a failure.
void gissler_summary(bench_session *session);

#endif

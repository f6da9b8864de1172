// The table of libraries: a row each, built or not. bench/CMakeLists.txt defines BENCH_WITH_... for those found.
#include "peers/fcl_managers.h"
#include "peers/query_peer.h"
#include "peers/sets_peer.h"
#include "peers/world_peer.h"

#ifdef BENCH_WITH_BULLET
extern const bench_peer bullet_peers[];
#else
#define bullet_peers NULL
#endif
#ifdef BENCH_WITH_ODE
extern const bench_peer ode_peers[];
extern const bench_world_peer ode_worlds[];
#else
#define ode_worlds NULL
#define ode_peers NULL
#endif
#ifdef BENCH_WITH_FCL
extern const bench_peer fcl_peers[];
extern const bench_sets_peer fcl_sets[];
extern const bench_world_peer fcl_worlds[];
#else
#define fcl_worlds NULL
#define fcl_peers NULL
#define fcl_sets NULL
const bench_fcl_manager *const bench_fcl_managers = NULL;
#endif
#ifdef BENCH_WITH_CGAL
extern const bench_peer cgal_peers[];
extern const bench_sets_peer cgal_sets[];
#else
#define cgal_peers NULL
#define cgal_sets NULL
#endif
#ifdef BENCH_WITH_BOOST
extern const bench_peer boost_peers[];
extern const bench_sets_peer boost_sets[];
#else
#define boost_peers NULL
#define boost_sets NULL
#endif
#ifdef BENCH_WITH_EMBREE
extern const bench_peer embree_peers[];
extern const bench_sets_peer embree_sets[];
extern const bench_query_peer embree_queries[];
extern const bench_world_peer embree_worlds[];
#else
#define embree_worlds NULL
#define embree_queries NULL
#define embree_peers NULL
#define embree_sets NULL
#endif
#ifdef BENCH_WITH_NANOFLANN
extern const bench_peer nanoflann_peers[];
#else
#define nanoflann_peers NULL
#endif

extern const bench_peer pozzer_peers[], standard_peers[], textbook_peers[]; // always built

extern const bench_world_peer level_cells_worlds[];

#ifdef BENCH_WITH_BULLET
extern const bench_world_peer bullet_worlds[];
extern const bench_query_peer bullet_queries[];
#else
#define bullet_worlds NULL
#define bullet_queries NULL
#endif

const bench_world_peer *const bench_world_peers[BENCH_WORLD_LIBRARIES] = {bullet_worlds, embree_worlds, fcl_worlds,
                                                                          ode_worlds, level_cells_worlds};

const bench_query_peer *const bench_query_peers[BENCH_QUERY_LIBRARIES] = {bullet_queries, embree_queries};

const bench_library bench_libraries[] = {
    {"boost", "libboost-dev", boost_peers, boost_sets},
    {"embree", "libembree-dev", embree_peers, embree_sets},
    {"cgal", "libcgal-dev", cgal_peers, cgal_sets},
    {"fcl", "libfcl-dev", fcl_peers, fcl_sets},
    {"bullet", "libbullet-dev", bullet_peers, NULL},
    {"ode", "libode-dev", ode_peers, NULL},
    {"nanoflann", "libnanoflann-dev", nanoflann_peers, NULL},
    {"pozzer", "none", pozzer_peers, NULL},
    {"std", "none", standard_peers, NULL},
    {"textbook", "none", textbook_peers, NULL},
};

const size_t bench_library_count = sizeof bench_libraries / sizeof *bench_libraries;

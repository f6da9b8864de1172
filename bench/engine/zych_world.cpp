#include "engine/zych_world.h"

#include "engine/engine_pairs.hpp"
#include "engine/engine_scenes.hpp"

#include <broadphase/broadphase_methods.h>
#include <broadphase/bullet.hpp>

extern "C" {
#include <random.h>
}

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/BroadphaseCollision/btSimpleBroadphase.h>

#include <cmath>
#include <exception>

namespace {

// ---- broad phases ---------------------------------------------------------------------------------------------------

using broadphase::bullet_broadphase;

const engine_contestant contestants[] = {
    {"bullet", "brute-force", "btSimpleBroadphase; quadratic", 4000},
    {"bullet", "dbvt", "btDbvtBroadphase", 0},
    {"bullet", "sweep16", "btAxisSweep3, without its tree for rays", 16000},
    {"broadphase", "plain-octree-kept", "loose-octree, looseness=1, update=individual, a list for each node", 0},
    {"broadphase", "plain-octree", "loose-octree, looseness=1, update=rebuild", 0},
    {"broadphase", "loose-octree", "loose-octree as it comes", 0},
    {"broadphase", "auto", "ours as it comes", 0},
    {},
};
enum { BRUTE_FORCE, DBVT, SWEEP, PLAIN_OCTREE_KEPT, PLAIN_OCTREE, LOOSE_OCTREE };

// As Zych's: objects go as deep as nodes enclose them; the height has a limit.
constexpr uint32_t height = 9;

bp_config config_of(size_t contestant, bp_method_settings &settings) {
    bp_config config = {};
    if (contestant > LOOSE_OCTREE) return config;
    config.method = BP_METHOD_LOOSE_OCTREE;
    config.settings = &settings;
    if (contestant != LOOSE_OCTREE) settings.looseness = 1;
    if (contestant == PLAIN_OCTREE) config.update = BP_UPDATE_REBUILD;
    if (contestant == PLAIN_OCTREE_KEPT) {
        config.update = BP_UPDATE_INDIVIDUAL;
        settings.octree_max_objects = 1;
        settings.octree_max_depth = height;
    }
    return config;
}

// Boxes are exact: possible collisions are then those of the boxes themselves.
std::unique_ptr<bullet_broadphase> make_ours(size_t contestant) {
    bp_method_settings settings = {};
    auto made = std::make_unique<bullet_broadphase>(config_of(contestant, settings));
    made->set_resting_margin(0);
    return made;
}

std::unique_ptr<btBroadphaseInterface> make_theirs(size_t contestant, size_t objects, btScalar reach) {
    const btVector3 corner(reach, reach, reach);
    const int most = static_cast<int>(objects + 64);
    switch (contestant) {
    case BRUTE_FORCE: return std::make_unique<btSimpleBroadphase>(most);
    case DBVT: return std::make_unique<btDbvtBroadphase>();
    default: return std::make_unique<btAxisSweep3>(-corner, corner, static_cast<unsigned short>(most), nullptr, true);
    }
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

constexpr int part_count = 9;
constexpr double ring = 0.70710678118654752, half_root_3 = 0.86602540378443865;

// As evenly as nine can be: three around the equator, and two triangles between these.
const double nine_directions[part_count][3] = {
    {0, -1, 0},
    {half_root_3, 0.5, 0},
    {-half_root_3, 0.5, 0},
    {0, ring, ring},
    {-ring * half_root_3, -ring / 2, ring},
    {ring * half_root_3, -ring / 2, ring},
    {0, ring, -ring},
    {-ring * half_root_3, -ring / 2, -ring},
    {ring * half_root_3, -ring / 2, -ring},
};

class Shapes {
public:
    Shapes(EngineWorld &world, double alpha) : world_(world), random_(rng_seeded(1)) {
        beta_prepare(&sizes_, alpha, alpha);
    }

    btCollisionShape *draw(zych_shape kind) {
        if (kind == ZYCH_COMPOUND) return draw_compound();
        return draw_basic(kind == ZYCH_ANY ? draw_kind() : kind, 1);
    }
    // A direction, and a length from 0 to twice the mean.
    btVector3 velocity(double mean) {
        double direction[3];
        rng_direction(&random_, 3, direction);
        return vector(direction) * static_cast<btScalar>(2 * mean * rng_unit(&random_));
    }
    btScalar between(btScalar low, btScalar high) {
        return static_cast<btScalar>(rng_between(&random_, low, high));
    }

private:
    static btVector3 vector(const double v[3]) {
        return {static_cast<btScalar>(v[0]), static_cast<btScalar>(v[1]), static_cast<btScalar>(v[2])};
    }
    btQuaternion turn() {
        double axis[3];
        rng_direction(&random_, 3, axis);
        return btQuaternion(vector(axis), static_cast<btScalar>(rng_between(&random_, 0, 2 * SIMD_PI)));
    }
    zych_shape draw_kind() {
        return static_cast<zych_shape>(rng_below(&random_, ZYCH_BASIC_SHAPES));
    }
    // An extent whose mean is 1. At least a little: a narrow phase needs some thickness.
    btScalar extent() {
        return static_cast<btScalar>(std::fmax(2 * beta_draw(&sizes_, &random_), 0.02));
    }
    // All are 1 wide and high on average, except for capsules: 2/3 wide (Zych 2016, section 4.2, on Fig. 4.33).
    btCollisionShape *draw_basic(zych_shape kind, btScalar scale) {
        const btScalar x = scale * extent(), y = scale * extent(), z = scale * extent();
        switch (kind) {
        case ZYCH_SPHERE: return world_.shape<btSphereShape>(x / 2);
        case ZYCH_CYLINDER: return world_.shape<btCylinderShape>(btVector3(x / 2, y / 2, x / 2));
        case ZYCH_CONE: return world_.shape<btConeShape>(x / 2, y);
        case ZYCH_CAPSULE: return world_.shape<btCapsuleShape>(x / 3, y / 3);
        default: return world_.shape<btBoxShape>(btVector3(x / 2, y / 2, z / 2));
        }
    }
    // As in Zych 2016, section 4.2: nine shapes of a quarter of the size, on a sphere of radius 0.25, moved outwards, to
    // 0.5 on average. (There by a normal distribution whose width is not given. Taken as a further 0.5, compounds would
    // have three times the possible collisions of boxes; there they have as many.)
    btCollisionShape *draw_compound() {
        auto *whole = world_.shape<btCompoundShape>();
        for (const auto &direction : nine_directions) {
            btCollisionShape *part = draw_basic(draw_kind(), btScalar(0.25));
            const btVector3 place = vector(direction) * between(btScalar(0.25), btScalar(0.75));
            whole->addChildShape(btTransform(turn(), place), part);
        }
        return whole;
    }

    EngineWorld &world_;
    rng random_;
    beta_distribution sizes_;
};

constexpr btScalar step_seconds = btScalar(0.016);
constexpr int redraw_interval = 10;
constexpr double area_density = 0.25; // on a terrain

btScalar width_of(const zych_factors &factors) {
    const auto count = static_cast<double>(factors.objects);
    return static_cast<btScalar>(factors.terrain ? std::sqrt(count / area_density)
                                                 : std::cbrt(count / factors.density));
}

} // namespace

// ---- the world ------------------------------------------------------------------------------------------------------

const engine_contestant *const zych_contestants = contestants;

struct zych_world {
    zych_factors factors;
    btScalar width;
    std::unique_ptr<btBroadphaseInterface> phase;
    const bp_world *inside = nullptr; // of a broad phase of ours
    EngineWorld world;
    Shapes shapes;
    std::vector<btRigidBody *> movers;
    int steps = 0;

    zych_world(const zych_factors &given, std::unique_ptr<btBroadphaseInterface> made)
        : factors(given), width(width_of(given)), phase(std::move(made)), world(*phase), shapes(world, given.alpha) {
        world.world.setGravity(btVector3(0, given.terrain ? -10 : 0, 0));
        if (given.terrain) add_hills(world, 64, btScalar(1.2) * width);
        const auto fixed = static_cast<size_t>(given.static_share * static_cast<double>(given.objects));
        for (size_t i = 0; i < given.objects; ++i) add_body(i < fixed);
    }

    btVector3 draw_place() {
        const btScalar half = width / 2;
        const btScalar y = factors.terrain ? shapes.between(5, 10) : shapes.between(-half, half);
        const btScalar x = shapes.between(-half, half);
        return {x, y, shapes.between(-half, half)};
    }
    void add_body(bool is_static) {
        btCollisionShape *shape = shapes.draw(factors.shape);
        btRigidBody *body = world.add(shape, is_static ? 0 : 1, draw_place()); // upright until somebody hits it
        if (factors.penetrable)
            body->setCollisionFlags(body->getCollisionFlags() | btCollisionObject::CF_NO_CONTACT_RESPONSE);
        if (!is_static) movers.push_back(body);
    }
    void redraw_velocities() {
        if (factors.velocity == 0) return;
        for (btRigidBody *body : movers) {
            btVector3 velocity = shapes.velocity(factors.velocity / double(step_seconds));
            if (factors.terrain) velocity.setY(body->getLinearVelocity().y());
            body->setLinearVelocity(velocity);
            body->activate();
        }
    }
    // Who has left the world comes back.
    void turn_back() {
        for (btRigidBody *body : movers) {
            const btVector3 &place = body->getWorldTransform().getOrigin();
            btVector3 velocity = body->getLinearVelocity();
            for (int axis = 0; axis < 3; ++axis) {
                const bool is_free = axis == 1 && factors.terrain;
                if (!is_free && btFabs(place[axis]) > width / 2 && place[axis] * velocity[axis] > 0)
                    velocity[axis] = -velocity[axis];
            }
            if (velocity != body->getLinearVelocity()) body->setLinearVelocity(velocity);
        }
    }
};

zych_world *zych_world_create(const zych_factors *factors, size_t contestant) try {
    if (contestant < PLAIN_OCTREE_KEPT)
        return new zych_world(*factors, make_theirs(contestant, factors->objects, width_of(*factors)));
    std::unique_ptr<bullet_broadphase> ours = make_ours(contestant);
    const bp_world *inside = ours->world();
    auto *made = new zych_world(*factors, std::move(ours));
    made->inside = inside;
    return made;
} catch (const std::exception &) {
    return nullptr;
}

// Ours gets all boxes first and brings its structure up to date in computeOverlappingPairs, where Bullet's own do so in
// updateAabbs: that part of the time belongs to the update. (The library's clock is that of the wall; a share of both.)
static double structure_seconds(const zych_world &world, double wall_seconds) {
    bp_stats stats = {};
    if (!world.inside || bp_world_stats(world.inside, &stats) != BP_OK || wall_seconds <= 0) return 0;
    return world.world.world.find_seconds * std::fmin(stats.build_seconds / wall_seconds, 1);
}

void zych_world_step(zych_world *world, zych_times *times) {
    const TimedWorld &timed = world->world.world;
    if (world->steps++ % redraw_interval == 0) world->redraw_velocities();
    world->turn_back();
    world->world.step(step_seconds);
    const double structure = structure_seconds(*world, timed.find_wall_seconds);
    *times = {timed.update_seconds + structure, timed.find_seconds - structure, timed.narrow_seconds};
}

zych_sight zych_world_look(zych_world *world) {
    btDispatcher &dispatcher = *world->world.world.getDispatcher();
    zych_sight sight = {static_cast<size_t>(world->phase->getOverlappingPairCache()->getNumOverlappingPairs()), 0, 0};
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
        const int contacts = dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
        sight.actual += contacts > 0;
        sight.contacts += static_cast<size_t>(contacts);
    }
    return sight;
}

static std::vector<btBroadphaseProxy *> proxies_of(const zych_world &world) {
    const btCollisionObjectArray &objects = world.world.world.getCollisionObjectArray();
    std::vector<btBroadphaseProxy *> proxies;
    for (int i = 0; i < objects.size(); ++i)
        proxies.push_back(const_cast<btBroadphaseProxy *>(objects[i]->getBroadphaseHandle()));
    return proxies;
}

engine_sight zych_world_verify(zych_world *world) {
    return look_at_pairs(proxies_of(*world), *world->phase->getOverlappingPairCache());
}

void zych_world_boxes(const zych_world *world, bp_box *boxes) {
    const std::vector<btBroadphaseProxy *> proxies = proxies_of(*world);
    const size_t ground = world->factors.terrain ? 1 : 0;
    for (size_t i = ground; i < proxies.size(); ++i)
        for (int axis = 0; axis < 3; ++axis) {
            boxes[i - ground].min[axis] = proxies[i]->m_aabbMin[axis];
            boxes[i - ground].max[axis] = proxies[i]->m_aabbMax[axis];
        }
}

void zych_world_destroy(zych_world *world) {
    delete world;
}

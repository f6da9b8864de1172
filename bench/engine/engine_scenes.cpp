#include "engine/engine_scenes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

// ---- a world --------------------------------------------------------------------------------------------------------

void TimedWorld::performDiscreteCollisionDetection() {
    const double start = thread_seconds();
    updateAabbs();
    const double updated = thread_seconds();
    const auto wall = std::chrono::steady_clock::now();
    computeOverlappingPairs();
    find_wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    const double found = thread_seconds();
    getDispatcher()->dispatchAllCollisionPairs(getPairCache(), getDispatchInfo(), getDispatcher());
    update_seconds = updated - start;
    find_seconds = found - updated;
    narrow_seconds = thread_seconds() - found;
}

EngineWorld::EngineWorld(btBroadphaseInterface &broad_phase)
    : dispatcher_(&configuration_), world(&dispatcher_, &broad_phase, &solver_, &configuration_) {
    world.setGravity(btVector3(0, -10, 0));
}

// Bullet looks through all pairs for each body that goes: so the pairs go first.
EngineWorld::~EngineWorld() {
    struct : btOverlapCallback {
        bool processOverlap(btBroadphasePair &) override {
            return true;
        }
    } each;
    world.getPairCache()->processAllOverlappingPairs(&each, &dispatcher_);
    for (auto &constraint : constraints_) world.removeConstraint(constraint.get());
    for (size_t i = bodies_.size(); i-- > 0;) world.removeRigidBody(bodies_[i].get());
}

void EngineWorld::follow(const EngineWorld &leader) {
    for (size_t i = 0; i < bodies_.size(); ++i) {
        const btRigidBody &from = *leader.bodies_[i];
        btRigidBody &to = *bodies_[i];
        to.setWorldTransform(from.getWorldTransform());
        to.setInterpolationWorldTransform(from.getInterpolationWorldTransform());
        to.setLinearVelocity(from.getLinearVelocity());
        to.setAngularVelocity(from.getAngularVelocity());
        to.setInterpolationLinearVelocity(from.getInterpolationLinearVelocity());
        to.setInterpolationAngularVelocity(from.getInterpolationAngularVelocity());
        to.forceActivationState(from.getActivationState());
        to.setDeactivationTime(from.getDeactivationTime());
    }
}

btRigidBody *EngineWorld::add(btCollisionShape *shape, btScalar mass, const btTransform &where) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo information(mass, nullptr, shape, inertia);
    information.m_startWorldTransform = where;
    bodies_.push_back(std::make_unique<btRigidBody>(information));
    world.addRigidBody(bodies_.back().get());
    return bodies_.back().get();
}

btRigidBody *EngineWorld::add(btCollisionShape *shape, btScalar mass, const btVector3 &where) {
    return add(shape, mass, btTransform(btQuaternion::getIdentity(), where));
}

void EngineWorld::join(std::unique_ptr<btTypedConstraint> constraint) {
    world.addConstraint(constraint.get(), true);
    constraints_.push_back(std::move(constraint));
}

namespace {

// Numbers in 0 .. 1, the same everywhere.
class Random {
public:
    btScalar next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<btScalar>(state_ >> 40) / btScalar(1 << 24);
    }
    btScalar between(btScalar low, btScalar high) {
        return low + (high - low) * next();
    }

private:
    uint64_t state_ = 1;
};

void add_floor(EngineWorld &world) {
    world.add(world.shape<btBoxShape>(btVector3(250, 50, 250)), 0, btVector3(0, -50, 0));
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

// Towers of layers of 8 x 8 cubes, each layer a little further out, that fall and burst.
void build_falling(EngineWorld &world, size_t objects) {
    add_floor(world);
    btBoxShape *cube = world.shape<btBoxShape>(btVector3(1, 1, 1));
    const btScalar pitch = btScalar(2.5);
    for (size_t i = 0; i < objects; ++i) {
        const size_t layer = i / 64;
        const btScalar shift = btScalar(-0.05) * static_cast<btScalar>(64 + layer);
        world.add(cube, 2,
                  btVector3(pitch * static_cast<btScalar>(i % 8) + shift, 2 + pitch * static_cast<btScalar>(layer),
                            pitch * static_cast<btScalar>(i / 8 % 8) + shift));
    }
}

// A pyramid of cubes, layer on layer.
void build_stack(EngineWorld &world, size_t objects) {
    add_floor(world);
    btBoxShape *cube = world.shape<btBoxShape>(btVector3(1, 1, 1));
    size_t base = 1, sum = 1;
    while (sum + (base + 1) * (base + 1) <= objects) ++base, sum += base * base;
    for (size_t layer = 0; layer < base; ++layer) {
        const size_t width = base - layer;
        const btScalar shift = btScalar(2.04) * static_cast<btScalar>(layer) / 2;
        for (size_t i = 0; i < width * width; ++i)
            world.add(cube, 1,
                      btVector3(shift + btScalar(2.04) * static_cast<btScalar>(i % width),
                                1 + 2 * static_cast<btScalar>(layer),
                                shift + btScalar(2.04) * static_cast<btScalar>(i / width)));
    }
}

// Bricks in bond, and a ball that hits them.
void build_wall(EngineWorld &world, size_t objects) {
    add_floor(world);
    btBoxShape *brick = world.shape<btBoxShape>(btVector3(2, 1, 1));
    const size_t width = 32;
    for (size_t i = 0; i < objects; ++i) {
        const size_t layer = i / width;
        const btScalar shift = layer % 2 ? btScalar(2.02) : 0;
        world.add(brick, 1,
                  btVector3(shift + btScalar(4.04) * static_cast<btScalar>(i % width),
                            1 + 2 * static_cast<btScalar>(layer), 0));
    }
    btRigidBody *ball = world.add(world.shape<btSphereShape>(btScalar(3)), 50, btVector3(64, 12, -60));
    ball->setLinearVelocity(btVector3(0, 3, 60));
}

// ---- ragdolls -------------------------------------------------------------------------------------------------------

// A part of a doll: a capsule along `axis` (0: x, 1: y), and the joint by which it hangs on an earlier part.
struct Part {
    int parent;
    int axis;
    btScalar radius, length;
    btVector3 center, joint;
    bool is_hinge;
};

const Part parts[] = {
    {-1, 1, btScalar(0.15), btScalar(0.20), btVector3(0, 1, 0), btVector3(0, 1, 0), false},
    {0, 1, btScalar(0.15), btScalar(0.28), btVector3(0, btScalar(1.35), 0), btVector3(0, btScalar(1.15), 0), true},
    {1, 1, btScalar(0.10), btScalar(0.05), btVector3(0, btScalar(1.75), 0), btVector3(0, btScalar(1.6), 0), false},
    {0, 1, btScalar(0.07), btScalar(0.45), btVector3(btScalar(-0.18), btScalar(0.65), 0),
     btVector3(btScalar(-0.18), btScalar(0.95), 0), false},
    {3, 1, btScalar(0.05), btScalar(0.37), btVector3(btScalar(-0.18), btScalar(0.2), 0),
     btVector3(btScalar(-0.18), btScalar(0.42), 0), true},
    {0, 1, btScalar(0.07), btScalar(0.45), btVector3(btScalar(0.18), btScalar(0.65), 0),
     btVector3(btScalar(0.18), btScalar(0.95), 0), false},
    {5, 1, btScalar(0.05), btScalar(0.37), btVector3(btScalar(0.18), btScalar(0.2), 0),
     btVector3(btScalar(0.18), btScalar(0.42), 0), true},
    {1, 0, btScalar(0.05), btScalar(0.33), btVector3(btScalar(-0.40), btScalar(1.5), 0),
     btVector3(btScalar(-0.2), btScalar(1.5), 0), false},
    {7, 0, btScalar(0.04), btScalar(0.25), btVector3(btScalar(-0.75), btScalar(1.5), 0),
     btVector3(btScalar(-0.58), btScalar(1.5), 0), true},
    {1, 0, btScalar(0.05), btScalar(0.33), btVector3(btScalar(0.40), btScalar(1.5), 0),
     btVector3(btScalar(0.2), btScalar(1.5), 0), false},
    {9, 0, btScalar(0.04), btScalar(0.25), btVector3(btScalar(0.75), btScalar(1.5), 0),
     btVector3(btScalar(0.58), btScalar(1.5), 0), true},
};
constexpr size_t part_count = sizeof parts / sizeof *parts;
constexpr btScalar doll_scale = btScalar(3.5);

btTransform frame_in(const btRigidBody &body, const btVector3 &joint) {
    return body.getWorldTransform().inverse() * btTransform(btQuaternion::getIdentity(), joint);
}

void join_part(EngineWorld &world, const Part &part, btRigidBody &parent, btRigidBody &child, const btVector3 &joint) {
    const btTransform in_parent = frame_in(parent, joint), in_child = frame_in(child, joint);
    if (part.is_hinge) {
        auto hinge = std::make_unique<btHingeConstraint>(parent, child, in_parent, in_child);
        hinge->setLimit(btScalar(-0.8), btScalar(0.8));
        world.join(std::move(hinge));
    } else {
        auto cone = std::make_unique<btConeTwistConstraint>(parent, child, in_parent, in_child);
        cone->setLimit(SIMD_PI / 4, SIMD_PI / 4, SIMD_PI / 4);
        world.join(std::move(cone));
    }
}

void add_doll(EngineWorld &world, btCollisionShape *const *shapes, const btVector3 &where) {
    btRigidBody *bodies[part_count];
    for (size_t i = 0; i < part_count; ++i) {
        const Part &part = parts[i];
        bodies[i] = world.add(shapes[i], 1, where + part.center * doll_scale);
        bodies[i]->setDamping(btScalar(0.05), btScalar(0.85));
        bodies[i]->setDeactivationTime(btScalar(0.8));
        bodies[i]->setSleepingThresholds(btScalar(1.6), btScalar(2.5));
        if (part.parent >= 0) join_part(world, part, *bodies[part.parent], *bodies[i], where + part.joint * doll_scale);
    }
}

// Rows of dolls, one above the other, each with one doll less.
void build_ragdolls(EngineWorld &world, size_t objects) {
    add_floor(world);
    btCollisionShape *shapes[part_count];
    for (size_t i = 0; i < part_count; ++i) {
        const btScalar radius = parts[i].radius * doll_scale, length = parts[i].length * doll_scale;
        shapes[i] = parts[i].axis == 0 ? static_cast<btCollisionShape *>(world.shape<btCapsuleShapeX>(radius, length))
                                       : world.shape<btCapsuleShape>(radius, length);
    }
    const size_t dolls = objects / part_count;
    size_t width = 1;
    while (width * (width + 1) / 2 < dolls) ++width;
    for (size_t row = 0, made = 0; made < dolls; ++row)
        for (size_t i = 0; i < width - row && made < dolls; ++i, ++made)
            add_doll(world, shapes,
                     btVector3(6 * (static_cast<btScalar>(i) + static_cast<btScalar>(row) / 2),
                               btScalar(0.5) + 7 * static_cast<btScalar>(row), 0));
}

// ---- on meshes ------------------------------------------------------------------------------------------------------

// A mesh over a grid of points; `height` of x and z.
template <class Height> void add_ground(EngineWorld &world, int cells, btScalar pitch, Height height) {
    btTriangleMesh *mesh = world.mesh();
    const auto point = [&](int i, int k) {
        const btScalar x = pitch * static_cast<btScalar>(i - cells / 2),
                       z = pitch * static_cast<btScalar>(k - cells / 2);
        return btVector3(x, height(x, z), z);
    };
    for (int i = 0; i < cells; ++i)
        for (int k = 0; k < cells; ++k) {
            mesh->addTriangle(point(i, k), point(i, k + 1), point(i + 1, k));
            mesh->addTriangle(point(i + 1, k), point(i, k + 1), point(i + 1, k + 1));
        }
    world.add(world.shape<btBvhTriangleMeshShape>(mesh, true), 0, btVector3(0, 0, 0));
}

// A convex hull with `corners` corners on an ellipsoid.
btConvexHullShape *make_stone(EngineWorld &world, Random &random, int corners) {
    btConvexHullShape *stone = world.shape<btConvexHullShape>();
    const btVector3 size(random.between(btScalar(0.6), btScalar(1.2)), random.between(btScalar(0.6), btScalar(1.2)),
                         random.between(btScalar(0.6), btScalar(1.2)));
    for (int i = 0; i < corners; ++i) {
        btVector3 corner(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1));
        while (corner.length2() < btScalar(0.01)) corner = btVector3(random.between(-1, 1), random.between(-1, 1), 1);
        stone->addPoint(corner.normalized() * size, false);
    }
    stone->recalcLocalAabb();
    return stone;
}

// Stones in layers above hills.
void build_convexes(EngineWorld &world, size_t objects) {
    add_hills(world, 60, 120);
    Random random;
    btConvexHullShape *stones[8];
    for (auto &stone : stones) stone = make_stone(world, random, 24);
    for (size_t i = 0; i < objects; ++i)
        world.add(stones[i % 8], 1,
                  btVector3(3 * static_cast<btScalar>(i % 10) - 15, 8 + 3 * static_cast<btScalar>(i / 100),
                            3 * static_cast<btScalar>(i / 10 % 10) - 15));
}

// Spheres in a block above a bowl that holds them all.
void build_bowl(EngineWorld &world, size_t objects) {
    const btScalar side = std::cbrt(static_cast<btScalar>(objects));
    const btScalar radius = btScalar(1.1) * side;
    add_ground(world, 64, radius / 20, [radius](btScalar x, btScalar z) { return (x * x + z * z) / radius; });
    btSphereShape *ball = world.shape<btSphereShape>(btScalar(0.5));
    Random random;
    const auto width = static_cast<size_t>(std::ceil(side));
    for (size_t i = 0; i < objects; ++i) {
        const btScalar x = static_cast<btScalar>(i % width), z = static_cast<btScalar>(i / width % width);
        const btVector3 tremor(random.between(btScalar(-0.05), btScalar(0.05)), 0,
                               random.between(btScalar(-0.05), btScalar(0.05)));
        world.add(ball, 1,
                  btScalar(1.15) * btVector3(x - side / 2, 0, z - side / 2) + tremor +
                      btVector3(0, radius + btScalar(1.15) * static_cast<btScalar>(i / (width * width)), 0));
    }
}

// Drops of many sizes that fall on hills all the time: the first reach the ground at once, the last near the end.
void build_rain(EngineWorld &world, size_t objects) {
    const btScalar width = 2 * std::sqrt(static_cast<btScalar>(objects));
    add_hills(world, 128, btScalar(1.28) * width);
    Random random;
    btCollisionShape *drops[8];
    for (int i = 0; i < 8; ++i) {
        const btScalar size = btScalar(0.15) * static_cast<btScalar>(1 + i);
        drops[i] = i % 2 ? static_cast<btCollisionShape *>(world.shape<btBoxShape>(btVector3(size, size, size)))
                         : world.shape<btSphereShape>(size);
    }
    for (size_t i = 0; i < objects; ++i) {
        btRigidBody *drop = world.add(drops[i % 8], 1,
                                      btVector3(random.between(-width / 2, width / 2), random.between(6, 150),
                                                random.between(-width / 2, width / 2)));
        drop->setLinearVelocity(btVector3(0, -10, 0));
        drop->setDamping(btScalar(0.3), btScalar(0.3));
    }
}

// Where the i-th cube of `count` is, in stacks of three, side by side.
btVector3 place_in_stacks(size_t i, size_t count) {
    const auto width = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(count) / 3)));
    const btScalar pitch = btScalar(2.5), corner = -pitch * static_cast<btScalar>(width) / 2;
    return btVector3(corner + pitch * static_cast<btScalar>(i / 3 % width), 1 + 2 * static_cast<btScalar>(i % 3),
                     corner + pitch * static_cast<btScalar>(i / 3 / width));
}

// Stacks that fall asleep after two seconds.
void build_resting(EngineWorld &world, size_t objects) {
    add_floor(world);
    btBoxShape *cube = world.shape<btBoxShape>(btVector3(1, 1, 1));
    for (size_t i = 0; i < objects; ++i) world.add(cube, 1, place_in_stacks(i, objects));
}

// Stacks that sleep, and for every 99 cubes a ball that flies down into them and wakes those that it meets.
void build_asleep(EngineWorld &world, size_t objects) {
    add_floor(world);
    btBoxShape *cube = world.shape<btBoxShape>(btVector3(1, 1, 1));
    btSphereShape *ball = world.shape<btSphereShape>(btScalar(0.7));
    Random random;
    for (size_t i = 0; i < objects; ++i) {
        const btVector3 where = place_in_stacks(i, objects);
        if (i % 100 < 99) {
            world.add(cube, 1, where)->forceActivationState(ISLAND_SLEEPING);
        } else {
            const btScalar height = random.between(8, 40);
            world.add(ball, 3, where + btVector3(0, height, 0))
                ->setLinearVelocity(btVector3(random.between(-20, 20), 0, random.between(-20, 20)));
        }
    }
}

using Build = void (*)(EngineWorld &world, size_t objects);

const engine_scene scenes[] = {
    {"falling-100", 100, 600, false},   {"falling-1000", 1000, 600, false},
    {"falling", 3000, 600, false},      {"stack", 1000, 600, false},
    {"wall", 512, 600, false},          {"ragdolls", 136 * part_count, 600, false},
    {"convexes", 1000, 300, false},     {"rays", 1000, 150, true},
    {"resting", 5000, 300, false},      {"bowl-10000", 10000, 200, false},
    {"rain", 10000, 200, false},        {"bowl-50000", 50000, 30, false},
    {"asleep-500", 500, 300, true},     {"asleep-5000", 5000, 300, true},
    {"asleep-50000", 50000, 150, true}, {},
};
const Build builds[] = {build_falling,  build_falling,  build_falling,  build_stack,   build_wall,
                        build_ragdolls, build_convexes, build_convexes, build_resting, build_bowl,
                        build_rain,     build_bowl,     build_asleep,   build_asleep,  build_asleep};

} // namespace

const engine_scene *const engine_scenes = scenes;

void add_hills(EngineWorld &world, int cells, btScalar width) {
    add_ground(world, cells, width / static_cast<btScalar>(cells),
               [](btScalar x, btScalar z) { return 4 * btSin(x / 8) * btCos(z / 8); });
}

void build_scene(size_t scene, size_t objects, EngineWorld &world) {
    builds[scene](world, objects);
}

// The scenes of the suite engine: Bullet's own benchmarks, written anew from what they are, and larger ones.
#ifndef BENCH_ENGINE_SCENES_HPP
#define BENCH_ENGINE_SCENES_HPP

#include "engine/engine.h"

#include <btBulletDynamicsCommon.h>

#include <cstddef>
#include <ctime>
#include <memory>
#include <vector>

inline double thread_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Bullet's world, with the times of the three stages of the collision detection of the last step, in seconds.
class TimedWorld : public btDiscreteDynamicsWorld {
public:
    using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;
    double update_seconds = 0, find_seconds = 0, narrow_seconds = 0;
    double find_wall_seconds = 0;

    void performDiscreteCollisionDetection() override;
};

// A dynamics world over a broad phase, and all that it needs.
class EngineWorld {
public:
    explicit EngineWorld(btBroadphaseInterface &broad_phase);
    ~EngineWorld();

    void step(btScalar seconds = btScalar(1) / 60) {
        world.stepSimulation(seconds, 0);
    }

    // Sets all bodies to the state of those of a world of the same scene.
    void follow(const EngineWorld &leader);

    // A shape that lives as long as the world.
    template <class Shape, class... Arguments> Shape *shape(Arguments &&...arguments) {
        auto made = std::make_unique<Shape>(std::forward<Arguments>(arguments)...);
        Shape *shape = made.get();
        shapes_.push_back(std::move(made));
        return shape;
    }
    btTriangleMesh *mesh() {
        meshes_.push_back(std::make_unique<btTriangleMesh>());
        return meshes_.back().get();
    }
    // Mass 0: static.
    btRigidBody *add(btCollisionShape *shape, btScalar mass, const btTransform &where);
    btRigidBody *add(btCollisionShape *shape, btScalar mass, const btVector3 &where);
    void join(std::unique_ptr<btTypedConstraint> constraint);

private:
    btDefaultCollisionConfiguration configuration_;
    btCollisionDispatcher dispatcher_;
    btSequentialImpulseConstraintSolver solver_;
    std::vector<std::unique_ptr<btCollisionShape>> shapes_;
    std::vector<std::unique_ptr<btTriangleMesh>> meshes_;
    std::vector<std::unique_ptr<btRigidBody>> bodies_;
    std::vector<std::unique_ptr<btTypedConstraint>> constraints_;

public:
    TimedWorld world;
};

// Hills of triangles, from -width / 2 to width / 2 along x and z; 4 high.
void add_hills(EngineWorld &world, int cells, btScalar width);

// Scene i of engine_scenes, with about so many objects that move.
void build_scene(size_t scene, size_t objects, EngineWorld &world);

#endif

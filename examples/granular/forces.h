// Soft spheres: the forces between grains and walls, and the steps in time. Plain C, nothing else: who touches whom is the
// caller's to find.
//
//          a         b        normal      k * depth - damping, along n, never pulling
//        .---.     .---.      tangential  a spring that is stretched while two surfaces slide over each other, and gives
//       /     \ |n/     \                 way at friction * normal force: P. A. Cundall, O. D. L. Strack, "A discrete
//      |   x---|>|---x   |                numerical model for granular assemblies", Geotechnique 29 (1979)
//       \     / | \     /
//        '---'     '---'      Both act at one point between the centers, so momentum and angular momentum stay as they are.
//
// Length, mass and time have no units here: say, radii of grains, and gravity 1.
#ifndef GRANULAR_FORCES_H
#define GRANULAR_FORCES_H

#include <stddef.h>
#include <stdint.h>

typedef struct granular_grain {
    double place[3], speed[3], spin[3];
    double force[3], torque[3];
    double radius, mass;
} granular_grain;

// The half-space beyond `at` along an axis: below it if `side` is 1, above it if `side` is -1.
typedef struct granular_wall {
    int axis;
    double at, side;
} granular_wall;

// Two that may touch: a grain, and a grain or (from grain_count up) a wall. a < b.
typedef struct granular_contact {
    uint32_t a, b;
    double stretch[3]; // of the tangential spring; 0 where they do not touch
} granular_contact;

typedef struct granular_material {
    double stiffness;            // of normal springs
    double tangential_stiffness; // usually 2/7 of it
    double damping;              // of normal motion: force / speed
    double tangential_damping;
    double friction; // tangential / normal force
} granular_material;

typedef struct granular_system {
    granular_grain *grains;
    size_t grain_count;
    const granular_wall *walls;
    size_t wall_count;
    granular_contact *contacts; // at least all that touch
    size_t contact_count;
    granular_material material;
    double gravity[3];
    double period[3]; // 0: none
    double time_step;
    double elastic;  // energy of the springs, after granular_find_forces
    size_t touching; // contacts that do
} granular_system;

// The mass of a grain of density 1.
double granular_mass_of(double radius);

// A step that follows a collision of the two lightest grains: a fifteenth of what that takes.
double granular_time_step(const granular_system *s);

// The damping with which two grains of this mass leave each other with this part of the speed they met with (0 .. 1).
double granular_damping(double stiffness, double mass, double restitution);

// Forces and torques of all grains, as they are now. Tangential springs grow by the time step.
void granular_find_forces(granular_system *s);

// Whether those two touch now.
int granular_is_touching(const granular_system *s, const granular_contact *contact);

// A step of velocity Verlet is kick, drift, (new contacts,) find_forces, kick.
void granular_kick(granular_system *s); // half a step of speeds and spins
void granular_drift(granular_system *s);

// Kinetic, of motion and spin, and elastic, and of height along gravity.
double granular_energy(const granular_system *s);
void granular_momentum(const granular_system *s, double momentum[3]);
// Around the origin; means something only without periods and walls.
void granular_angular_momentum(const granular_system *s, double momentum[3]);

#endif

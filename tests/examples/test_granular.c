// examples/granular: what must stay as it is stays (energy, momentum, angular momentum), friction holds what it must hold and
// no more, and contacts found with a margin are those found in each step.
#include "contacts.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

enum { SIDE = 6, COUNT = SIDE * SIDE * SIDE };

static const double edge = 2.0 * SIDE;

typedef struct cloud {
    granular_grain grains[COUNT];
    granular_system system;
    granular_contacts contacts;
} cloud;

static double random_sign(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state / 2147483648.0 - 1.0;
}

// Grains of several sizes that nearly touch, with random speeds and spins.
static void begin(cloud *c, granular_material material, double margin) {
    uint32_t random = 3;
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < COUNT; ++i) {
        granular_grain *g = &c->grains[i];
        const size_t cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        g->radius = 0.85 + 0.15 * random_sign(&random);
        g->mass = granular_mass_of(g->radius);
        for (int axis = 0; axis < 3; ++axis) {
            g->place[axis] = 2.0 * (double)cell[axis] + 1.0;
            g->speed[axis] = random_sign(&random);
            g->spin[axis] = random_sign(&random);
        }
    }
    c->system = (granular_system){.grains = c->grains, .grain_count = COUNT, .material = material};
    c->system.time_step = granular_time_step(&c->system);
    granular_contacts_begin(&c->contacts, NULL, margin);
}

static void start(cloud *c) {
    assert_int_equal(granular_contacts_renew(&c->contacts, &c->system), BP_OK);
    granular_find_forces(&c->system);
}

static void run(cloud *c, size_t steps) {
    for (size_t i = 0; i < steps; ++i) assert_int_equal(granular_step(&c->contacts, &c->system), BP_OK);
}

static const granular_material elastic = {.stiffness = 1000.0};
static const granular_material rough = {
    .stiffness = 1000.0, .tangential_stiffness = 285.0, .damping = 20.0, .tangential_damping = 10.0, .friction = 0.5};

// Without friction and damping nothing is lost: within 0.2 % after 5,000 steps, in a box that repeats.
static void springs_keep_energy_and_momentum(void **state) {
    (void)state;
    static cloud c;
    begin(&c, elastic, 0.2);
    for (int axis = 0; axis < 3; ++axis) c.system.period[axis] = edge;
    start(&c);
    double before[3], after[3];
    const double energy = granular_energy(&c.system);
    granular_momentum(&c.system, before);
    for (int part = 0; part < 10; ++part) {
        run(&c, 500);
        assert_true(fabs(granular_energy(&c.system) / energy - 1.0) < 0.002);
    }
    granular_momentum(&c.system, after);
    for (int axis = 0; axis < 3; ++axis) assert_true(fabs(after[axis] - before[axis]) < 1e-8);
    assert_true(c.contacts.searches < 2500);
    granular_contacts_end(&c.contacts);
}

// Between walls, under gravity: the same, and nobody gets out.
static void walls_keep_energy(void **state) {
    (void)state;
    static cloud c;
    const granular_wall walls[] = {{0, 0, 1}, {0, edge, -1}, {1, 0, 1}, {1, edge, -1}, {2, 0, 1}};
    begin(&c, elastic, 0.2);
    c.system.walls = walls;
    c.system.wall_count = 5;
    c.system.gravity[2] = -1.0;
    start(&c);
    const double energy = granular_energy(&c.system);
    run(&c, 5000);
    assert_true(fabs(granular_energy(&c.system) / energy - 1.0) < 0.002);
    for (size_t i = 0; i < COUNT; ++i) {
        for (int axis = 0; axis < 3; ++axis) assert_true(c.grains[i].place[axis] > 0.0);
    }
    granular_contacts_end(&c.contacts);
}

// With friction and damping energy only falls; momentum and angular momentum stay, also where spins and speeds exchange them.
static void friction_loses_energy_alone(void **state) {
    (void)state;
    static cloud c;
    begin(&c, rough, 0.2);
    for (size_t i = 0; i < COUNT; ++i) { // to the middle, so that they meet
        for (int axis = 0; axis < 3; ++axis) c.grains[i].speed[axis] += 0.3 * (0.5 * edge - c.grains[i].place[axis]);
    }
    start(&c);
    double before[2][3], after[2][3], energy = granular_energy(&c.system);
    const double first = energy;
    granular_momentum(&c.system, before[0]);
    granular_angular_momentum(&c.system, before[1]);
    for (int part = 0; part < 20; ++part) {
        run(&c, 100);
        assert_true(granular_energy(&c.system) < energy + 1e-3 * first);
        energy = granular_energy(&c.system);
    }
    assert_true(energy < 0.6 * first);
    granular_momentum(&c.system, after[0]);
    granular_angular_momentum(&c.system, after[1]);
    for (int axis = 0; axis < 3; ++axis) {
        assert_true(fabs(after[0][axis] - before[0][axis]) < 1e-8);
        assert_true(fabs(after[1][axis] - before[1][axis]) < 1e-7);
    }
    granular_contacts_end(&c.contacts);
}

// A grain that cannot turn, on a floor that tilts: held below the angle of friction, sliding above it. (Gravity tilts.)
static double slide_under(double tilt) {
    granular_grain grain = {.place = {0, 0, 1}, .radius = 1.0, .mass = granular_mass_of(1.0)};
    const granular_wall floor_wall = {2, 0, 1};
    granular_contact contact = {.a = 0, .b = 1};
    granular_system s = {.grains = &grain,
                         .grain_count = 1,
                         .walls = &floor_wall,
                         .wall_count = 1,
                         .contacts = &contact,
                         .contact_count = 1,
                         .material = rough,
                         .gravity = {sin(tilt), 0, -cos(tilt)}};
    s.time_step = granular_time_step(&s);
    for (int step = 0; step < 20000; ++step) {
        granular_kick(&s);
        granular_drift(&s);
        granular_find_forces(&s);
        memset(grain.torque, 0, sizeof grain.torque);
        granular_kick(&s);
    }
    return grain.speed[0];
}

static void friction_holds_up_to_its_angle(void **state) {
    (void)state;
    const double angle = atan(rough.friction);
    assert_true(fabs(slide_under(0.9 * angle)) < 1e-6);
    assert_true(slide_under(1.1 * angle) > 1.0);
}

// The head-on collision of two equal grains: they part with the speed that the damping was made for, or a little more, because
// they never pull.
static void damping_is_restitution(void **state) {
    (void)state;
    granular_grain grains[2] = {{.place = {0, 0, 0}, .speed = {1, 0, 0}}, {.place = {2.01, 0, 0}, .speed = {-1, 0, 0}}};
    granular_contact contact = {.a = 0, .b = 1};
    for (int i = 0; i < 2; ++i) {
        grains[i].radius = 1.0;
        grains[i].mass = granular_mass_of(1.0);
    }
    granular_system s = {
        .grains = grains, .grain_count = 2, .contacts = &contact, .contact_count = 1, .material = elastic};
    s.material.damping = granular_damping(s.material.stiffness, grains[0].mass, 0.5);
    s.time_step = 0.1 * granular_time_step(&s);
    granular_find_forces(&s);
    for (int step = 0; step < 2000; ++step) {
        granular_kick(&s);
        granular_drift(&s);
        granular_find_forces(&s);
        granular_kick(&s);
    }
    assert_true(-grains[0].speed[0] > 0.5 && -grains[0].speed[0] < 0.6);
    assert_true(s.touching == 0);
}

// Contacts that last for many steps are as good as new ones in each step: not one bit is different.
static void margins_change_nothing(void **state) {
    (void)state;
    static cloud lasting, fresh;
    begin(&lasting, rough, 0.3);
    begin(&fresh, rough, 0.01);
    for (int axis = 0; axis < 3; ++axis) lasting.system.period[axis] = fresh.system.period[axis] = edge;
    start(&lasting);
    start(&fresh);
    run(&lasting, 600);
    run(&fresh, 600);
    assert_true(fresh.contacts.searches > 5 * lasting.contacts.searches);
    for (size_t i = 0; i < COUNT; ++i) {
        assert_memory_equal(lasting.grains[i].place, fresh.grains[i].place, sizeof fresh.grains[i].place);
        assert_memory_equal(lasting.grains[i].spin, fresh.grains[i].spin, sizeof fresh.grains[i].spin);
    }
    granular_contacts_end(&lasting.contacts);
    granular_contacts_end(&fresh.contacts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_keep_energy_and_momentum), cmocka_unit_test(walls_keep_energy),
        cmocka_unit_test(friction_loses_energy_alone),      cmocka_unit_test(friction_holds_up_to_its_angle),
        cmocka_unit_test(damping_is_restitution),           cmocka_unit_test(margins_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Grains: the soft spheres of examples/granular, some of which may be fixed.
#include "contacts.h"
#include "web.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct web_grains {
    granular_system system;
    granular_contacts contacts;
    granular_wall *walls;
    unsigned char *fixed; // by grain; NULL: none
    bp_pair *touching;    // as many as there were contacts when they were last asked for
    size_t touching_capacity;
} web_grains;

// As package/grains.js writes them; 0 means default from `stiffness` on.
typedef struct web_grain_options {
    double gravity[3], period[3];
    double stiffness, restitution, friction, margin, time_step;
} web_grain_options;

// ---------------------------------------------------------------------------------------------------------------------
// Beginning

static double mean_radius(const granular_system *s) {
    double sum = 0.0;
    for (size_t i = 0; i < s->grain_count; ++i) sum += s->grains[i].radius;
    return sum / (double)s->grain_count;
}

// How far grains are apart along gravity, at most, times gravity.
static double largest_drop(const granular_system *s) {
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < s->grain_count; ++i) {
        const double *place = s->grains[i].place;
        const double height = s->gravity[0] * place[0] + s->gravity[1] * place[1] + s->gravity[2] * place[2];
        low = fmin(low, height);
        high = fmax(high, height);
    }
    return fmax(high - low, 1.0);
}

// So stiff that what lies at the bottom of a column of grains gives way by a twentieth of a radius.
static granular_material material_of(const granular_system *s, const web_grain_options *o) {
    const double radius = mean_radius(s), mass = granular_mass_of(radius);
    const double stiffness = o->stiffness > 0.0 ? o->stiffness : 10.0 * mass * largest_drop(s) / (radius * radius);
    const double damping = granular_damping(stiffness, mass, o->restitution);
    return (granular_material){.stiffness = stiffness,
                               .tangential_stiffness = 2.0 / 7.0 * stiffness,
                               .damping = damping,
                               .tangential_damping = 0.5 * damping,
                               .friction = o->friction};
}

static void fill_grains(granular_system *s, const double *places, const double *radii, const double *speeds) {
    for (size_t i = 0; i < s->grain_count; ++i) {
        granular_grain *g = &s->grains[i];
        g->radius = radii[i];
        g->mass = granular_mass_of(radii[i]);
        memcpy(g->place, places + 3 * i, sizeof g->place);
        if (speeds != NULL) memcpy(g->speed, speeds + 3 * i, sizeof g->speed);
    }
}

static int is_one_free(void *context, uint32_t a, uint32_t b) {
    const web_grains *self = context;
    const size_t count = self->system.grain_count; // from there on: walls
    return a < count && !(self->fixed[a] && (b >= count || self->fixed[b]));
}

static void hold_fixed(web_grains *self) {
    for (size_t i = 0; self->fixed != NULL && i < self->system.grain_count; ++i) {
        if (!self->fixed[i]) continue;
        granular_grain *g = &self->system.grains[i];
        memset(g->speed, 0, sizeof g->speed);
        memset(g->spin, 0, sizeof g->spin);
    }
}

void WEB_EXPORT(web_grains_destroy)(web_grains *self) {
    if (self == NULL) return;
    granular_contacts_end(&self->contacts);
    free(self->system.grains);
    free(self->walls);
    free(self->fixed);
    free(self->touching);
    free(self);
}

static bp_status begin(web_grains *self, const web_grain_options *o) {
    granular_system *s = &self->system;
    s->material = material_of(s, o);
    s->time_step = o->time_step > 0.0 ? o->time_step : granular_time_step(s);
    hold_fixed(self);
    bp_config config = {0};
    if (self->fixed != NULL) config.filter = (bp_filter){.pass = is_one_free, .context = self};
    granular_contacts_begin(&self->contacts, &config, o->margin > 0.0 ? o->margin : 0.15 * mean_radius(s));
    const bp_status status = granular_contacts_renew(&self->contacts, s);
    if (status == BP_OK) granular_find_forces(s);
    return status;
}

// Takes walls (axis, at, side) and the bytes that say who is fixed over; the caller has allocated them.
bp_status WEB_EXPORT(web_grains_create)(size_t count, const double *places, const double *radii, const double *speeds,
                                        const unsigned char *fixed, size_t wall_count, const double *walls,
                                        const web_grain_options *options) {
    web_forget_sentence();
    web_grains *self = calloc(1, sizeof *self);
    if (self == NULL) return BP_ERROR_MEMORY;
    granular_system *s = &self->system;
    s->grains = calloc(count, sizeof *s->grains);
    self->walls = calloc(wall_count + 1, sizeof *self->walls);
    self->fixed = fixed != NULL ? malloc(count) : NULL;
    bp_status status = BP_ERROR_MEMORY;
    if (s->grains != NULL && self->walls != NULL && (fixed == NULL || self->fixed != NULL)) {
        s->grain_count = count;
        s->walls = self->walls;
        s->wall_count = wall_count;
        for (size_t i = 0; i < wall_count; ++i) {
            self->walls[i] = (granular_wall){(int)walls[3 * i], walls[3 * i + 1], walls[3 * i + 2]};
        }
        if (fixed != NULL) memcpy(self->fixed, fixed, count);
        memcpy(s->gravity, options->gravity, sizeof s->gravity);
        memcpy(s->period, options->period, sizeof s->period);
        fill_grains(s, places, radii, speeds);
        status = begin(self, options);
    }
    if (status != BP_OK) {
        web_grains_destroy(self);
        self = NULL;
    }
    web_results[0] = web_address(self);
    return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Going on

static bp_status step(web_grains *self) {
    granular_system *s = &self->system;
    granular_kick(s);
    hold_fixed(self);
    granular_drift(s);
    const bp_status status = granular_contacts_renew(&self->contacts, s);
    granular_find_forces(s);
    granular_kick(s);
    hold_fixed(self);
    return status;
}

bp_status WEB_EXPORT(web_grains_step)(web_grains *self, size_t steps) {
    bp_status status = BP_OK;
    web_forget_sentence();
    for (size_t i = 0; i < steps && status == BP_OK; ++i) status = step(self);
    return status;
}

// ---------------------------------------------------------------------------------------------------------------------
// Looking

static const double *vector_of(const granular_grain *g, uint32_t which) {
    return which == 0 ? g->place : which == 1 ? g->speed : g->spin;
}

// Places (0), speeds (1) or spins (2).
void WEB_EXPORT(web_grains_read)(const web_grains *self, uint32_t which, float *to) {
    for (size_t i = 0; i < self->system.grain_count; ++i) {
        const double *from = vector_of(&self->system.grains[i], which);
        for (int axis = 0; axis < 3; ++axis) to[3 * i + (size_t)axis] = (float)from[axis];
    }
}

bp_status WEB_EXPORT(web_grains_touching)(web_grains *self) {
    const granular_system *s = &self->system;
    if (self->touching_capacity < s->contact_count) {
        free(self->touching);
        self->touching = malloc(s->contact_count * sizeof *self->touching);
        self->touching_capacity = self->touching != NULL ? s->contact_count : 0;
        if (self->touching == NULL) return BP_ERROR_MEMORY;
    }
    size_t count = 0;
    for (size_t i = 0; i < s->contact_count; ++i) {
        const granular_contact *c = &s->contacts[i];
        if (granular_is_touching(s, c)) self->touching[count++] = (bp_pair){.a = c->a, .b = c->b};
    }
    web_results[0] = web_address(self->touching);
    web_results[1] = (uint32_t)count;
    return BP_OK;
}

// The order is that of package/grains.js.
const double *WEB_EXPORT(web_grains_figures)(const web_grains *self) {
    static double figures[5];
    figures[0] = self->system.time_step;
    figures[1] = (double)self->system.touching;
    figures[2] = granular_energy(&self->system);
    figures[3] = (double)self->contacts.searches;
    figures[4] = self->contacts.search_time;
    return figures;
}

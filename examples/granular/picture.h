// A picture of grains as an SVG file: seen from the side and a little from above; what is hidden is left out.
#ifndef GRANULAR_PICTURE_H
#define GRANULAR_PICTURE_H

#include "forces.h"

// `colors[i]` is 0 .. 7. The picture shows the box from low to high. Returns 0 if the file cannot be written.
int granular_draw(const granular_system *s, const unsigned char *colors, const double low[3], const double high[3],
                  const char *path);

#endif

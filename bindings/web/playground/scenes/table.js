// The scenes, by the name that stands in the address. A scene is
//
//     title, about      for people
//     count             how many objects it has if nobody says
//     create({ count, seed, bp, data })
//         count         how many there are: near what was asked for
//         colors        three bytes each
//         fixedCount    so many, the first ones, never move (or not given)
//         isStill       nothing ever moves (or not given)
//         exact         the boxes that the library is given, where they are not those that are drawn
//         triangles     nine numbers each, where objects are triangles
//         parts         what is drawn: { shape, first, count, scale, hasNoHalo }, where a shape
//                       is "boxes", "spheres" or "triangles"
//         view          what the camera looks at: { center, radius }
//         steadyGlow    how much those glow that have overlapped for long: 0 .. 1, usually 1
//         glows(a, b)   whether this pair makes them glow; usually all do
//         rayAsGiven(ray)       the ray among the boxes that the library is given, where they are not those that are drawn
//         moveTo(step, boxes)   writes the boxes of a step, which is the same or a later one than before
//         dispose()
import { file } from "./file.js";
import { galaxy } from "./galaxy.js";
import { gas } from "./gas.js";
import { grains } from "./grains.js";
import { knot } from "./knot.js";
import { rain } from "./rain.js";

export const SCENES = { gas, rain, grains, galaxy, knot, file };

/* What the drawings share beside dom.js: texts, boxes, hatching. */
import {svg} from "../dom.js";

export const text = (x, y, words, attributes = {}) => svg("text", {x: round(x), y: round(y), ...attributes}, words);

export const rect = (x, y, width, height, attributes = {}) =>
  svg("rect", {x: round(x), y: round(y), width: round(width), height: round(height), ...attributes});

/* Tenths of a pixel: smaller steps only make the text longer. */
export const round = (value) => Math.round(value * 10) / 10;

/* The d of a path through [x, y]s; a null is a gap. */
export const through = points =>
  points.map((point, i) => point && `${points[i - 1] ? "L" : "M"}${round(point[0])} ${round(point[1])}`)
    .filter(Boolean)
    .join("");

/* About how wide a text of 12 px is: letters of Chinese are square. */
export const textWidth =
  (words, each = 6.6) => [...words].reduce((sum, letter) => sum + (letter.charCodeAt(0) > 0x2e80 ? 12 : each), 0);

let hatches = 0;

/* A pattern of slanted stripes in the colour of the class, and its address for fill. */
export function hatch(kind = "waste") {
  const id = `hatch-${++hatches}`;
  const pattern = svg(
    "pattern", {id, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
    svg("rect", {width: 5, height: 5, class: `hatch-ground ${kind}`}),
    svg("rect", {width: 2.2, height: 5, class: `hatch-stripe ${kind}`}));
  return {defs: svg("defs", {}, pattern), fill: `url(#${id})`};
}

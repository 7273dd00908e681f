/* What draws many marks: into SVG up to MARKS of them, beyond on a canvas with the device's pixels behind it. Both know
   dot(x, y, {kind, dash, hollow, unsure}), diamond(x, y), line(points, {kind, dash, dashed}), whisker(x, y1, y2, {kind,
   up, down}) with an arrow where it goes on, cross(x, y), cell(x, y, w, h, fill) and unsure(x, y, w, h), the strokes
   over a cell, with kind one of KINDS, "waste" or "published" and dash 0 to 3; painterFor(marks,
   width, height) gives {svg or canvas, ...}. */
import {svg} from "../dom.js";
import {rect, round} from "./svg.js";

export const MARKS = 2000;
/* The series of a drawing, by their colours. */
export const KINDS = ["measured", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

export const token = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/* Of a line by its number, as in sweep.css. */
const DASHES = [[], [6, 3], [1.5, 2.5], [8, 3, 1.5, 3]];

/* Paths of a mark by the dashes of its line. */
const SHAPES = [
  r => `m${- r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${- 2 * r} 0z`,
  r => `m${- r} ${- r}h${2 * r}v${2 * r}h${- 2 * r}z`, r => `m0 ${- r}l${r} ${2 * r}h${- 2 * r}z`,
  r => `m0 ${r}l${- r} ${- 2 * r}h${2 * r}z`
];
const classOf =
  (name,
   {kind,
    dash = 0,
    ...rest}) => [name, kind, dash && `dash-${dash}`, ...["hollow", "unsure", "dashed"].filter(key => rest[key])]
                   .filter(Boolean)
                   .join(" ");

function svgPainter() {
  const node = svg("g", {});
  const add = child => {
    node.append(child);
  };
  return {
    node,
    canvas: null,
    dot: (x, y, style) => add(
      style.dash ?
        svg("path", {class: classOf("mark", style), d: `M${round(x)} ${round(y)}${SHAPES[style.dash](3.4)}`}) :
        svg("circle", {class: classOf("mark", style), cx: round(x), cy: round(y), r: style.hollow ? 3.4 : 3.6})),
    diamond: (x, y) => add(svg("path", {class: "mark published", d: `M${round(x)} ${round(y - 5)}l5 5l-5 5l-5 -5z`})),
    line: (points, {kind, dash, dashed}) => points.length > 1 && add(svg("path", {
                                              class: classOf("series-line", {kind, dash, dashed}),
                                              d: `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}`
                                            })),
    whisker: (x, y1, y2, {kind, up, down}) => {
      const top = up ? "m-3 4l3 -4l3 4m-3 -4" : "m-3 0h6m-3 0", end = down ? "m-3 -4l3 4l3 -4" : "m-3 0h6";
      add(svg("path", {
        class: `whisker ${kind}${up || down ? " cut" : ""}`,
        d: `M${round(x)} ${round(y1)}${top}V${round(y2)}${end}`
      }));
    },
    cross: (x, y) => add(svg("path", {class: "mark refused", d: `M${round(x - 3.5)} ${round(y - 3.5)}l7 7m0 -7l-7 7`})),
    cell: (x, y, w, h, fill) => add(rect(x, y, w, h, {fill, class: "cell"})),
    unsure: (x, y, w, h) => add(svg("path", {class: "unsure-cell", d: strikesOf(x, y, w, h)}))
  };
}

/* Slanted strokes over a cell. */
export const strikesOf =
  (x, y, w, h) => [[0, 1, 1, 0], [0, 0.5, 0.5, 0], [0.5, 1, 1, 0.5]]
                    .map(
                      ([x0, y0, x1, y1]) =>
                        `M${round(x + x0 * w)} ${round(y + y0 * h)}L${round(x + x1 * w)} ${round(y + y1 * h)}`)
                    .join("");

function canvasPainter(width, height) {
  const canvas = document.createElement("canvas"), ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.className = "marks";
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.setAttribute("aria-hidden", "true");
  const pen = canvas.getContext("2d"),
        colours = Object.fromEntries([...KINDS, "waste", "published", "surface"].map(name => [name, token(name)]));
  pen.scale(ratio, ratio);
  pen.lineWidth = 1;
  return {
    node: null,
    canvas,
    dot: (x, y, {kind, dash = 0, hollow, unsure}) => {
      const shape = new Path2D(`M${x} ${y}${SHAPES[dash](1.8)}`), open = hollow || unsure;
      pen[open ? "strokeStyle" : "fillStyle"] = colours[kind];
      open ? pen.stroke(shape) : pen.fill(shape);
    },
    diamond: (x, y) => {
      pen.fillStyle = colours.published;
      pen.fillRect(x - 2, y - 2, 4, 4);
    },
    line: (points, {kind, dash = 0}) => {
      pen.strokeStyle = colours[kind];
      pen.setLineDash(DASHES[dash]);
      pen.beginPath();
      points.forEach(([x, y]) => pen.lineTo(x, y));
      pen.stroke();
      pen.setLineDash([]);
    },
    whisker: (x, y1, y2, {kind}) => {
      pen.strokeStyle = colours[kind];
      pen.globalAlpha = 0.35;
      pen.beginPath();
      pen.moveTo(x, y1);
      pen.lineTo(x, y2);
      pen.stroke();
      pen.globalAlpha = 1;
    },
    cross: (x, y) => {
      pen.fillStyle = colours.waste;
      pen.fillRect(x - 1, y - 3, 2, 6);
    },
    cell: (x, y, w, h, fill) => {
      pen.fillStyle = fill;
      pen.fillRect(x, y, Math.max(1, w), Math.max(1, h));
    },
    unsure: (x, y, w, h) => {
      pen.strokeStyle = colours.surface;
      pen.stroke(new Path2D(strikesOf(x, y, w, h)));
    }
  };
}

export const painterFor = (marks, width, height) => marks > MARKS ? canvasPainter(width, height) : svgPainter();

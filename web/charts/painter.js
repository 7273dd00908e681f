/* What draws many marks: into SVG up to MARKS of them, beyond on a canvas with the device's pixels behind it. Both know
     dot(x, y, {kind, hollow}), diamond(x, y), line(points, {kind, dashed}), whisker(x, y1, y2, {kind}), ring(x,
   y, {kind}), cell(x, y, w, h, fill) with kind "measured", "second", "third", "waste" or "published"; painterFor(marks,
   width, height) gives {svg or canvas, ...}. */
import {svg} from "../dom.js";
import {rect, round} from "./svg.js";

export const MARKS = 2000;

export const token = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function svgPainter() {
  const node = svg("g", {});
  const add = child => {
    node.append(child);
  };
  return {
    node,
    canvas: null,
    dot: (x, y, {kind, hollow}) => add(svg(
      "circle", {class: `mark ${kind}${hollow ? " hollow" : ""}`, cx: round(x), cy: round(y), r: hollow ? 3.4 : 3.6})),
    diamond: (x, y) => add(svg("path", {class: "mark published", d: `M${round(x)} ${round(y - 5)}l5 5l-5 5l-5 -5z`})),
    line: (points, {kind, dashed}) => points.length > 1 && add(svg("path", {
                                        class: `series-line ${kind}${dashed ? " dashed" : ""}`,
                                        d: `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}`
                                      })),
    whisker: (x, y1, y2, {kind}) =>
      add(svg("path", {class: `whisker ${kind}`, d: `M${round(x - 3)} ${round(y1)}h6m-3 0V${round(y2)}m-3 0h6`})),
    cross: (x, y) => add(svg("path", {class: "mark refused", d: `M${round(x - 3.5)} ${round(y - 3.5)}l7 7m0 -7l-7 7`})),
    cell: (x, y, w, h, fill) => add(rect(x, y, w, h, {fill, class: "cell"}))
  };
}

function canvasPainter(width, height) {
  const canvas = document.createElement("canvas"), ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.className = "marks";
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.setAttribute("aria-hidden", "true");
  const pen = canvas.getContext("2d"),
        colours = Object.fromEntries(
          ["measured", "second", "third", "waste", "published", "surface"].map(name => [name, token(name)]));
  pen.scale(ratio, ratio);
  pen.lineWidth = 1;
  return {
    node: null,
    canvas,
    dot: (x, y, {kind, hollow}) => {
      pen.beginPath();
      pen.arc(x, y, 1.8, 0, 7);
      pen[hollow ? "strokeStyle" : "fillStyle"] = colours[kind];
      hollow ? pen.stroke() : pen.fill();
    },
    diamond: (x, y) => {
      pen.fillStyle = colours.published;
      pen.fillRect(x - 2, y - 2, 4, 4);
    },
    line: points => {
      void points;
    }, /* thousands of dots side by side are a line by themselves */
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
    }
  };
}

export const painterFor = (marks, width, height) => marks > MARKS ? canvasPainter(width, height) : svgPainter();

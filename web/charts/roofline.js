/* The roofline of a device: what it could do for so many operations a byte, and the experiments on it.
   roofline(width, {gbps, gflops, points}): points are {x: operations a byte, y: 10^9 operations a second, name, stable,
   id}. Both axes by logarithm. */
import {svg} from "../dom.js";
import {count, digits} from "../format.js";
import {t} from "../words.js";
import {through} from "./svg.js";
import "../device_words.js";
import "../d3.js";

const HEIGHT = 300, LEFT = 56, RIGHT = 20, TOP = 28, BOTTOM = 36;

const {scaleLog, range} = globalThis.d3;

const powers = ([low, high]) =>
  range(Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9) + 1).map(power => 10 ** power);

const tickText = tick => tick < 1 ? String(tick) : count(tick);

function domains({gbps, gflops, points}) {
  const ridge = gflops / gbps;
  const xs = [ridge / 100, ridge * 30, ...points.map(({x}) => x / 2), ...points.map(({x}) => x * 2)];
  const x = [Math.min(...xs), Math.max(...xs)];
  const ys = [gflops * 2, Math.min(gflops, x[0] * gbps), ...points.map(({y}) => y / 2)];
  return {x, y: [Math.min(...ys), Math.max(...ys)], ridge};
}

/* A name for each kind of point, where no other name stands; near the right edge it is at the left of its point. */
function labels(points, x, y, width) {
  const placed = [];
  return [...new Map(points.map(point => [point.name, point])).values()].map(point => {
    const room = 7 * point.name.length, left = x(point.x) + 8 + room > width ? x(point.x) - 8 - room : x(point.x) + 8,
          at = y(point.y) + 4;
    if (placed.some(one => Math.abs(one.at - at) < 14 && left < one.left + one.room && one.left < left + room))
      return null;
    placed.push({left, room, at});
    return svg(
      "text", {
        class: "halo label",
        x: left > x(point.x) ? left : x(point.x) - 8,
        y: at,
        "text-anchor": left > x(point.x) ? "start" : "end"
      },
      point.name);
  });
}

export function roofline(width, {gbps, gflops, points}) {
  const domain = domains({gbps, gflops, points});
  const x = scaleLog(domain.x, [LEFT, width - RIGHT]), y = scaleLog(domain.y, [HEIGHT - BOTTOM, TOP]);
  const roof = through(
    [[domain.x[0], domain.x[0] * gbps], [domain.ridge, gflops], [domain.x[1], gflops]].map(([a, b]) => [x(a), y(b)]));
  const slope = Math.atan2(y(domain.x[0] * gbps) - y(gflops), x(domain.ridge) - x(domain.x[0])) * 180 / Math.PI;
  const middle = Math.sqrt(domain.x[0] * domain.ridge);
  return svg(
    "svg", {class: "roofline", width, height: HEIGHT},
    powers(domain.x).map(
      tick => svg(
        "g", {}, svg("line", {class: "tick", x1: x(tick), x2: x(tick), y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 4}),
        svg("text", {x: x(tick), y: HEIGHT - BOTTOM + 18, "text-anchor": "middle"}, tickText(tick)))),
    powers(domain.y).map(
      tick => svg(
        "g", {}, svg("line", {class: "tick", x1: LEFT - 4, x2: LEFT, y1: y(tick), y2: y(tick)}),
        svg("text", {x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end"}, tickText(tick)))),
    svg("text", {x: 0, y: 12}, t("device.roof_y")),
    svg("text", {x: width - RIGHT, y: HEIGHT - 2, "text-anchor": "end"}, t("device.roof_x")),
    svg("path", {class: "roof", d: roof}),
    svg(
      "text", {
        class: "halo",
        transform: `translate(${x(middle)},${y(middle * gbps) - 8}) rotate(${- slope})`,
        "text-anchor": "middle"
      },
      t("device.roof_memory", {peak: `${digits(gbps)}\u00a0GB/s`})),
    svg(
      "text", {class: "halo", x: width - RIGHT, y: y(gflops) - 8, "text-anchor": "end"},
      t("device.roof_compute", {peak: `${digits(gflops / 1000)}\u00a0Tflop/s`})),
    points.map(
      point => svg(
        "circle", {class: point.stable === false ? "point outline" : "point", cx: x(point.x), cy: y(point.y), r: 4},
        svg("title", {}, `${point.name}: ${digits(point.y)}\u00a0Gop/s`))),
    labels(points, x, y, width));
}

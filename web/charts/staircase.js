/* How many blocks fit a multiprocessor over the registers of a thread, the shared memory of a block and its threads: a
   staircase each, the launch as a dot, and the nearest values at which more or fewer blocks fit. */
import {svg} from "../dom.js";
import {get} from "../api.js";
import {count} from "../format.js";
import {t} from "../words.js";
import {rect, round, text, through} from "./svg.js";
import "../d3.js";
import "./words.js";

const {scaleLinear} = globalThis.d3;
const LEFT = 24, TOP = 42, STEPS = 84, HEIGHT = TOP + STEPS + 44, GAP = 20, WIDE = 600;
const AXES = {
  registers: "registers_per_thread",
  shared_bytes: "shared_bytes_per_block",
  threads: "threads_per_block"
};

/* The same occupancy with its staircases, asked of the service; null: it has none, as of a launch beyond a limit, or of
   a result of an older version. */
export async function staircasesAsk(occupancy, signal) {
  if (!occupancy?.threads_per_block) return null;
  const figures = {
    arch: occupancy.arch,
    block: occupancy.threads_per_block,
    registers_per_thread: occupancy.registers_per_thread,
    shared_bytes: occupancy.shared_bytes_per_block,
    parameter_bytes: occupancy.parameter_bytes
  };
  const query =
    new URLSearchParams(Object.entries(figures).filter(([, value]) => value !== null && value !== undefined));
  const answer = await get(`/v1/occupancy?${query}`, {signal}).catch(error => {
    if (!signal.aborted && error.status !== 400) console.error(error);
    return null;
  });
  return answer?.occupancies[0] ?? null;
}

/* The nearest thresholds, at which another number of blocks fits: "8 blocks at 32". */
const thresholdsSay = ({more, fewer}) => [more && t("stairs.at", {n: more.blocks_per_sm, at: count(more.at)}),
                                          fewer && t("stairs.at", {n: fewer.blocks_per_sm, at: count(fewer.at)})]
                                           .filter(Boolean);

function staircase(axis, occupancy, {x, y, width}) {
  const steps = occupancy.staircases[axis], now = occupancy[AXES[axis]], last = steps.at(-1).to;
  const across = scaleLinear([0, last], [x + LEFT, x + width]),
        most = Math.max(...steps.map(step => step.blocks_per_sm)),
        up = scaleLinear([0, most], [y + TOP + STEPS, y + TOP]);
  const edges = steps.flatMap(
    step => [step.from, step.to + 1].map(value => [across(Math.min(value, last)), up(step.blocks_per_sm)]));
  const drawing = svg(
    "g", {data: {axis}}, text(x, y + 14, t(`stairs.${axis}`), {class: "strong"}),
    text(x + LEFT - 6, y + TOP + 4, count(most), {class: "small", "text-anchor": "end"}),
    text(x + LEFT - 6, y + TOP + STEPS + 4, "0", {class: "small", "text-anchor": "end"}),
    svg("path", {class: "under", d: `${through(edges)}V${y + TOP + STEPS}H${round(edges[0][0])}z`}),
    svg("path", {class: "step", d: through(edges)}),
    rect(x + LEFT, y + TOP + STEPS, width - LEFT, 1, {class: "ground"}),
    text(x + LEFT, y + TOP + STEPS + 15, count(steps[0].from), {class: "small"}),
    text(x + width, y + TOP + STEPS + 15, count(last), {class: "small", "text-anchor": "end"}),
    text(
      x, y + TOP + STEPS + 33, thresholdsSay(occupancy.thresholds[axis]).join(t("stairs.between")), {class: "small"}));
  if (now !== null)
    drawing.append(
      svg("circle", {class: "now", r: 4, cx: round(across(now)), cy: round(up(occupancy.blocks_per_sm))}),
      text(
        across(now), up(occupancy.blocks_per_sm) - 8, count(now),
        {class: "strong halo", "text-anchor": now > last / 2 ? "end" : "start"}));
  return drawing;
}

export function staircasesDraw(occupancy, width) {
  const axes = Object.keys(AXES), beside = width >= WIDE, each = beside ? (width - 2 * GAP) / 3 : width;
  const sentence = axes.map(
    axis => `${t(`stairs.${axis}`)}${t("punct.colon")}${
      thresholdsSay(occupancy.thresholds[axis]).join(t("stairs.between"))}`);
  const height = beside ? HEIGHT : 3 * HEIGHT;
  const drawing = svg("svg", {
    class: "stairs",
    width,
    height,
    role: "img",
    "aria-label": `${t("stairs.what")}${t("punct.stop")}${sentence.join(t("punct.stop"))}`
  });
  axes.forEach(
    (axis, k) => drawing.append(
      staircase(axis, occupancy, {x: beside ? k * (each + GAP) : 0, y: beside ? 0 : k * HEIGHT, width: each})));
  return drawing;
}

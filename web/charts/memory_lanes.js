/* A warp's lanes, and the curves from them to what they want. */
import {svg} from "../dom.js";
import {words_of} from "./memory_access.js";
import {rect, round, text} from "./svg.js";
import "./words.js";

export const CURVE = 28;
const LANES = 32, LANE_HEIGHT = 9;

/* Between two sectors of a line, and so between the lanes above them, which then stand right over their words. */
export const group_gap = width => Math.min(4, width / 40);

/* The 32 lanes over `width`, in four groups of eight; idle ones hollow. Gives the middle of each. */
export function lanes_draw(group, lanes, area, context) {
  const gap = group_gap(area.width), pitch = (area.width - 3 * gap) / LANES, middles = [];
  const active = new Set(lanes.map(lane => lane.lane));
  let y = area.y;
  if (context.index === 0 && !context.frame.phone) {
    y += 12;
    for (const lane of [0, 8, 16, 24, 31])
      group.append(text(
        area.x + lane * pitch + Math.floor(lane / 8) * gap + pitch / 2, y - 3, String(lane),
        {class: "tick", "text-anchor": "middle"}));
  }
  const note = lanes_note(lanes, context);
  if (note && area.room > 110 && !context.frame.phone)
    group.append(text(area.x + area.width + 14, y + 9, note, {class: "note"}));
  for (let lane = 0; lane < LANES; lane++) {
    const x = area.x + lane * pitch + Math.floor(lane / 8) * gap, on = active.has(lane);
    group.append(rect(
      x + 0.4, y, Math.max(1.5, pitch - (pitch > 5 ? 1.4 : 0.6)), LANE_HEIGHT,
      {class: on ? "lane" : "lane idle", rx: 1}));
    middles.push(x + pitch / 2);
  }
  return {middles, bottom: y + LANE_HEIGHT};
}

/* What is worth saying of an access' lanes: that some are idle, that several want the same word; of the first one what
 * they are. */
function lanes_note(lanes, {index, say}) {
  if (lanes.length < LANES) return say("memory.active", {n: lanes.length});
  const most = Math.max(...words_of(lanes).map(word => word.lanes.length));
  if (most > 1) return say("memory.same", {n: most});
  return index === 0 ? say("memory.lanes") : "";
}

/* From a lane to the middle of its word; the attributes are what memory_moves begins and ends at. */
export function curve(group, from, to, y0, y1, key) {
  group.append(svg("path", {
    class: "curve",
    d: curve_path(from, to, y0, y1),
    "data-curve": key,
    "data-from": round(from),
    "data-to": round(to),
    "data-top": round(y0),
    "data-bottom": round(y1)
  }));
}

export function curve_path(from, to, y0, y1) {
  const bend = (y1 - y0) * 0.62;
  return `M${round(from)} ${round(y0)}C${round(from)} ${round(y0 + bend)} ${round(to)} ${round(y1 - bend)} ${
    round(to)} ${round(y1)}`;
}

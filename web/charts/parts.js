/* Bars made of parts that stand behind each other, on one scale from 0: bytes asked for, in sectors, of DRAM; and the
 * bar against a peak. */
import {svg} from "../dom.js";
import {reasonSaid, t} from "../words.js";
import {hatch, rect, text} from "./svg.js";

const ROW = 52, LABEL = 92, BAR = 24;

/* Rows: [{name, note, parts: [{kind: load|store|atomic|waste, value, words}], total: text, missing: {words}}]. */
export function partsDraw(rows, width, sentence) {
  const most = Math.max(1, ...rows.map(row => (row.parts ?? []).reduce((sum, part) => sum + part.value, 0))),
        scale = Math.max(40, width - LABEL - 84) / most, stripes = hatch();
  const drawing =
    svg("svg", {class: "parts", width, height: rows.length * ROW, role: "img", "aria-label": sentence}, stripes.defs);
  rows.forEach((row, k) => {
    const y = k * ROW + 2;
    drawing.append(text(0, y + 13, row.name, {class: "strong"}), text(0, y + 28, row.note, {class: "small"}));
    if (row.missing) {
      drawing.append(svg(
        "g", {}, svg("title", {}, reasonSaid(row.missing.reason)),
        rect(LABEL, y, Math.min(120, width - LABEL), BAR, {class: "unknown"}),
        text(LABEL + 10, y + 16, t("no_value"), {class: "small"})));
      return;
    }
    let x = LABEL;
    for (const part of row.parts.filter(one => one.value > 0)) {
      const length = part.value * scale;
      drawing.append(rect(
        x, y, Math.max(0.5, length - (length > 3 ? 1 : 0)), BAR,
        part.kind === "waste" ? {fill: stripes.fill} : {class: `part ${part.kind}`}));
      if (part.words && length > part.words.length * 6.6 + 12)
        drawing.append(text(x + 8, y + 16, part.words, {class: `in-part ${part.kind}`}));
      x += length;
    }
    drawing.append(text(x + 8, y + 16, row.total, {class: "strong halo"}));
  });
  return drawing;
}

/* A bar against the peak; dashed where the number is not to be compared. */
export function peakDraw({value, peak, words, peakWords, outline}, width) {
  const most = Math.max(peak, value), length = value / most * width, y = 20;
  const drawing = svg(
    "svg",
    {class: "peak-bar", width, height: 56, role: "img", "aria-label": `${words}${t("punct.semicolon")}${peakWords}`});
  drawing.append(
    rect(0, y, width, 14, {class: "track"}),
    rect(
      outline ? 0.5 : 0, outline ? y + 0.5 : y, Math.max(1, length - (outline ? 1 : 0)), outline ? 13 : 14,
      {class: outline ? "value outline" : "value"}));
  const at = peak / most * width, before = length > 130;
  drawing.append(
    svg("line", {class: "tick-strong", x1: at - 0.5, x2: at - 0.5, y1: y - 5, y2: y + 19}),
    text(before ? length : length + 6, y - 7, words, {class: "strong halo", "text-anchor": before ? "end" : "start"}));
  const near = Math.abs(at - length) < 190;
  drawing.append(
    text(at, near ? y + 33 : y - 7, peakWords, {class: "small halo", "text-anchor": "end"}),
    text(0, y + 33, "0 GB/s", {class: "small"}));
  return drawing;
}

/* How many blocks fit a multiprocessor by each limit: bars, the limit in ink. */
import {h, svg} from "../dom.js";
import {count, percent} from "../format.js";
import {t} from "../words.js";
import {rect, text, textWidth} from "./svg.js";
import "./words.js";

const ROW = 24, LABEL = 112;

export function occupancyBars(occupancy, width) {
  const limits = Object.entries(occupancy.blocks_by ?? {})
                   .filter(([name]) => name !== "barriers" || occupancy.limited_by.includes(name));
  /* Beyond the block slots a bar is cut: it says no more than that it is not the limit. */
  const most = Math.max(1, occupancy.blocks_by?.blocks ?? 32) * 1.1, scale = Math.max(40, width - LABEL - 120) / most;
  const sentence = t("occupancy.sentence", {
    percent: percent(occupancy.theoretical),
    n: occupancy.blocks_per_sm,
    limits: occupancy.limited_by.map(name => t(`occupancy.${name}`)).join(", ")
  });
  const drawing =
    svg("svg", {width, height: limits.length * ROW, role: "img", "aria-label": sentence, class: "occupancy"});
  limits.forEach(([name, blocks], k) => {
    const y = k * ROW, binds = occupancy.limited_by.includes(name);
    drawing.append(text(0, y + 15, t(`occupancy.${name}`), {class: binds ? "strong" : ""}));
    if (blocks === null) {
      const words = t(name === "registers" ? "occupancy.registers_unknown" : "occupancy.no_limit");
      drawing.append(
        rect(
          LABEL + 0.5, y + 3.5, Math.max(most * scale, Math.min(width - LABEL - 1, textWidth(words) + 16)), 17,
          {class: "unknown"}),
        text(LABEL + 8, y + 16, words, {class: "small"}));
      return;
    }
    const length = Math.min(blocks, most) * scale, cut = blocks > most;
    drawing.append(
      svg("path", {
        class: binds ? "binds" : "allows",
        d: `M${LABEL} ${y + 6}h${length}${cut ? "l6 5.5l-6 5.5" : "v11"}H${LABEL}z`
      }),
      text(
        LABEL + length + (cut ? 12 : 7), y + 16, binds ? t("occupancy.limit", {n: count(blocks)}) : count(blocks),
        {class: binds ? "strong" : ""}));
  });
  return drawing;
}

export function occupancyMissing(reason) {
  return h("p", {class: "note"}, reason);
}

/* A drawing at its panel's real width, with its sentence for readers of the screen and its table below.

   figure({label, draw, table}): draw(width) gives an svg and is called again when the width changes; `table` is a node
   that is folded below. Returns {node, update()}; update draws anew. */
import {h, replace} from "../dom.js";
import {t} from "../words.js";
import "./words.js";

export function figure({label, draw, table}) {
  const place = h("div", {class: "drawing"}), under = h("div", {});
  const node =
    h("figure", {class: "figure"}, place, h("details", {class: "under"}, h("summary", {}, t("chart.table")), under));
  let width = 0;
  const update = () => {
    if (!width) return;
    const drawing = draw(width);
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", label());
    replace(place, drawing);
    replace(under, table());
  };
  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now === width) return;
    width = now;
    update();
  }).observe(place);
  return {node, update};
}

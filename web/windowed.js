/* A table of any length, of which only the rows that changed are drawn anew: beyond MOST rows it scrolls in a frame of
   its own and only those in sight are there.

   windowed({caption, heads, rowOf, rowHeight}) gives {node, update(items)}: rowOf(item, index) is a <tr>; heads() are
   the cells of its head. Rows are all as high as rowHeight, in pixels, where there are many. */
import {h, redraw, redrawEach} from "./dom.js";

export const MOST = 200;
const BEYOND = 12;

export function windowed({caption, heads, rowOf, rowHeight = 32, className = ""}) {
  const head = h("thead", {}), body = h("tbody", {}),
        table = h("table", {class: className}, h("caption", {class: "unseen"}, caption), head, body);
  const node = h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption}, table);
  let items = [], shown = "";

  const spacer = (rows, key) => rows > 0 &&
    h("tr", {class: "spacer", "aria-hidden": "true", data: {key}},
      h("td", {colspan: "99", style: {height: `${rows * rowHeight}px`}}));
  function range() {
    if (items.length <= MOST) return [0, items.length];
    const first = Math.max(0, Math.floor(node.scrollTop / rowHeight) - BEYOND),
          count = Math.ceil((node.clientHeight || 600) / rowHeight) + 2 * BEYOND;
    return [Math.min(first, Math.max(0, items.length - count)), Math.min(items.length, first + count)];
  }
  function draw(force) {
    const [from, to] = range(), now = `${from} ${to}`;
    if (!force && now === shown) return;
    shown = now;
    const rows = items.slice(from, to).map((item, i) => {
      const row = rowOf(item, from + i);
      if (items.length > MOST) row.setAttribute("aria-rowindex", String(from + i + 2));
      return row;
    });
    redrawEach(body, [spacer(from, "above"), ...rows, spacer(items.length - to, "below")].filter(Boolean));
  }
  let waits = false;
  node.addEventListener("scroll", () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      draw(false);
    });
  }, {passive: true});

  return {
    node,
    update(list) {
      items = list;
      node.classList.toggle("windowed", items.length > MOST);
      if (items.length > MOST)
        table.setAttribute("aria-rowcount", String(items.length + 1));
      else
        table.removeAttribute("aria-rowcount");
      redraw(head, h("tr", {}, heads()));
      draw(true);
    }
  };
}

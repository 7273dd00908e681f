/* A place that is drawn at its real width: draw(width, over) gives a node or null, at first and whenever the width is
   another. over is 0; where what was drawn is wider than the place it is drawn again, with the pixels that it was too
   wide by. */
import {h, replace} from "../dom.js";

export function fit(draw, attributes = {}) {
  const node = h("div", attributes);
  let width = 0;
  const redraw = () => {
    if (!width) return;
    replace(node, draw(width, 0));
    const over = draw.length > 1 ? (node.firstElementChild?.scrollWidth ?? 0) - width : 0;
    if (over > 0) replace(node, draw(width, over));
  };
  const watcher = new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now === width) return;
    width = now;
    redraw();
  });
  watcher.observe(node);
  return {node, redraw, close: () => watcher.disconnect()};
}

/* A place that is drawn at its real width: draw(width) gives a node or null, at first and whenever the width is
 * another. */
import {h, replace} from "../dom.js";

export function fit(draw, attributes = {}) {
  const node = h("div", attributes);
  let width = 0;
  const redraw = () => {
    if (width) replace(node, draw(width));
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

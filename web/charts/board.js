/* A chart in its panel: heading, drawing at the panel's real width, a sentence that says what it shows, its table, and
   itself as a file.

   board({heading, aside, sentence, draw, table, file}) takes functions that give the texts; draw(width) gives {svg,
   canvas, marks, part}; table is {node, update()} and drawn once it is opened; file() the name of what is saved. A
   pointer, and the arrow keys, go from mark to mark and tell its words. {node, update()}. */
import {h, replace} from "../dom.js";
import {button} from "../parts.js";
import {t} from "../words.js";
import {canCopyPicture, copyPicture, pngBlob, save, svgBlob} from "./export.js";

const REACH = 40;
const KEYS = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1]
};

function nearest(marks, x, y) {
  let best = null, least = REACH * REACH;
  for (const mark of marks) {
    const away = (mark.x - x) ** 2 + (mark.y - y) ** 2;
    if (away < least) {
      least = away;
      best = mark;
    }
  }
  return best;
}

/* The next one that way: near in it, and more so across it. */
function beyond(marks, from, [dx, dy]) {
  let best = null, least = Infinity;
  for (const mark of marks) {
    const along = (mark.x - from.x) * dx + (mark.y - from.y) * dy,
          across = Math.abs((mark.x - from.x) * dy + (mark.y - from.y) * dx);
    if (along <= 0.5 || dy && across > along * 2) continue;
    const away = dx ? along + across * 0.25 : along + across * 4;
    if (away < least) {
      least = away;
      best = mark;
    }
  }
  return best;
}

function probe(place, marksNow) {
  const bubble = h("div", {class: "tip at-mark", hidden: true}),
        said = h("span", {class: "unseen", "aria-live": "polite"});
  let at = null;
  const show = (mark, aloud) => {
    at = mark;
    bubble.hidden = !mark;
    if (!mark) return;
    bubble.textContent = typeof mark.words === "function" ? mark.words() : mark.words;
    if (aloud) said.textContent = bubble.textContent;
    const wide = place.clientWidth, size = bubble.getBoundingClientRect();
    bubble.style.left = `${Math.max(0, Math.min(mark.x + 10, wide - size.width))}px`;
    bubble.style.top = `${mark.y - size.height - 10 < -20 ? mark.y + 12 : mark.y - size.height - 10}px`;
  };
  const move = event => {
    const box = place.getBoundingClientRect(),
          mark = nearest(marksNow(), event.clientX - box.left, event.clientY - box.top);
    if (mark !== at) show(mark, false);
  };
  place.addEventListener("pointermove", move);
  place.addEventListener("pointerdown", move);
  place.addEventListener("pointerleave", () => show(null));
  place.addEventListener("focusout", () => show(null));
  place.addEventListener("keydown", event => {
    if (event.key === "Escape") return show(null);
    const way = KEYS[event.key], marks = marksNow();
    if (!way || !marks.length || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    show(at && marks.includes(at) ? beyond(marks, at, way) ?? at : marks[0], true);
  });
  return {
    nodes: [bubble, said],
    hide: () => {
      if (at) show(null);
    }
  };
}

export function board({heading, aside, sentence, draw, table, file}) {
  const title = h("h2", {}), beside = h("span", {class: "quiet aside"}), words = h("p", {class: "sentence"});
  const place = h("div", {class: "drawing", tabindex: "0", role: "group"}), layer = h("div", {});
  let width = 0, drawn = null, tables = null;
  const found = probe(place, () => drawn?.marks ?? []);
  replace(place, layer, found.nodes);
  const under =
    h("details", {
      class: "under",
      ontoggle: () => {
        if (under.open) tableShow();
      }
    },
      h("summary", {}, t("chart.table")));
  const save_as = (kind, blob) => button(
    kind, async () => save(await blob(drawn.svg, drawn.canvas), `${file()}.${kind.toLowerCase()}`),
    {small: true, label: t("chart.save", {kind}), key: `save ${kind}`});
  const acts =
    h("span", {class: "acts"}, save_as("SVG", svgBlob), save_as("PNG", pngBlob),
      canCopyPicture() &&
        button(
          t("chart.copy"), () => copyPicture(drawn.svg, drawn.canvas), {small: true, label: t("chart.copy_picture")}));
  const node =
    h("section", {class: "panel board"}, h("header", {}, title, beside), place, words,
      h("div", {class: "board-foot"}, acts, under));

  function tableShow() {
    if (!tables) under.append((tables = table()).node);
    tables.update();
  }
  function update() {
    const said = sentence();
    title.textContent = heading();
    place.setAttribute("aria-label", t("chart.keys", {name: heading()}));
    if (words.textContent !== said) words.textContent = said;
    if (!width) return;
    drawn = draw(width);
    drawn.svg.setAttribute("role", "img");
    drawn.svg.setAttribute("aria-label", said);
    found.hide();
    replace(layer, drawn.canvas, drawn.svg);
    beside.textContent = aside(drawn);
    if (under.open) tableShow();
  }
  const watcher = new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now === width) return;
    width = now;
    update();
  });
  watcher.observe(place);
  return {node, update, close: () => watcher.disconnect()};
}

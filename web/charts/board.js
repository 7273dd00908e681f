/* A chart in its panel: heading, drawing at the panel's real width, a sentence that says what it shows, its table, and
   itself as a file.

   board({heading, aside, sentence, draw, table, file, legend, onZoom}) takes functions that give the texts, sentence()
   one or a list; draw(width) gives {svg, canvas, marks, part, cross, within}, a mark
   {x, y, words, line, panel: what it belongs to}; table is {node, update()} and drawn once
   it is opened; file() the name of what is saved; caption() what stands above a picture that is saved; legend() the
   nodes above the drawing, or nothing. A pointer, and the arrow keys, go from mark to mark and tell its words; where
   there is cross(x, y) a cross hair follows the pointer and tells all that stands there. onZoom(range) is called with
   what within() makes of the places that a pointer was dragged between, or, for the key and the button +, of those
   around the mark that was found last, or the middle; with null for −. It returns what is then shown, as words, and
   zoomed() whether that is a part. {node, update(), heading(), close()}. */
import {h, redraw, replace} from "../dom.js";
import {button} from "../parts.js";
import {t} from "../words.js";
import "./words.js";

const REACH = 40;
const KEYS = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1]
};

const ENDS = ["Home", "End"];

/* Returns the marks on the line of this mark, from left to right. In a drawing without lines these are all marks. */
const lineOf = (marks, {line}) => marks.filter(mark => mark.line === line).sort((one, other) => one.x - other.x);

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

/* Returns the next mark in that direction: left and right on the same line, up and down at the same x; if there is
   none, a mark of another panel. In a drawing without lines it is the nearest mark in that direction. */
function beyond(marks, from, [dx, dy]) {
  if (!from.line) return nearestThatWay(marks, from, [dx, dy]);
  const near = marks.filter(mark => dx ? mark.line === from.line : Math.abs(mark.x - from.x) < 1);
  return nearestThatWay(near, from, [dx, dy]) ??
    nearestThatWay(marks.filter(mark => mark.panel !== from.panel), from, [dx, dy]);
}

/* Returns the nearest mark in that direction. Distance across it counts a quarter for left and right, and four times
   for up and down. */
function nearestThatWay(marks, from, [dx, dy]) {
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

const DRAGGED = 8;

const textOf = ({words}) => typeof words === "function" ? words() : words;

const boxed = (node, left, top, width, height) =>
  Object.assign(node.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`});

/* Tells what a pointer or the keys find in the drawing. */
function probe(place, drawnNow, onZoom) {
  const bubble = h("div", {class: "tip at-mark", hidden: true}), hair = h("div", {class: "cross-hair", hidden: true}),
        range = h("div", {class: "range", hidden: true}), said = h("span", {class: "unseen", "aria-live": "polite"});
  let at = null, from = null, last = null, around = null; /* around: what was found last in this drawing */
  const show = (mark, aloud, y = mark?.y) => {
    at = mark;
    bubble.hidden = !mark;
    hair.hidden = mark?.top === undefined;
    if (!mark) return;
    around = mark;
    last = bubble.textContent = textOf(mark);
    if (aloud) said.textContent = bubble.textContent;
    if (!hair.hidden) boxed(hair, mark.x, mark.top, 0, mark.bottom - mark.top);
    const wide = place.clientWidth, size = bubble.getBoundingClientRect();
    bubble.style.left =
      `${mark.x + 10 + size.width > wide ? Math.max(0, mark.x - 10 - size.width) : Math.max(0, mark.x + 10)}px`;
    bubble.style.top = `${y - size.height - 10 < -20 ? y + 12 : y - size.height - 10}px`;
  };
  const where = event => {
    const box = place.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const move = event => {
    const [x, y] = where(event), drawn = drawnNow();
    if (from && Math.hypot(x - from[0], y - from[1]) > DRAGGED) {
      range.hidden = false;
      boxed(range, Math.min(x, from[0]), Math.min(y, from[1]), Math.abs(x - from[0]), Math.abs(y - from[1]));
      return show(null);
    }
    const mark = drawn?.cross ? drawn.cross(x, y) : nearest(drawn?.marks ?? [], x, y);
    if (mark?.top !== undefined || mark !== at) show(mark, false, mark?.top === undefined ? mark?.y : y);
    return null;
  };
  const up = event => {
    const began = from, dragged = began && !range.hidden, to = where(event);
    from = null;
    range.hidden = true;
    if (dragged) zoomTo(to, drawnNow().within(...began, ...to));
  };
  const zoomTo = ([x, y], found) => {
    if (!found) return show({x, y, words: t("chart.zoom_few")}, true);
    said.textContent = onZoom(found);
    return null;
  };
  place.addEventListener("dragstart", event => event.preventDefault()); /* of a selected text */
  place.addEventListener("pointermove", move);
  place.addEventListener("pointerdown", event => {
    if (onZoom && drawnNow()?.within && event.button === 0 && event.pointerType === "mouse") from = where(event);
    move(event);
  });
  place.addEventListener("pointerup", up);
  place.addEventListener("pointerleave", event => {
    from = null;
    range.hidden = true;
    if (event.pointerType !== "mouse") return; /* what a finger has found stays when it is lifted */
    show(null);
    around = null;
  });
  place.addEventListener("focusout", () => show(null));
  const zoomKey = key => {
    const {within, nearer, svg, marks} = drawnNow(), wide = Number(svg.getAttribute("width")),
                                high = Number(svg.getAttribute("height"));
    const {x, y} = around ?? marks.find(mark => textOf(mark) === last) ?? {x: wide / 2, y: high / 2};
    const part = () => nearer ? nearer(x, y) : within(x - wide / 4, y - high / 4, x + wide / 4, y + high / 4);
    if (key !== "-") return zoomTo([x, y], within && part());
    said.textContent = onZoom(null);
    return null;
  };
  place.addEventListener("keydown", event => {
    if (event.key === "Escape") around = null;
    if (event.key === "Escape") return show(null);
    const way = KEYS[event.key], marks = drawnNow()?.marks ?? [];
    const again = at ? null : marks.find(mark => textOf(mark) === last); /* of a drawing made anew */
    if (again && (way || ENDS.includes(event.key) || "+=".includes(event.key))) at = again;
    if (event.metaKey || event.ctrlKey || event.altKey) return null;
    if (["+", "=", "-"].includes(event.key) && onZoom && drawnNow()) return zoomKey(event.key);
    const end = ENDS.indexOf(event.key);
    if (!way && end < 0 || !marks.length) return null;
    event.preventDefault();
    if (end >= 0) return show(lineOf(marks, marks.includes(at) ? at : marks[0]).at(-end), true);
    return show(at && marks.includes(at) ? beyond(marks, at, way) ?? at : marks[0], true);
  });
  return {
    nodes: [range, hair, bubble, said],
    zoom: zoomKey,
    hide: () => {
      around = null;
      if (at) show(null);
    }
  };
}

export function board(
  {heading, aside, sentence, draw, table, file, caption = null, legend = () => null, onZoom = null, zoomed = null}) {
  const title = h("h2", {}), beside = h("span", {class: "quiet aside"}), words = h("div", {class: "sentence"});
  const place = h("div", {class: "drawing", tabindex: "0", role: "group"}), layer = h("div", {});
  let width = 0, drawn = null, tables = null, told = null;
  const found = probe(place, () => drawn, onZoom), keys = h("div", {class: "legend"});
  replace(place, layer, found.nodes);
  const under =
    h("details", {
      class: "under",
      ontoggle: () => {
        if (under.open) tableShow();
      }
    },
      h("summary", {}, t("chart.table")));
  /* What stands above and below a picture that is saved. */
  const about = () => ({
    caption: caption?.(),
    notes: [beside.textContent, told],
    legend: [...keys.querySelectorAll("button[aria-pressed=true]")].map(
      one => ({mark: one.querySelector("svg"), name: one.textContent}))
  });
  const exporting = () => import("./export.js");
  const saveAs = kind => button(kind, async () => {
    const {save, svgBlob, pngBlob} = await exporting(), blob = kind === "SVG" ? svgBlob : pngBlob;
    save(await blob(drawn.svg, drawn.canvas, about()), `${file()}.${kind.toLowerCase()}`);
  }, {small: true, label: t("chart.save", {kind}), key: `save ${kind}`});
  /* The clipboard is written to within the click; its picture may come later. */
  const copy = () => {
    const picture = exporting().then(({pngBlob}) => pngBlob(drawn.svg, drawn.canvas, about()));
    return navigator.clipboard.write([new ClipboardItem({"image/png": picture})]);
  };
  const acts =
    h("span", {class: "acts"}, saveAs("SVG"), saveAs("PNG"),
      Boolean(navigator.clipboard?.write && globalThis.ClipboardItem) &&
        button(t("chart.copy"), copy, {small: true, label: t("chart.copy_picture")}));
  const hint = h("span", {class: "quiet", hidden: true}, t("chart.zoom")),
        zoomButton = (sign, key, name) =>
          h("button",
            {type: "button", class: "plain", "aria-label": t(name), title: t(name), onclick: () => found.zoom(key)},
            sign),
        zooming =
          h("span", {class: "zooming", hidden: true}, zoomButton("+", "+", "chart.zoom_in"),
            zoomButton("−", "-", "chart.zoom_out"));
  const node =
    h("section", {class: "panel board"}, h("header", {}, title, beside), keys, place, words,
      h("div", {class: "board-foot"}, zooming, hint, acts, under));

  function tableShow() {
    if (!tables) under.append((tables = table()).node);
    tables.update();
  }
  function update() {
    const sentences = [sentence()].flat(), said = sentences.join(t("punct.space"));
    title.textContent = heading();
    place.setAttribute("aria-label", t("chart.keys", {name: heading()}));
    if (told !== said)
      replace(words, sentences.length > 1 ? h("ul", {}, sentences.map(one => h("li", {}, one))) : said);
    told = said;
    redraw(keys, legend());
    if (!width) return;
    drawn = draw(width);
    drawn.svg.setAttribute("role", "img");
    drawn.svg.setAttribute("aria-label", said);
    found.hide();
    replace(layer, drawn.canvas, drawn.svg);
    const zooms = Boolean(onZoom && drawn.within);
    place.classList.toggle("zooms", zooms);
    hint.hidden = !zooms;
    zooming.hidden = !zooms && !zoomed?.(); /* a part of which there is no smaller one can be left */
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
  return {node, update, heading, close: () => watcher.disconnect()};
}

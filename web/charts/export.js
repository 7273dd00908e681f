/* A drawing as a file: svgText(svg, canvas, {caption, legend, notes}) stands by itself, with its colours and letters
   written into it, below its caption and its legend, [{mark: an SVG, name}], and above its notes, texts; pngBlob(...)
   is the same as pixels, two for each; save(blob, name) gives it to the reader, copyPicture(...) to the clipboard. */
import {token} from "./painter.js";
import {textWidth} from "./svg.js";

const KEPT = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "opacity", "fill-opacity",
  "stroke-opacity", "font-family", "font-size", "font-weight", "text-anchor"
];
const CAPTION_HEIGHT = 22, LEGEND_HEIGHT = 20, TEXT_PX = 13, CAPTION_PX = 15, MARK_GAP = 6, NAME_GAP = 20;
const NAMESPACE = "http://www.w3.org/2000/svg";

function inline(from, to) {
  const style = getComputedStyle(from);
  for (const name of KEPT) {
    const value = style.getPropertyValue(name);
    if (value && value !== "none" || name === "fill" || name === "stroke")
      to.setAttribute(name, value.replaceAll('"', "'"));
  }
  to.removeAttribute("class");
  [...from.children].forEach((child, i) => inline(child, to.children[i]));
}

function make(name, attributes, words = "") {
  const node = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = words;
  return node;
}

const line = (words, y, attributes) => {
  const {fontFamily} = getComputedStyle(document.body);
  return make(
    "text",
    {x: 0, y, fill: token("ink"), "font-family": fontFamily.replaceAll('"', "'"), "font-size": TEXT_PX, ...attributes},
    words);
};

/* Places the legend entries in lines no wider than `width`: for each entry its x, the number of its line and the x of
 * its text, in px. */
function legendPlaces(legend, width) {
  let x = 0, row = 0;
  return legend.map(({mark, name}) => {
    const own = Number(mark.getAttribute("width")) + MARK_GAP, all = own + textWidth(name) * TEXT_PX / 12 + NAME_GAP;
    if (x > 0 && x + all > width) [x, row] = [0, row + 1];
    const at = {x, row, text: x + own};
    x += all;
    return at;
  });
}

/* Breaks a text into lines that are no wider than `width` px, between words and between Chinese characters. */
function linesIn(text, width) {
  const lines = [""];
  for (const part of text.match(/[\u2e80-\uffff]|[^\s\u2e80-\uffff]+|\s+/gu) ?? []) {
    if (textWidth(lines.at(-1) + part) * TEXT_PX / 12 > width) lines.push("");
    if (lines.at(-1) || part.trim()) lines.push(lines.pop() + part);
  }
  return lines.map(one => one.trim()).filter(Boolean);
}

export function svgText(drawing, canvas, {caption = null, legend = [], notes = []} = {}) {
  const copy = drawing.cloneNode(true);
  inline(drawing, copy);
  const width = Number(drawing.getAttribute("width")), height = Number(drawing.getAttribute("height")), edge = 16,
        places = legendPlaces(legend, width), rows = places.length ? places.at(-1).row + 1 : 0,
        captions = linesIn(caption ?? "", width * TEXT_PX / CAPTION_PX),
        above = edge + rows * LEGEND_HEIGHT + captions.length * CAPTION_HEIGHT,
        noted = notes.filter(Boolean).flatMap(one => linesIn(one, width)),
        all = above + height + noted.length * LEGEND_HEIGHT + edge;
  const title = make("title", {}, drawing.getAttribute("aria-label") ?? "");
  if (canvas)
    copy.prepend(make("image", {
      href: canvas.toDataURL("image/png"),
      width: canvas.style.width.replace("px", ""),
      height: canvas.style.height.replace("px", "")
    }));
  copy.prepend(
    title, make("rect", {x: -edge, y: -above, width: width + 2 * edge, height: all, fill: token("surface")}));
  captions.forEach(
    (words, i) =>
      copy.append(line(words, edge / 2 - above + 14 + i * CAPTION_HEIGHT, {"font-size": 14, "font-weight": 640})));
  legend.forEach(({mark, name}, i) => {
    const {x, row, text} = places[i], y = -edge / 2 - (rows - row - 1) * LEGEND_HEIGHT, own = mark.cloneNode(true);
    inline(mark, own);
    own.setAttribute("x", x);
    own.setAttribute("y", y - Number(mark.getAttribute("height")) + 1);
    copy.append(own, line(name, y, {x: text}));
  });
  noted.forEach((words, i) => copy.append(line(words, height + (i + 1) * LEGEND_HEIGHT, {fill: token("ink-2")})));
  copy.setAttribute("xmlns", NAMESPACE);
  copy.setAttribute("viewBox", `${- edge} ${- above} ${width + 2 * edge} ${all}`);
  copy.setAttribute("width", width + 2 * edge);
  copy.setAttribute("height", all);
  return new XMLSerializer().serializeToString(copy);
}

export const svgBlob = (drawing, canvas, about) => new Blob([svgText(drawing, canvas, about)], {type: "image/svg+xml"});

export async function pngBlob(drawing, canvas, about, scale = 2) {
  const address = URL.createObjectURL(svgBlob(drawing, canvas, about)), image = new Image();
  try {
    image.src = address;
    await image.decode();
    const target = document.createElement("canvas");
    target.width = image.width * scale;
    target.height = image.height * scale;
    target.getContext("2d").drawImage(image, 0, 0, target.width, target.height);
    return await new Promise(
      (done, failed) => target.toBlob(blob => blob ? done(blob) : failed(new Error("no picture")), "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

export function save(blob, name) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(blob);
  a.download = name;
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

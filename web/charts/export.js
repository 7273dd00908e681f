/* A drawing as a file: svgText(svg, canvas) stands by itself, with its colours and letters written into it;
   pngBlob(...) is the same as pixels, two for each; save(blob, name) gives it to the reader, copyPicture(...) to the
   clipboard. */
import {token} from "./painter.js";

const KEPT = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "paint-order", "opacity", "fill-opacity",
  "stroke-opacity", "font-family", "font-size", "font-weight", "text-anchor"
];
const CAPTION_HEIGHT = 22;
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

export function svgText(drawing, canvas, caption) {
  const copy = drawing.cloneNode(true), make = (name, attributes) => {
    const node = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  inline(drawing, copy);
  const width = Number(drawing.getAttribute("width")), height = Number(drawing.getAttribute("height")), edge = 16,
        above = caption ? edge + CAPTION_HEIGHT : edge;
  const title = make("title", {});
  title.textContent = drawing.getAttribute("aria-label") ?? "";
  if (canvas)
    copy.prepend(make("image", {
      href: canvas.toDataURL("image/png"),
      width: canvas.style.width.replace("px", ""),
      height: canvas.style.height.replace("px", "")
    }));
  copy.prepend(
    title,
    make(
      "rect", {x: -edge, y: -above, width: width + 2 * edge, height: height + edge + above, fill: token("surface")}));
  if (caption) {
    const {fontFamily} = getComputedStyle(document.body), line = make("text", {
                                                            x: 0,
                                                            y: -edge,
                                                            fill: token("ink"),
                                                            "font-family": fontFamily.replaceAll('"', "'"),
                                                            "font-size": 14,
                                                            "font-weight": 640
                                                          });
    line.textContent = caption;
    copy.append(line);
  }
  copy.setAttribute("xmlns", NAMESPACE);
  copy.setAttribute("viewBox", `${- edge} ${- above} ${width + 2 * edge} ${height + edge + above}`);
  copy.setAttribute("width", width + 2 * edge);
  copy.setAttribute("height", height + edge + above);
  return new XMLSerializer().serializeToString(copy);
}

export const svgBlob = (drawing, canvas, caption) =>
  new Blob([svgText(drawing, canvas, caption)], {type: "image/svg+xml"});

export async function pngBlob(drawing, canvas, caption, scale = 2) {
  const address = URL.createObjectURL(svgBlob(drawing, canvas, caption)), image = new Image();
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

export const canCopyPicture = () => Boolean(navigator.clipboard?.write && globalThis.ClipboardItem);

export const copyPicture = (drawing, canvas, caption) =>
  navigator.clipboard.write([new ClipboardItem({"image/png": pngBlob(drawing, canvas, caption)})]);

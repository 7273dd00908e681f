/* The source and its marks, to be read: who touches it gets the editor in its place (field.js). */
import {h, replace} from "../dom.js";
import {t} from "../words.js";
import {costMark, marksOf, noteOf, signOf} from "./marks.js";

/* Where a pointer is in the text: {line, ch}. */
function placeOf({target, clientX, clientY}) {
  const row = target.closest(".listing-row"), at = document.caretPositionFromPoint?.(clientX, clientY);
  const code = row?.querySelector("code");
  if (!row) return null;
  return {line: Number(row.dataset.line), ch: code.contains(at?.offsetNode) ? at.offset : code.textContent.length};
}

/* A row a line, with its costs and marks in the margin and what is wrong below it. */
export function listingRows({lines, costs = [], faults, notes, chosen = null}) {
  const byLine = new Map(costs.map(one => [one.line, one])), marks = marksOf(faults, notes);
  return lines.map((code, k) => {
    const own = marks.filter(one => one.line === k + 1), cost = byLine.get(k + 1);
    const signs = own.map(signOf).filter(Boolean), kinds = own.map(one => `has-${one.kind}`);
    return h(
      "div", {class: ["listing-row", k + 1 === chosen ? "chosen-line" : "", ...kinds].join(" "), data: {line: k + 1}},
      h("span", {class: "line-number"}, k + 1),
      h("span", {class: "costs"}, signs, !signs.length && cost && costMark(cost)), h("code", {}, code),
      own.map(noteOf));
  });
}

/* {node, text(), show(told), choose(line), chosen()}, as editorOf() has them. onBegin({line, ch}) is told where it was
   touched. */
export function listingOf({text, onBegin}) {
  const lines = text.split("\n");
  let chosen = null, at = null;
  const node = h("div", {
    class: "listing",
    tabindex: "0",
    role: "group",
    "aria-label": t("source.editor"),
    "aria-describedby": "editor-keys",
    onpointerdown: event => {
      at = placeOf(event);
    },
    onfocus: () => onBegin(at ?? {line: 1, ch: 0})
  });

  const show = ({lines: costs, faults, notes}) => replace(node, listingRows({lines, costs, faults, notes, chosen}));
  show({lines: [], faults: [], notes: []});
  return {
    node,
    text: () => text,
    show,
    choose: line => {
      chosen = line;
    },
    chosen: () => chosen
  };
}

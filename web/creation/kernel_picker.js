/* A field that finds a kernel: a list below it, narrowed by what is typed (name, title, formula, also in English),
 * moved in by arrow keys; the kernel of that name is first, then those whose names begin so. kernelInLanguage(kernel)
 * is a kernel of /v1/kernels with its texts in the reader's language, and `sought`, the words that find it. */
import {h, replace} from "../dom.js";
import {language, t} from "../words.js";
import "./words.js";

export function kernelInLanguage(kernel) {
  const sought = [kernel.name, kernel.title, kernel.text, kernel.zh?.title, kernel.zh?.text].join(" ").toLowerCase();
  if (language() !== "zh") return {...kernel, sought};
  return {...kernel, ...kernel.zh, sought, parameters: kernel.parameters.map(one => ({...one, ...one.zh}))};
}

export function kernelPicker(kernels, current, onChosen) {
  const list =
    h("ul", {id: "kernel-list", role: "listbox", class: "kernel-list", "aria-label": t("new.kernel"), hidden: true});
  const field = h("input", {
    id: "field-kernel",
    class: "mono",
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "kernel-list",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    value: current
  });
  let found = [], at = 0, chosen = current;

  function showList(words) {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const text = words.trim().toLowerCase(), far = ({name}) => name === text ? 0 : name.startsWith(text) ? 1 : 2;
    found = kernels.filter(kernel => wanted.every(word => kernel.sought.includes(word)));
    if (text) found.sort((a, b) => far(a) - far(b));
    at = text ? 0 : Math.max(0, found.findIndex(kernel => kernel.name === chosen));
    replace(
      list,
      found.map(
        (kernel, k) =>
          h("li", {
            id: `kernel-${k}`,
            role: "option",
            "aria-selected": String(k === at),
            onpointerdown: event => {
              event.preventDefault();
              choose(k);
            }
          },
            h("span", {class: "mono"}, kernel.name), h("span", {class: "note"}, kernel.title))),
      found.length === 0 && h("li", {class: "note", role: "option", "aria-disabled": "true"}, t("new.no_kernel")));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    mark();
  }

  function mark() {
    [...list.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === at)));
    if (!found[at]) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", `kernel-${at}`);
    list.children[at].scrollIntoView({block: "nearest"});
  }

  /* A whole name that was typed is a choice, without Enter too. */
  function leave() {
    const typed = list.hidden ? -1 : found.findIndex(kernel => kernel.name === field.value.trim().toLowerCase());
    if (typed < 0) return hide();
    setTimeout(() => choose(typed)); /* the focus has moved on then */
    return null;
  }

  function hide() {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    field.value = chosen;
  }

  function choose(k) {
    const kernel = found[k];
    if (!kernel) return;
    const other = kernel.name !== chosen;
    chosen = kernel.name;
    hide();
    if (other) onChosen(kernel.name);
  }

  field.addEventListener("focus", () => field.select());
  field.addEventListener("click", () => list.hidden && showList(""));
  field.addEventListener("input", () => showList(field.value));
  field.addEventListener("blur", leave);
  field.addEventListener("keydown", event => {
    const move = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8}[event.key];
    if (move) {
      event.preventDefault();
      if (list.hidden) return showList("");
      at = Math.max(0, Math.min(found.length - 1, at + move));
      mark();
    } else if (event.key === "Enter" && !list.hidden) {
      event.preventDefault();
      choose(at);
    } else if (event.key === "Escape")
      hide();
  });
  return h("div", {class: "picker"}, field, list);
}

/* A field that finds a kernel: a list below it, narrowed by what is typed (name, title, formula, also in English),
 * moved in by arrow keys; the kernel of that name is first, then those whose names begin so. What was typed stays:
 * onUnknown(text) is told of what is no kernel's name when the field is left, onUnknown(null) when it is one again.
 * unknownNote(name, kernels, shown, take) is the message that no kernel has that name, with the nearest name as a link;
 * take(near), if given, is called on a click instead of following the link. leftOutNote(names, kernel) is the message
 * that these names of the address were left out, because the form of this kernel has no such fields.
 * kernelInLanguage(kernel) is a kernel of /v1/kernels with its texts in the reader's language, and `sought`, the words
 * that find it. */
import {link} from "../api.js";
import {h, replace} from "../dom.js";
import {language, parts, t} from "../words.js";
import "./words.js";

export function kernelInLanguage(kernel) {
  const sought = [kernel.name, kernel.title, kernel.text, kernel.zh?.title, kernel.zh?.text].join(" ").toLowerCase();
  if (language() !== "zh") return {...kernel, sought};
  return {...kernel, ...kernel.zh, sought, parameters: kernel.parameters.map(one => ({...one, ...one.zh}))};
}

/* A name that is further from all others, or further than half of its letters, is like none. */
const FAR_MOST = 3;

/* Letters to add, drop or change. */
function distance(a, b) {
  let row = [...b, ""].map((_, k) => k);
  for (const [i, letter] of [...a].entries()) {
    const above = row;
    row = [i + 1];
    for (let k = 1; k < above.length; k++)
      row[k] = Math.min(above[k] + 1, row[k - 1] + 1, above[k - 1] + (letter !== b[k - 1]));
  }
  return row.at(-1);
}

/* Where the address or the field names a kernel that there is not: that there is none, and a name that is like it. */
export function unknownNote(name, kernels, shown, take = null) {
  if (!name || kernels.some(one => one.name === name)) return null;
  const [{near, far}] =
    kernels.map(one => ({near: one.name, far: distance(name, one.name)})).sort((a, b) => a.far - b.far);
  const key = name.startsWith("src-")         ? "new.own_kernel" :
    name.includes(",")                        ? "new.several_kernels" :
    far > Math.min(FAR_MOST, name.length / 2) ? "new.unknown_alone" :
                                                "new.unknown";
  return h("p", {class: "wrong unknown-kernel", role: "alert"}, parts(key, {
             name: h("code", {}, name),
             near:
               h("a", {
                 href: link(`new?kernel=${near}`),
                 onclick: take && (event => {
                            event.preventDefault();
                            take(near);
                          })
               },
                 near),
             shown: h("code", {}, shown)
           }));
}

/* Returns the message for names in the address that the form has no field for; null: there are no such names. */
export function leftOutNote(names, kernel) {
  return names.length ?
    h("p", {class: "wrong", role: "alert"}, t("new.left_out", {names: names.join(t("list.comma")), kernel})) :
    null;
}

export function kernelPicker(kernels, current, {onChosen, onUnknown}) {
  const list =
    h("ul", {id: "kernel-list", role: "listbox", class: "kernel-list", "aria-label": t("new.kernel"), hidden: true});
  const field = h("input", {
    id: "field-kernel",
    class: "mono",
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "kernel-list",
    "aria-autocomplete": "list",
    "aria-describedby": "kernel-unknown",
    autocomplete: "off",
    spellcheck: "false",
    value: current
  });
  const note = h("div", {id: "kernel-unknown"});
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
              choose(found[k]);
            }
          },
            h("span", {class: "mono"}, kernel.name), h("span", {class: "note"}, kernel.title))),
      found.length === 0 &&
        h("li", {id: "kernel-0", class: "note", role: "option", "aria-disabled": "true"}, t("new.no_kernel")));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    mark();
  }

  function mark() {
    [...list.children].forEach((item, k) => item.setAttribute("aria-selected", String(k === at && found.length > 0)));
    field.setAttribute("aria-activedescendant", `kernel-${at}`);
    list.children[at].scrollIntoView({block: "nearest"});
  }

  /* A whole name that was typed is a choice, without Enter too. */
  function leave() {
    const text = field.value.trim(), typed = kernels.find(({name}) => name === text.toLowerCase());
    if (list.hidden) return;
    close();
    if (typed || !text)
      setTimeout(() => choose(typed)); /* the focus has moved on then */
    else {
      field.setAttribute("aria-invalid", "true");
      replace(note, unknownNote(text, kernels, chosen, name => choose(kernels.find(one => one.name === name))));
      onUnknown(text);
    }
  }

  function close() {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }

  /* undefined: the kernel that it was. */
  function choose(kernel) {
    const other = kernel && kernel.name !== chosen;
    if (other) chosen = kernel.name;
    close();
    field.value = chosen;
    if (field.hasAttribute("aria-invalid")) onUnknown(null);
    field.removeAttribute("aria-invalid");
    replace(note);
    if (other) onChosen(chosen);
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
      if (found[at]) choose(found[at]);
    } else if (event.key === "Escape")
      choose();
  });
  return h("div", {class: "picker"}, field, list, note);
}

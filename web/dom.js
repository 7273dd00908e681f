/* Elements, made by hand; every page and chart builds with these.

   h("a", {href: link("new"), class: "button", onclick: f}, "New", ...)  an element; svg(...) one of a drawing.
   Attributes: on* are listeners, `style` is an object (the page's policy refuses a text), `data` an object of data-*;
   true sets an empty attribute, false, null and undefined set none. `value`, `checked`, `disabled`, `selected` are set
   as properties. Children: nodes, texts, numbers, lists of them; null and false are left out. replace(node,
   ...children) puts them in the place of what is there. redraw(...) does the same for what is drawn again and again:
   nothing is touched when it looks the same, and an element with the same data-key keeps the focus, or where it is gone
   from a page's .acts the first of these gets it; redrawEach(node, children) touches only those children, elements,
   that look different, and of rows of a table only such cells: what one is about to click on stays. Neither touches
   what holds the button that is pressed just now. tip(node, text) tells the text on hover, focus and tap.
   headingFocus() gives the focus to the page's heading. */

const properties = new Set(["value", "checked", "disabled", "selected", "indeterminate"]);

function attributesSet(node, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false && !properties.has(name)) continue;
    if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else if (name === "style")
      for (const [key, text] of Object.entries(value)) node.style.setProperty(key, text);
    else if (name === "data")
      Object.assign(node.dataset, value);
    else if (properties.has(name) && name in node)
      node[name] = value;
    else
      node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

/* No space follows a Chinese mark, which has its own. */
const fullEnd = node => /[。，、：；！？]$/.test(node.lastChild?.textContent ?? "");

function childrenAdd(node, children) {
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false)
      node.append(typeof child === "string" && child.startsWith(" ") && fullEnd(node) ? child.slice(1) : child);
  return node;
}

export function h(tag, attributes, ...children) {
  const node = attributesSet(document.createElement(tag), attributes);
  childrenAdd(node, children);
  if (tag === "select" && attributes?.value !== undefined)
    node.value = attributes.value; /* its options are there only now */
  return node;
}

export function svg(tag, attributes, ...children) {
  return childrenAdd(attributesSet(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes), children);
}

export function replace(node, ...children) {
  node.replaceChildren();
  return childrenAdd(node, children);
}

export function redraw(node, ...children) {
  const fresh = childrenAdd(node.cloneNode(false), children);
  if (fresh.childNodes.length === node.childNodes.length && [
        ...fresh.childNodes
      ].every((child, i) => child.isEqualNode(node.childNodes[i]))) {
    later.delete(node);
    return node;
  }
  return keepingFocus(node, () => node.replaceChildren(...fresh.childNodes));
}

/* A click is lost when its button is replaced between press and release. So a node is not redrawn while a button in it
   is pressed; that follows after the click, or CLICK_MS after a release without one. */
const CLICK_MS = 300;
let pressed = null, timer = null;
const later = new Map();

function release() {
  pressed = null;
  const changes = [...later];
  later.clear();
  for (const [node, change] of changes) keepingFocus(node, change);
}
document.addEventListener("pointerdown", ({target}) => {
  clearTimeout(timer);
  pressed = target.closest?.("button, a, summary, label, input[type=checkbox]") ?? null;
}, true);
document.addEventListener("pointerup", () => {
  timer = setTimeout(release, CLICK_MS);
}, true);
document.addEventListener("pointercancel", release, true);
document.addEventListener("click", () => {
  pressed = null;
  setTimeout(release);
}, true);

const FOCUSABLE = "a, button, [tabindex]"; /* input fields are found by their data-key */

/* Returns a function that finds the element which gets the focus after a redraw. It takes the first of these that is
   there: the element with the same data-key; the same link; in the table row with the same link, the element at the
   same place that looks the same, or else the link; outside of such rows, the element that looks the same; the link of
   the row that is now at the row's place; in a page's .acts, the first element. */
function focusOf(active, drawn) {
  const looksAlike = one => one && one.tagName === active.tagName && one.textContent === active.textContent;
  const all = node => [...node.querySelectorAll(FOCUSABLE)], alike = node => all(node).filter(looksAlike),
        ordinal = alike(drawn).indexOf(active);
  const {key} = active.dataset, href = active.getAttribute("href"), row = active.closest("tbody tr"),
        of = row?.querySelector("a")?.getAttribute("href"), at = row ? [...row.parentNode.children].indexOf(row) : -1,
        place = row ? all(row).indexOf(active) : -1;
  return node => {
    const link = wanted => wanted && [...node.querySelectorAll("a")].find(one => one.getAttribute("href") === wanted),
          rows = node.querySelectorAll(node.matches("tbody") ? "tr" : "tbody tr"), same = link(of)?.closest("tr");
    return key && [...node.querySelectorAll("[data-key]")].find(one => one.dataset.key === key) || link(href) ||
      same && (looksAlike(all(same)[place]) ? all(same)[place] : link(of)) || !of && alike(node)[ordinal] ||
      row && rows[Math.min(at, rows.length - 1)]?.querySelector("a") ||
      node.matches(".acts") && node.querySelector("a, button") || null;
  };
}

function keepingFocus(node, change) {
  later.delete(node);
  if (pressed && node.contains(pressed)) {
    later.set(node, change);
    return node;
  }
  const active = node.contains(document.activeElement) ? document.activeElement : null,
        again = active && focusOf(active, node);
  change();
  if (active && !node.contains(document.activeElement)) again(node)?.focus({preventScroll: true});
  if (told && !told.isConnected) tipHide();
  return node;
}

function rowRedraw(old, fresh) {
  for (const {name} of [...old.attributes]) old.removeAttribute(name);
  for (const {name, value} of fresh.attributes) old.setAttribute(name, value);
  redrawEach(old, [...fresh.children]);
}

export function redrawEach(node, children) {
  return keepingFocus(node, () => {
    while (node.children.length > children.length) node.lastElementChild.remove();
    children.forEach((child, i) => {
      const old = node.children[i];
      if (!old)
        node.append(child);
      else if (old.isEqualNode(child))
        return;
      else if (old.matches("tr") && child.matches("tr"))
        rowRedraw(old, child);
      else
        old.replaceWith(child);
    });
  });
}

/* ---- what a word means, where it stands ---- */

let bubble = null, told = null; /* what is shown, and of which element */

function tipHide() {
  bubble?.remove();
  bubble = told = null;
}

function tipShow(event) {
  const node = event.target.closest?.("[data-tip]");
  if (!node) return event.type === "click" && tipHide();
  tipHide();
  /* A reader of the screen has it from the node's own description. */
  told = node;
  bubble = h("div", {class: "tip", "aria-hidden": "true"}, node.dataset.tip);
  document.body.append(bubble);
  const at = node.getBoundingClientRect(), size = bubble.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - size.width - 8));
  const above = at.bottom + size.height + 12 > innerHeight && at.top > size.height + 12;
  bubble.style.left = `${left + scrollX}px`;
  bubble.style.top = `${(above ? at.top - size.height - 6 : at.bottom + 6) + scrollY}px`;
}

for (const name of ["mouseover", "focusin", "click"]) document.addEventListener(name, tipShow);
document.addEventListener("mouseout", event => event.target.closest?.("[data-tip]") && tipHide());
document.addEventListener("focusout", tipHide);
document.addEventListener("keydown", event => event.key === "Escape" && tipHide());

export function tip(node, text) {
  node.dataset.tip = text;
  node.setAttribute("aria-description", text);
  if (!node.matches("a, button, input, select, textarea, summary, [tabindex]")) node.setAttribute("tabindex", "0");
  return node;
}

/* Moves the focus to the heading, for use after the focused element was removed from the page. */
export function headingFocus(root = document.querySelector("main")) {
  const heading = root.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({preventScroll: true});
}

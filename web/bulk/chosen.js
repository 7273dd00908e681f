/* The rows of a table that are chosen, by hand or by keys: a box in each row, one for all in the head, Shift for all
   between two, the arrow keys from box to box, Enter to the bar of what can be done with them.

   const chosen = new Chosen(changed); offer(items, idOf, nameOf) are the rows that there are now, in their order;
   boxOf(item) and allBox() are the cells; list() the chosen items, those too that are not among the rows any more, as
   they were last; drop(items) chooses them no more. changed() is called after each choice. Who comes back to the page
   through the history finds the same rows chosen. */
import {h} from "../dom.js";
import {count} from "../format.js";
import {t} from "../words.js";
import "./words.js";

const WAYS = {
  ArrowDown: 1,
  ArrowUp: -1
};

const kept = new Map(); /* ids, by the entry of the history */

export class Chosen {
  constructor(changed) {
    const entry = history.state?.entry;
    this.before = new Set(kept.get(entry));
    this.changed = () => {
      kept.set(entry, [...this.chosen.keys()]);
      changed();
    };
    Object.assign(this, {order: [], items: new Map(), chosen: new Map(), from: null});
  }

  offer(items, idOf, nameOf) {
    Object.assign(this, {idOf, nameOf, items: new Map(items.map(item => [idOf(item), item]))});
    this.order = [...this.items.keys()];
    for (const id of [...this.chosen.keys(), ...this.before])
      if (this.items.has(id)) {
        this.chosen.set(id, this.items.get(id));
        this.before.delete(id);
      }
  }

  has = item => this.chosen.has(this.idOf(item));
  list = () => [...this.order.filter(id => this.chosen.has(id)).map(id => this.items.get(id)), ...this.elsewhere()];
  elsewhere = () => [...this.chosen].filter(([id]) => !this.items.has(id)).map(([, item]) => item);

  put(ids, on) {
    for (const id of ids) on ? this.chosen.set(id, this.items.get(id)) : this.chosen.delete(id);
    this.changed();
  }

  drop(items) {
    for (const item of items) this.chosen.delete(this.idOf(item));
    this.changed();
  }

  clear() {
    this.before.clear();
    this.chosen.clear();
    this.changed();
  }

  /* From the bar: chooses none, with the focus back on the row that was chosen last. */
  leave() {
    const boxOf = which => document.querySelector(`[data-key="choose ${which}"]`);
    this.clear();
    (boxOf(this.from) ?? boxOf("all"))?.focus();
  }

  /* A click on the box of `id`; with Shift all from the one before it. */
  clicked(id, on, range) {
    const at = this.order.indexOf(id), before = this.order.indexOf(this.from);
    this.from = id;
    if (!range || before < 0) return this.put([id], on);
    return this.put(this.order.slice(Math.min(at, before), Math.max(at, before) + 1), on);
  }

  keyed(id, event) {
    const way = WAYS[event.key], next = this.order[this.order.indexOf(id) + way];
    if (event.altKey || (event.ctrlKey || event.metaKey) && event.key !== "a") return;
    if (event.key === "a" && (event.ctrlKey || event.metaKey))
      this.put(this.order, true);
    else if (event.key === "Enter" && this.chosen.size)
      document.querySelector(".chosen-bar")?.focus({preventScroll: true}); /* it sticks to the screen's foot */
    else if (event.key === "Escape" && this.chosen.size)
      this.clear();
    else if (way && next !== undefined) {
      if (event.shiftKey) {
        this.from = next;
        this.put([id, next].filter(one => one !== undefined), true);
      }
      const table = document.activeElement.closest("table");
      [...table.querySelectorAll("[data-key]")].find(one => one.dataset.key === `choose ${next}`)?.focus();
    } else if (!way)
      return;
    event.preventDefault();
  }

  /* `on` stands in an attribute too, so that redraw() sees it. */
  box(key, words, on, some, clicked, keyed) {
    const input = h("input", {
      type: "checkbox",
      "aria-label": words,
      checked: on,
      indeterminate: some,
      data: {key, on: some ? "some" : String(on)},
      onclick: clicked,
      onkeydown: keyed
    });
    /* Larger than the box; with Shift it selects no text. */
    return h("label", {onmousedown: event => event.shiftKey && event.preventDefault()}, input);
  }

  boxOf(item) {
    const id = this.idOf(item);
    return h(
      "td", {class: "choose"},
      this.box(`choose ${id}`, t("bulk.choose", {what: this.nameOf(item)}), this.has(item), false, event => {
        event.target.focus();
        this.clicked(id, event.target.checked, event.shiftKey);
      }, event => this.keyed(id, event)));
  }

  allBox() {
    const on = this.order.filter(id => this.chosen.has(id)).length, all = on > 0 && on === this.order.length;
    return h(
      "th", {scope: "col", class: "choose"},
      this.box(
        "choose all", t("bulk.choose_all", {n: count(this.order.length)}), all, on > 0 && !all,
        () => this.put(this.order, !all), event => this.keyed(undefined, event)));
  }
}

/* The lesson of a kernel of one's own: from a naive transpose to a good one, by reading lines. stepOf(example, lines)
   gives what is to be seen in an example of it, with the numbers of the answer that stands there; null for another. */
import {h} from "../dom.js";
import {link} from "../api.js";
import {parts, t} from "../words.js";
import "./words.js";

const NEXT = {
  naive: "tile",
  tile: "padded",
  padded: null
};

const sum = (all, name) => all.reduce((total, one) => total + one[name], 0);
const short = value => String(Number(value.toFixed(1)));

export function stepOf(example, lines) {
  if (!(example in NEXT) || !lines.length) return null;
  const accesses = (kind, space) =>
    lines.flatMap(line => line.accesses).filter(one => one.kind === kind && one.space === space);
  const each = (kind, name) => {
    const all = accesses(kind, "global");
    return short(sum(all, name) / sum(all, "requests"));
  };
  const tile = accesses("load", "shared"), next = NEXT[example];
  const values = {
    load: each("load", "transactions"),
    store: each("store", "transactions"),
    turns: tile.length ? short(1 + sum(tile, "bank_conflicts") / sum(tile, "requests")) : "",
    next: next && h("a", {href: link(`source?example=${next}`)}, t(`source.example.${next}`))
  };
  return h("p", {class: "step"}, parts(`source.step.${example}`, values));
}

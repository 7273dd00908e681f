/* Chosen sets as the sides of a comparison. A side is {text: as the address has it (compare/sides.js), words, fields:
   what all of it share}. compareNodes(chosen, sideOf, {pair}) are the nodes that offer it: sideOf(items) is the side of
   some rows or null where it would be too long; where each of two rows is a side by itself (`pair`: how they are
   listed, "newest first" or "in order") these two are compared at once, the older or first one as A. Side A is kept
   while other rows, lists and tables are looked at, in this tab; its rows are not chosen any more. */
import {link} from "../api.js";
import {h} from "../dom.js";
import {count} from "../format.js";
import {button} from "../parts.js";
import {t} from "../words.js";
import "./words.js";

/* Both sides stand in the address of the page, which may be some 8000 characters long. */
export const EXPERIMENTS_MOST = 120;
const KEPT = "side A", BUT_FOR_MOST = 16;
/* By these two runs of a pair may differ anyhow; a grid follows from size and block. */
const FREE = new Set(
  ["device", "labels", "priority", "timeout_s", "measure", "counters", "transfers", "placement", "grid", "repeat"]);

/* What all of these requests have in common. */
export function fieldsShared(requests) {
  const [first, ...rest] = requests;
  return Object.fromEntries(
    Object.entries(first ?? {})
      .filter(
        ([name, value]) => !FREE.has(name) && rest.every(one => JSON.stringify(one[name]) === JSON.stringify(value))));
}

export const experimentsSide = (ids, requests) => ids.length > 0 && ids.length <= EXPERIMENTS_MOST ? {
  text: `experiment:${ids.join(".")}`,
  words: t("compare.experiments", {n: count(ids.length), words: ids.length}),
  fields: fieldsShared(requests)
} :
                                                                                                     null;

function address(a, b) {
  const names = Object.keys(a.fields).filter(
    name => name in b.fields && JSON.stringify(a.fields[name]) !== JSON.stringify(b.fields[name]));
  const query = {a: a.text, b: b.text, ...(names.length && {but_for: names.slice(0, BUT_FOR_MOST).join(",")})};
  return link(`compare?${
    Object.entries(query)
      .map(([name, text]) => `${name}=${encodeURIComponent(text)}`)
      .join("&")
      .replaceAll("%3A", ":")
      .replaceAll("%2C", ",")}`);
}

const kept = () => JSON.parse(sessionStorage.getItem(KEPT));

export function compareNodes(chosen, sideOf, {pair = null} = {}) {
  const {changed} = chosen, a = kept(), items = chosen.list(), side = items.length ? sideOf(items) : null;
  const keep = () => {
    sessionStorage.setItem(KEPT, JSON.stringify(side));
    chosen.leave();
  };
  const forget = () => {
    sessionStorage.removeItem(KEPT);
    if (items.length)
      changed();
    else
      chosen.leave(); /* there is no bar any more */
  };
  const both = pair && items.length === 2 && items.map(item => sideOf([item])),
        two = both && both.every(Boolean) && (pair === "newest first" ? both.reverse() : both);
  return [
    two && h("a", {class: "button", href: address(...two), data: {key: "bulk pair"}}, t("bulk.compare_two")),
    a && side && a.text !== side.text &&
      h("a", {class: "button", href: address(a, side), data: {key: "bulk compare"}}, t("bulk.compare_a")),
    !a && side && button(t("bulk.keep_a"), keep, {key: "bulk keep"}),
    items.length > 0 && !side && h("span", {class: "quiet"}, t("bulk.side_most", {n: count(EXPERIMENTS_MOST)})),
    a &&
      [
        h("span", {class: "quiet"}, t(items.length ? "bulk.side_a" : "bulk.side_a_alone", {what: a.words})),
        button(t("bulk.forget_a"), forget, {small: true, key: "bulk forget"})
      ]
  ].filter(Boolean);
}

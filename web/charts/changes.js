import {link} from "../api.js";
import {queryOf} from "../creation/values.js";
import {h} from "../dom.js";
import {percent, shape, time as written} from "../format.js";
import {t} from "../words.js";
import {explained} from "./bounds.js";
import "./words.js";

/* The list of changes of the request that would take less time, each with a link to the form. withGrid: a promise of
   whether the request itself gives the grid. */
export function changesList({what_if: changes}, request, withGrid = Promise.resolve(false)) {
  return h("ul", {class: "changes"}, changes.map(({change, predicted_us: us, ratio, text}) => {
    const a = h("a", {}, t("change.open"));
    withGrid.then(own => {
      a.href = link(
        `new?${queryOf({...request, ...change}, "grid" in change || own && !("block" in change || "size" in change))}`);
    });
    return h(
      "li", {},
      h("strong", {},
        Object.entries(change)
          .map(([name, value]) => `${name} ${Array.isArray(value) ? shape(value) : value}`)
          .join(", ")),
      h("span", {}, h("strong", {class: "number"}, written(us, 3)), " ",
        h("span", {class: "better"}, "▲ ", t("change.less", {percent: percent(1 - ratio)}))),
      a, h("span", {class: "note"}, explained(text)));
  }));
}

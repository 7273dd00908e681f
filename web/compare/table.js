/* The table of a comparison: a row for each point, with both medians, the interval of their ratio as a drawing and in
   figures, the verdict, and what more runs it needs. comparisonTable({comparison, requests, needsCell}, width, over),
   the last two as of charts/fit.js; on a phone ratio and verdict come first. requests are those of the sides' sweeps,
   for the order of the rows; needsCell(point) is the last cell. valueText(value) is how a value of a request is
   written. */
import {h, tip} from "../dom.js";
import {count, digits, shape} from "../format.js";
import {headCell, numberCell} from "../parts.js";
import {windowed} from "../windowed.js";
import {t, term} from "../words.js";
import {headDraw, ratioText, rowDraw, scaleOf, sign} from "./forest.js";
import {plain} from "./more.js";
import "./words.js";

export const valueText = value => value === null ? t("sweep.default") :
  Array.isArray(value)                           ? shape([...value, 1].slice(0, 3)) :
  Number.isInteger(value)                        ? count(value) :
                                                   String(value);

/* The names of the values that tell points apart; the grid is left out where it follows from size and block. */
function tellingNames(points) {
  const names = [...new Set(points.flatMap(point => Object.keys(point.values)))],
        without = names.filter(name => name !== "grid");
  const distinct = new Set(points.map(point => JSON.stringify(without.map(name => point.values[name]))));
  return distinct.size === points.length ? without : names;
}

/* Those with few values first: they make the groups. Numbers are sorted, others are as the requests list them. */
function arranged(points, requests) {
  const names = tellingNames(points),
        ranks = new Map(names.map(name => {
          const values =
            [...new Map(points.map(point => [JSON.stringify(point.values[name] ?? null), point.values[name] ?? null]))
               .entries()];
          const listed = requests.flatMap(request => [request[name] ?? []].flat()).map(plain);
          const at = value => listed.includes(plain(value)) ? listed.indexOf(plain(value)) : listed.length;
          values.sort(
            ([textA, a], [textB, b]) => typeof a === "number" && typeof b === "number" ?
              a - b :
              at(a) - at(b) || textA.localeCompare(textB, "en", {numeric: true}));
          return [name, new Map(values.map(([key], i) => [key, i]))];
        }));
  names.sort((a, b) => ranks.get(a).size - ranks.get(b).size || a.localeCompare(b, "en"));
  const rank = (point, name) => ranks.get(name).get(JSON.stringify(point.values[name] ?? null));
  const sorted = [...points].sort((a, b) => names.reduce((order, name) => order || rank(a, name) - rank(b, name), 0));
  return {
    names,
    sorted: sorted.map(
      (point, i) =>
        ({point, begins: i === 0 || names.length > 1 && rank(point, names[0]) !== rank(sorted[i - 1], names[0])}))
  };
}

/* Below this width, in px, not all columns are on the screen: ratio and verdict come first. */
const NARROW = 500;
const inOrder = (width, medians, drawing, said) => width < NARROW ? [said, medians, drawing] : [medians, drawing, said];

export function comparisonTable({comparison, requests, needsCell}, width, over) {
  const {names, sorted} = arranged(comparison.points, requests),
                drawn = Math.max(
                  190,
                  Math.min(
                    720,
                    width - over - 88 * Math.max(1, names.length) - 2 * 68 - 128 - 118 - 40 -
                      (comparison.verdicts.cannot_tell ? 200 : 0)));
  const scale = scaleOf(comparison.points, comparison.same_within, drawn), hot = comparison.time === "hot";
  const rowOf = ({point, begins}) =>
    h("tr", {class: `${point.verdict}${begins ? " begins" : ""}`},
      names.length ?
        names.map(
          (name, i) =>
            h(i ? "td" : "th",
              {scope: i ? null : "row",
               class: i                       ? "number" :
                 begins || names.length === 1 ? null :
                                                "repeated"},
              i || names.length === 1 || name === "kernel" ? valueText(point.values[name] ?? null) :
                                                             `${name} ${valueText(point.values[name] ?? null)}`)) :
        h("th", {scope: "row"}, t("compare.the_point")),
      inOrder(
        width,
        [numberCell(h("span", {class: "quiet"}, digits(point.a.median_us))), numberCell(digits(point.b.median_us))],
        h("td", {class: "forest-cell"}, rowDraw(scale, point)),
        [
          h("td", {class: "ratio"}, ratioText(point)),
          h("td", {class: "verdict"}, sign(point.verdict), " ", t(`compare.${point.verdict}`),
            point.a.unstable + point.b.unstable ?
              tip(
                h("span", {class: "warn"}, " △"),
                t("compare.unstable",
                  {n: count(point.a.unstable + point.b.unstable), words: point.a.unstable + point.b.unstable})) :
              null)
        ]),
      comparison.verdicts.cannot_tell ? needsCell(point) : null);
  const heads_of = () =>
    [names.length ? names.map((name, i) => headCell(name, i > 0)) : headCell(t("compare.point")),
     inOrder(
       width, [headCell(`A, µs`, true), headCell(`B, µs`, true)],
       h("th", {scope: "col", class: "forest-cell"}, h("span", {class: "unseen"}, t("compare.ratio_scale")),
         headDraw(scale)),
       [headCell([t("compare.ratio"), " ", term("ratio_interval", "95 %")]), headCell(t("compare.verdict"))]),
     comparison.verdicts.cannot_tell ? headCell(t("compare.needs")) : null];
  const all = windowed({
    caption: t("compare.caption", {time: t(hot ? "strip.hot" : "strip.cold")}),
    heads: () => heads_of().flat(2).filter(Boolean),
    rowOf,
    rowHeight: 26,
    className: "forest-table"
  });
  all.update(sorted);
  return all.node;
}

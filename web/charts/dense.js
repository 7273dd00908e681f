/* More points than there are pixels for: each COLUMN pixels are drawn as what the points in them come to, from the
   least to the most (faint), the middle half (a band) and the median (a line).

   denseDraw(drawing, places, gaps, {kind, hollow}) takes [x, y, point]s in pixels, from left to right, and the xs
   that have no value; it gives a mark for each column. */
import {svg} from "../dom.js";
import {count} from "../format.js";
import {t} from "../words.js";
import {through} from "./svg.js";
import "../sweep/words.js";

const COLUMN = 4, MARK = 3, LEAST = 200;

export const isDense = (points, width) => points.length > LEAST && points.length * MARK > width;

/* Of many places that would cover each other one in a column. */
export const ticksOf = (xs, width) =>
  isDense(xs, width) ? [...new Map(xs.map(x => [Math.floor(x / COLUMN), x])).values()] : xs;

const quantile = (sorted, part) => sorted[Math.round(part * (sorted.length - 1))];

function columnsOf(places) {
  const columns = new Map();
  for (const [x, y, point] of places) {
    const nth = Math.floor(x / COLUMN);
    if (!columns.has(nth)) columns.set(nth, []);
    columns.get(nth).push({x, y, point});
  }
  return [...columns].sort(([a], [b]) => a - b).map(([nth, list]) => {
    list.sort((a, b) => a.y - b.y);
    const at = part => quantile(list, part);
    const [first, last] = [list.reduce((a, b) => b.x < a.x ? b : a), list.reduce((a, b) => b.x > a.x ? b : a)];
    return {nth, x: (nth + 0.5) * COLUMN, list, at, first, last};
  });
}

function piecesOf(columns, gaps) {
  const pieces = [], holes = [...gaps].sort((a, b) => a - b);
  let next = 0;
  for (const column of columns) {
    const before = pieces.at(-1)?.at(-1);
    while (before && next < holes.length && holes[next] <= before.last.x) next++;
    if (!before || next < holes.length && holes[next] < column.first.x && column.nth - before.nth > 1) pieces.push([]);
    pieces.at(-1).push(column);
  }
  return pieces;
}

const band = (piece, from, to) => `${through(piece.map(one => [one.x, one.at(from).y]))}L${
  through([...piece].reverse().map(one => [one.x, one.at(to).y + 0.5])).slice(1)}Z`;

export function denseDraw(drawing, places, gaps, {kind, hollow}) {
  const columns = columnsOf(places);
  for (const piece of piecesOf(columns, gaps)) {
    if (!hollow)
      drawing.append(
        svg("path", {class: `dense-all ${kind}`, d: band(piece, 0, 1)}),
        svg("path", {class: `dense-half ${kind}`, d: band(piece, 0.25, 0.75)}));
    drawing.append(svg("path", {
      class: `series-line dense ${kind}${hollow ? " dashed" : ""}`,
      d: through(piece.map(one => [one.x, one.at(0.5).y]))
    }));
  }
  return columns.map(({list, at}) => ({
                       x: at(0.5).x,
                       y: at(0.5).y,
                       words: () => {
                         const {words} = at(0.5).point, said = typeof words === "function" ? words() : words;
                         return list.length > 1 ? t("dense.words", {n: count(list.length), median: said}) : said;
                       }
                     }));
}

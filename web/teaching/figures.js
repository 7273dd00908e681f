/* The figures that a lesson's text is made of, and its text.

   A lesson is a module web/lessons/<name>.js whose default is JSON. A text in it is a pair [English, Chinese], in
   which {name} is one of its `figures`, **bold**, `code` and [term] (a word of words.js; [sector|sectors] shows another
   form) are marked. No number is typed into a text. A figure is one of

     [value, places, "<table>/<column>", where, scale]    bench/results/lessons_h200/<table>.csv, the row `where`
     [value, places, "recipes/<name>/<column>", where]    as published; recipes/<name>/facts/<fact> with {}
     [value, places, "predicted/<path>", request, scale]  in the prediction for a request, of an H200 or of its `arch`
     [value, places, "constants/<name>", {}]              of the H200's constants, kernels/calibrations/h200.inc
     [places, "more" | "ratio", a, b]                     of two other figures: 100 (a / b - 1), or a / b
     [places, "worked out", "a * b / 1000"]               of figures and plain numbers, from left to right

   told as value times scale (1), with so many places after the point. Tests hold the values against their sources, and
   scripts/lesson_bounds.py writes predictions and constants anew. figureOf(lesson, name, find) gives a figure's value,
   or null; with find(table, column, where) out of other rows than the lesson's; ownFigure(lesson, name, rows) that of
   one's own device with its interval, meetMark(a, b) what stands where those of two meet, ownText(...) its text, marked
   where it is not stable, rangeText(...) the interval alone. shownOf(lesson, name) is its text; write(lesson, pair)
   gives nodes, filled(lesson, text) a string. */
import {h, tip} from "../dom.js";
import {count, shape} from "../format.js";
import {meet} from "../sweep/sure.js";
import {language, t, term} from "../words.js";
import "./words.js";

const UNIT = /([\d}]) (%|µs|ns|ms|GB\/s|MB|KB|GB|B)(?![a-z])/g;
const MARKED = /(\*\*[^*]+\*\*|`[^`]+`|\{\w+\}|\[[^\]]+\])/;

const derived = {
  more: (a, b) => 100 * (a / b - 1),
  ratio: (a, b) => a / b
};

const signs = {
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "+": (a, b) => a + b,
  "-": (a, b) => a - b
};

const isDerived = figure => typeof figure[1] === "string";

export function figureOf(lesson, name, find = null) {
  const figure = lesson.figures[name];
  if (isDerived(figure)) {
    const [, how, ...of] = figure;
    if (how === "worked out") return workedOut(lesson, of[0], find);
    const [a, b] = of.map(other => figureOf(lesson, other, find));
    return a === null || b === null ? null : derived[how](a, b);
  }
  const [shipped, , what, where, scale = 1] = figure, at = what.lastIndexOf("/");
  const value = find ? find(what.slice(0, at), what.slice(at + 1), where) : shipped;
  return value === null || value === undefined ? null : value * scale;
}

/* From left to right, as the sums of the tables of posts.md. */
function workedOut(lesson, sum, find) {
  const valueOf = word => /^\d/.test(word) ? Number(word) : figureOf(lesson, word, find);
  const [first, ...rest] = sum.split(" ");
  let value = valueOf(first);
  for (let k = 0; k < rest.length && value !== null; k += 2) {
    const next = valueOf(rest[k + 1]);
    value = next === null ? null : signs[rest[k]](value, next);
  }
  return value;
}

export function shownOf(lesson, name) {
  const figure = lesson.figures[name], places = figure[isDerived(figure) ? 0 : 1];
  const [whole, part] = figureOf(lesson, name).toFixed(places).split(".");
  return ((whole.length > 4 ? count(Number(whole)) : whole) + (part ? `.${part}` : "")).replace("-", "−");
}

/* The interval of a row's column: [low, high]; null where it has none. Counts have no width. */
function rangeIn(row, column) {
  const kind = /^(cold|hot)_(median_us|ns_per_operation|effective_gbps|gops)$/.exec(column);
  if (!kind) return [row[column], row[column]];
  const [low, high] = [row[`${kind[1]}_ci95_low_us`], row[`${kind[1]}_ci95_high_us`]], us = row[`${kind[1]}_median_us`];
  if (!(low > 0) || !(high > 0)) return null;
  const value = row[column];
  return kind[2] === "median_us" || kind[2] === "ns_per_operation" ? [value * low / us, value * high / us] :
                                                                     [value * us / high, value * us / low];
}

/* A figure out of the rows of one's own device: {value, range, stable}, or null. The range is from the least to the
   most that the figure comes to with each of its times somewhere in its interval; null where one has no interval. */
export function ownFigure(lesson, name, rows) {
  const cells = new Map();
  const value = figureOf(lesson, name, (table, column, where) => {
    const row = table === lesson.data ?
      rows.find(one => Object.entries(where).every(([key, wanted]) => one[key] === wanted)) :
      null;
    if (row) cells.set(JSON.stringify([column, where]), {row, column});
    return row?.[column] ?? null;
  });
  if (value === null) return null;
  const keys = [...cells.keys()], ranges = [...cells.values()].map(({row, column}) => rangeIn(row, column)),
        stable = [...cells.values()].every(({row}) => row.stable !== false);
  if (ranges.some(range => range === null)) return {value, range: null, stable};
  const ends = Array.from({length: 2 ** keys.length}, (_, corner) => figureOf(lesson, name, (table, column, where) => {
                                                        const at = keys.indexOf(JSON.stringify([column, where]));
                                                        return at < 0 ? null : ranges[at][corner >> at & 1];
                                                      }));
  return {value, range: [Math.min(...ends), Math.max(...ends)], stable};
}

/* The mark behind the ratio of two values whose intervals overlap; false where they do not. */
export const meetMark = (a, b) => meet(a, b) && tip(h("span", {class: "quiet"}, "\u00a0◌"), t("lessons.own_meet"));

/* Of a vector or a matrix. */
export const sizeText = size => Array.isArray(size) ? shape([...size, 1]) : count(size);

export const isRatio = unit => unit === "%" || unit === "×";

/* Whether one's own rows give a ratio that something follows from: on a scale, or of two rows of a table. */
export function ownRatios(lesson, rows) {
  const sure = name => ownFigure(lesson, name, rows)?.stable;
  return lesson.questions.some(
    ({scale, unit, answer, rows: [first, ...rest] = []}) =>
      scale && isRatio(unit) && sure(answer) || first && sure(first[0]) && rest.some(([name]) => sure(name)));
}

/* "11.9 to 12.8"; null where there is no interval, or it has no width. */
export const rangeText = ({range}, write) =>
  range && range[0] < range[1] ? `${write(range[0])} ${t("interval.to")} ${write(range[1])}` : null;

/* "12.3 (11.9 to 12.8) µs △" */
export function ownText(mine, write, unit = "") {
  const ends = rangeText(mine, write);
  return `${write(mine.value)}${ends ? ` (${ends})` : ""}${unit}${mine.stable ? "" : "\u00a0△"}`;
}

export const say = pair => pair[language() === "zh" ? 1 : 0];

export const filled = (lesson, text) =>
  text.replace(/\{(\w+)\}/g, (_, name) => shownOf(lesson, name)).replace(UNIT, "$1\u00a0$2");

export function write(lesson, pair) {
  return marked(lesson, say(pair).replace(UNIT, "$1\u00a0$2"));
}

function marked(lesson, text) {
  return text.split(MARKED).filter(Boolean).map(piece => {
    if (piece.startsWith("**")) return h("strong", {}, marked(lesson, piece.slice(2, -2)));
    if (piece.startsWith("`")) return h("code", {}, piece.slice(1, -1));
    if (piece.startsWith("{")) return shownOf(lesson, piece.slice(1, -1));
    if (piece.startsWith("[")) return term(...piece.slice(1, -1).split("|"));
    return piece;
  });
}

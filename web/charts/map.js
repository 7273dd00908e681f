/* Values over two axes as cells, one map for each value of a third axis, all of one scale: the fainter, the less.
   Outliers (scaleEnd() in axis.js) have the shade of its end. The number stands in each cell while that is 44 px or
   wider; refused ones are hatched, those that nobody asked for are empty, the best of a map is framed.

   mapDraw(width, {maps: [{name, cells: [{column, row, value, state, unsure, words}]}], columns, rows, columnName,
   rowName, name, write, unit, less, numbers}) gives {svg, canvas, marks, nearer, within}. `less`: the least is the
   best; `name` gives the text of a column or row. What is not sure is marked, and is never the best. There is no best
   where it cannot be told from another one (sweep/sure.js). nearer(px, py) is the half of columns and rows nearest to
   a pixel, and within(px0, py0, px1, py1) those between two places: {zoom, rows}, ranges where they are numbers. */
import {svg} from "../dom.js";
import {t} from "../words.js";
import {scaleEnd} from "./axis.js";
import {MARKS, painterFor, strikesOf, token} from "./painter.js";
import {hatch, rect, round, text, textWidth} from "./svg.js";
import {RUNS_LEAST, alike, concluded} from "../sweep/sure.js";
import "../sweep/words.js";

const NUMBER_WIDTH = 44, ROW = 34, NAMED_ROW = 16, LEFT = 56, TOP = 46, NAME = 16, GAP = 32, LEGEND = 48;

/* The tokens are #rrggbb, and of one hue: between them lightness goes evenly enough without D3's colours, which are not
 * on the page. */
const channels = colour => [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16));
const between = (from, to, part) =>
  `#${from.map((one, i) => Math.round(one + (to[i] - one) * part).toString(16).padStart(2, "0")).join("")}`;

export function shadesOf(low, high) {
  const [from, middle, to] = ["map-low", "map-middle", "map-high"].map(name => channels(token(name)));
  return value => {
    const part = high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) : 1;
    return part < 0.5 ? between(from, middle, part * 2) : between(middle, to, part * 2 - 1);
  };
}

/* Whether dark ink is read better on it: a relative luminance above 0.23, a lightness above 55. */
function isLight(colour) {
  const [red, green, blue] =
    channels(colour).map(one => one > 10 ? ((one / 255 + 0.055) / 1.055) ** 2.4 : one / 255 / 12.92);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.23;
}

const LETTER = 7, LABEL_GAP = 8;

function sizes(width, {maps, columns, rows, name}) {
  const label = rows.reduce((most, value) => Math.max(most, textWidth(name(value), LETTER)), 0),
        left = Math.max(LEFT, Math.min(width / 3, LABEL_GAP + label));
  const wide = left + columns.length * NUMBER_WIDTH,
        across = Math.max(1, Math.min(maps.length, Math.floor((width + GAP) / (wide + GAP))));
  const each = (width - GAP * (across - 1)) / across, cell = Math.min(66, (each - left) / columns.length),
        row = cell >= NUMBER_WIDTH ? ROW : Math.max(2, Math.min(ROW, Math.max(cell, NAMED_ROW), 420 / rows.length)),
        top = TOP + (maps.some(map => map.name) ? NAME : 0);
  return {
    left,
    top,
    across,
    each: Math.min(each, left + cell * columns.length + GAP),
    cell,
    row,
    numbers: cell >= NUMBER_WIDTH,
    height: top + rows.length * row + 16
  };
}

const named = (value, i, gap) => i % gap === 0 ? value : null;

function headsDraw(drawing, spec, {cell, row}, left, top) {
  const widest = spec.columns.reduce((most, value) => Math.max(most, textWidth(spec.name(value))), 24);
  const gapX = Math.max(1, Math.ceil((widest + 6) / cell)), gapY = Math.max(1, Math.ceil(16 / row));
  spec.columns.forEach(
    (value, i) => named(spec.name(value), i, gapX) &&
      drawing.append(text(
        Math.min(left + (i + 0.5) * cell, left + spec.columns.length * cell + 6 - textWidth(spec.name(value)) / 2),
        top - 8, spec.name(value), {class: "tick", "text-anchor": "middle"})));
  spec.rows.forEach(
    (value, i) => named(spec.name(value), i, gapY) &&
      drawing.append(
        text(left - LABEL_GAP, top + (i + 0.5) * row + 4, spec.name(value), {class: "tick", "text-anchor": "end"})));
}

/* The best cell and those of the same value, where they can be told from all others; else none. */
function bestOf(cells, less) {
  const found = concluded(cells.filter(cell => cell.value !== null && !cell.unsure), less, () => true);
  return found.best && !alike(found.best, found.worst) && !found.rivals.length ? [found.best, ...found.same_best] : [];
}

function legendDraw(drawing, spec, y, {low, high, shade, stripes, width, numbers}) {
  const steps = 24, length = 180;
  for (let i = 0; i < steps; i++)
    drawing.append(rect(
      LEFT + i * length / steps, y, length / steps + 0.5, 10, {fill: shade(low + (high - low) * i / (steps - 1))}));
  const over = spec.maps.some(map => map.cells.some(cell => cell.value > high)) ? "≥ " : "";
  drawing.append(
    text(LEFT, y + 24, spec.write(low), {class: "tick"}),
    text(
      LEFT + length, y + 24, `${over}${spec.write(high)}${spec.unit ? `\u00a0${spec.unit}` : ""}`,
      {class: "tick", "text-anchor": "end"}));
  let x = LEFT + length + 48, line = y;
  const key = (attributes, words, struck = false) => {
    const wide = textWidth(words) + 62;
    if (x + wide > width) {
      x = LEFT;
      line += line === y ? 32 : 20;
    }
    drawing.append(rect(x + 0.5, line - 2, 22, 14, attributes), text(x + 30, line + 9, words, {class: "tick"}));
    if (struck) drawing.append(svg("path", {class: "unsure-cell", d: strikesOf(x + 0.5, line - 2, 22, 14)}));
    x += wide;
  };
  const states = new Set(spec.maps.flatMap(map => map.cells.map(cell => cell.state)));
  if (states.has("refused")) key({fill: stripes.fill}, t("map.refused"));
  if (spec.maps.some(map => map.cells.some(cell => cell.unsure && cell.value !== null)))
    /* As such cells are drawn: framed where they have numbers, else struck through. */
    key(numbers ? {class: "unsure-key"} : {fill: shade(high)}, `△ ${t("map.unsure", {n: RUNS_LEAST})}`, !numbers);
  if (states.has("failed")) key({class: "failed-cell"}, t("map.failed"));
  if (spec.maps.some(map => map.cells.some(cell => cell.value === null && !["refused", "failed"].includes(cell.state))))
    key({class: "waiting-cell"}, t("no_value"));
  if (spec.maps.some(map => map.cells.length < spec.columns.length * spec.rows.length))
    key({class: "empty-cell"}, t("map.not_asked"));
  if (spec.maps.some(map => bestOf(map.cells, spec.less).length))
    key({class: "best-cell"}, t(spec.maps.length > 1 ? "map.best_each" : "map.best"));
  return line + LEGEND - 8;
}

export function mapDraw(width, spec) {
  const size = sizes(width, spec), down = Math.ceil(spec.maps.length / size.across),
        known = spec.maps.flatMap(map => map.cells).filter(cell => cell.value !== null),
        values = known.map(cell => cell.value);
  const low = values.length ? values.reduce((a, b) => Math.min(a, b)) : 0,
        lines = spec.rows.map(row => known.filter(cell => cell.row === row).map(cell => ({...cell, y: cell.value}))),
        high = values.length ? scaleEnd(lines) : 1, shade = shadesOf(low, high), stripes = hatch("refused");
  const total = spec.columns.length * spec.rows.length * spec.maps.length, height = down * size.height, marks = [];
  const drawing = svg("svg", {class: "map", width, height: height + LEGEND + 24}, stripes.defs),
        painter = painterFor(total, width, height), over = svg("g", {});
  spec.maps.forEach((map, i) => {
    const left = (i % size.across) * size.each + size.left, top = Math.floor(i / size.across) * size.height + size.top;
    if (map.name) drawing.append(text(left, top - 28 - NAME, map.name, {class: "series-name"}));
    if (i % size.across === 0) drawing.append(text(0, top - 22, spec.rowName, {class: "tick"}));
    drawing.append(
      text(left + size.cell * spec.columns.length, top - 28, spec.columnName, {class: "tick", "text-anchor": "end"}));
    headsDraw(drawing, spec, size, left, top);
    const asked = new Map(map.cells.map(cell => [`${cell.column},${cell.row}`, cell])),
          best = bestOf(map.cells, spec.less);
    spec.rows.forEach((row, r) => spec.columns.forEach((column, c) => {
      const cell = asked.get(`${column},${row}`), x = left + c * size.cell, y = top + r * size.row,
            w = size.cell - (size.cell > 8 ? 1 : 0), h = size.row - (size.row > 8 ? 1 : 0);
      if (!cell) return total <= MARKS && drawing.append(rect(x + 0.5, y + 0.5, w - 1, h - 1, {class: "empty-cell"}));
      marks.push({x: x + w / 2, y: y + h / 2, words: cell.words, line: `${i} ${r}`, panel: i});
      if (cell.value === null) {
        if (total <= MARKS)
          drawing.append(rect(x, y, w, h, cell.state === "refused" ? {fill: stripes.fill} : {
            class: `${cell.state === "failed" ? "failed" : "waiting"}-cell`
          }));
        return null;
      }
      const fill = shade(cell.value);
      painter.cell(x, y, w, h, fill);
      if (cell.unsure && size.numbers)
        over.append(
          rect(x + 1.5, y + 1.5, w - 3, h - 3, {class: "unsure-frame", stroke: isLight(fill) ? "#14191d" : "#ffffff"}));
      else if (cell.unsure)
        painter.unsure(x, y, w, h);
      if (size.numbers)
        over.append(text(
          x + w / 2, y + h / 2 + 4, spec.write(cell.value),
          {"text-anchor": "middle", class: "in-cell", fill: isLight(fill) ? "#14191d" : "#ffffff"}));
      if (best.includes(cell)) over.append(rect(x + 1, y + 1, w - 2, h - 2, {class: "best-cell"}));
      return null;
    }));
  });
  if (painter.node) drawing.append(painter.node);
  drawing.append(over);
  drawing.setAttribute(
    "height", round(legendDraw(drawing, spec, height + 4, {low, high, shade, stripes, width, numbers: size.numbers})));
  const between = (values, a, b) => values.filter((_, i) => i + 0.5 >= Math.min(a, b) && i + 0.5 <= Math.max(a, b));
  /* Returns where the map begins in which a pixel lies. */
  const origin = (px, py) =>
    [Math.floor(px / size.each) % size.across * size.each + size.left,
     Math.floor(py / size.height) * size.height + size.top];
  /* Returns the first and the last of the half of the values that is nearest to a place among them, or that is in their
     middle if the place is outside; null: it would be one value or all of them. */
  const half = (values, place) => {
    const count = Math.ceil(values.length / 2), inside = place >= 0 && place <= values.length,
          first = Math.round((inside ? place : values.length / 2) - count / 2),
          from = Math.max(0, Math.min(first, values.length - count));
    return count > 1 && count < values.length ? [values[from], values[from + count - 1]] : null;
  };
  const nearer = (px, py) => {
    const [left, top] = origin(px, py);
    const found = {zoom: half(spec.columns, (px - left) / size.cell), rows: half(spec.rows, (py - top) / size.row)};
    return found.zoom || found.rows ? found : null;
  };
  const within = (px0, py0, px1, py1) => {
    const [left, top] = origin(px0, py0);
    const columns = between(spec.columns, (px0 - left) / size.cell, (px1 - left) / size.cell),
          rows = between(spec.rows, (py0 - top) / size.row, (py1 - top) / size.row);
    const range = (some, all) => some.length > 1 && some.length < all.length ? [some[0], some.at(-1)] : null;
    const found = {zoom: range(columns, spec.columns), rows: range(rows, spec.rows)};
    return found.zoom || found.rows ? found : null;
  };
  const zooms = spec.numbers && [spec.columns, spec.rows].some(values => values.length > 2);
  return {svg: drawing, canvas: painter.canvas, marks, part: false, nearer, within: zooms ? within : null};
}

/* The tables of a recipe: times with what they are of the first point's, and each counted figure four times: published,
   predicted for the published chip, predicted for this device, counted here. A published figure that is off has a mark,
   [a], whose sentence stands below the table. What they are made of is one object, {recipe, table, points, beside}: the
   recipe, what its points share of what was published, the points (data.js), and of each published figure the columns
   that it is compared with (GET /v1/columns). */
import {link} from "../api.js";
import {h, tip} from "../dom.js";
import {count, digits, percent} from "../format.js";
import {barOf, headCell, numberCell, panel, table, withInterval} from "../parts.js";
import {DICTIONARY, language, noValue, reasonSaid, t, term} from "../words.js";
import {architectureName} from "../charts/architectures.js";
import {boundName, explained} from "../charts/bounds.js";
import {queryOf} from "../creation/values.js";
import {RUNS_LEAST, isSure, meet} from "../sweep/sure.js";
import {timeKey} from "./data.js";
import "./words.js";

const COUNTED = ["gld_efficiency_pct", "gst_efficiency_pct", "gld_transactions", "gst_transactions"];
const TIMES = ["elapsed_ms"], CONFLICTS = "shared_bank_conflicts";

/* The predicted value of a column. The hardware counts conflicts of loads and stores in one counter, so both
   predictions are added. undefined: nothing is predicted for that chip. */
function predictedOf(found, name) {
  if (name !== CONFLICTS) return found?.[name];
  const {shared_load_bank_conflicts: loads, shared_store_bank_conflicts: stores} = found ?? {};
  return Number.isFinite(loads + stores) ? loads + stores : undefined;
}

const valueText = value => Array.isArray(value) ? value.map(count).join("\u00a0×\u00a0") :
  typeof value === "number"                     ? count(value) :
                                                  String(value);
export const labelOf = values =>
  Object.entries(values)
    .map(
      ([name, value]) =>
        name === "kernel" || typeof value === "string" ? String(value) : `${name}\u00a0${valueText(value)}`)
    .join(", ");
/* With the digits that it was published with. */
const asPublished = value => typeof value !== "number" ? valueText(value) :
  Number.isInteger(value)                              ? count(value) :
                                                         String(value);
const rowHead = point => h("th", {scope: "row"}, labelOf(point.values) || t("recipes.one_point"));
const columnName = name => `recipes.col_${name}` in DICTIONARY ? t(`recipes.col_${name}`) : h("code", {}, name);

function publishedCell(point, name) {
  const value = point.published?.[name], mark = point.published?.marks?.[name];
  if (value === null || value === undefined)
    return numberCell(noValue(t(point.published ? "recipes.not_published" : "recipes.no_row")));
  return numberCell(asPublished(value), mark && ["\u00a0", h("span", {class: "warn"}, `[${mark}]`)]);
}

/* The sentences of the marks in a table of those columns. */
function marksOf({table, points}, names) {
  const used = new Set(points.flatMap(({published}) => names.map(name => published?.marks?.[name])));
  const found = (table?.marks ?? []).filter(({mark}) => used.has(mark));
  return found.length ?
    h("p", {class: "note below marks"},
      found.map(one => h("span", {}, h("span", {class: "warn"}, `[${one.mark}]`), ` ${one[language()]} `))) :
    null;
}

/* What was run there, and where that is another experiment than here. */
export function conditionsOf({sweep, published}) {
  const hidden = ["kernel", "load", "transfers", "counters"], {columns} = published;
  return Object.entries(sweep)
    .filter(([name]) => !columns.includes(name) && !hidden.includes(name))
    .map(([name, value]) => `${name}\u00a0${valueText(value)}`)
    .join(t("list.comma"));
}

/* What was asked here otherwise than in the published table: it holds for all that is measured and counted here. */
export function differsNotes(points) {
  const differ = points.flatMap(({published}) => Object.entries(published?.differs ?? {})).map(([name, both]) => {
    const [here, there] = [both.asked, both.published].map(value => value === null ? t("no_value") : valueText(value));
    return t("recipes.differs", {name, here, published: there});
  });
  return [...new Set(differ)].map(said => h("p", {class: "warn"}, "△ ", said));
}

export function notesPanel({recipe, table}) {
  if (!table) return null;
  const facts = Object.entries(recipe.published.facts ?? {});
  if (!table.notes.length && !facts.length) return null;
  return panel(
    t("recipes.notes"), null,
    h("ul", {class: "recipe-notes"}, table.notes.map(note => h("li", {}, note[language()])),
      facts.map(([key, value]) => h("li", {}, h("code", {}, key), ` ${value}`))));
}

const ended = point => point.state === "succeeded";
const waiting = point => point.state === undefined ? t("recipes.not_run") :
  point.state === "queued" || point.state === "running" ?
                                                     t(`state.${point.state}`) :
                                                     reasonSaid(point.failure?.detail) ?? t(`state.${point.state}`);

/* Of the first point's, in per cent: what chips can be compared by. */
const relative = (value, first) => typeof value !== "number" || typeof first !== "number" ?
  noValue(t("recipes.no_base")) :
  `${(100 * value / first).toFixed(1)}`;

/* What a point's time is of the first one's: nothing where either is unstable, marked where their intervals overlap. */
const rangeOf = ({cold}) => typeof cold?.ci95_us?.[0] === "number" ? cold.ci95_us : null;
const isKnown = ({stable, runs}) => isSure({stable, asked: runs.asked, succeeded: runs.succeeded});
function ratioHere(point, first) {
  if (!first?.cold) return noValue(t("recipes.no_base"));
  if (!isKnown(point) || !isKnown(first)) return noValue(t("recipes.unsure", {n: RUNS_LEAST}));
  return [
    relative(point.cold.median_us, first.cold.median_us),
    point !== first && meet({range: rangeOf(point)}, {range: rangeOf(first)}) &&
      tip(h("span", {class: "quiet"}, "\u00a0◌"), t("recipes.meet"))
  ];
}

export function timePanel(shown, device) {
  const {recipe, points} = shown;
  const published = recipe.published?.columns.includes("elapsed_ms");
  if (!published && points.every(point => point.state === undefined)) return null;
  /* A sweep that was spread has its points by device: each is told by the first one there. */
  const first = points[0], base = labelOf(first.values), pointName = ({values: {device, ...values}}) => labelOf(values),
        firstOf = point =>
          points.find(one => one.values.device === point.values.device && pointName(one) === pointName(first));
  /* One scale for both chips' bars: what a time is of its first one. */
  const shareHere = point => point.cold.median_us / (firstOf(point)?.cold?.median_us || Infinity),
        sharePublished = point => point.published.elapsed_ms / (first.published?.elapsed_ms || Infinity);
  const most = Math.max(
    Number.MIN_VALUE, ...points.filter(point => point.cold?.median_us).map(shareHere),
    ...points.filter(point => point.published?.elapsed_ms).map(sharePublished));
  const here = point => {
    const {cold} = point;
    if (!cold || cold.median_us === null)
      return [numberCell(noValue(waiting(point))), numberCell(noValue(waiting(point))), h("td", {class: "bars"})];
    const [low, high] = cold.ci95_us ?? [null, null];
    return [
      numberCell(h("strong", {}, withInterval(cold.median_us, low, high)), isKnown(point) ? null : "\u00a0△"),
      numberCell(ratioHere(point, firstOf(point))),
      h("td", {class: "bars"}, barOf(shareHere(point) / most, point.stable === false ? "outline" : ""))
    ];
  };
  const row = point =>
    h("tr", {}, rowHead(point),
      published &&
        [
          publishedCell(point, "elapsed_ms"),
          numberCell(relative(point.published?.elapsed_ms, first.published?.elapsed_ms)),
          h("td", {class: "bars"}, point.published?.elapsed_ms && barOf(sharePublished(point) / most, "published"))
        ],
      here(point));
  const heads = [
    headCell(t("recipes.point")),
    published && [headCell(t("recipes.published_ms"), true), headCell(t("recipes.of_first"), true), h("td", {})],
    headCell(t("recipes.here_us", {device}), true), headCell(t("recipes.of_first"), true), h("td", {})
  ];
  const gap = language() === "zh" ? "" : " ";
  return panel(
    t("recipes.time"), t("recipes.time_note", {base: base || t("recipes.one_point")}),
    table(t("recipes.time"), heads, points.map(row)), marksOf(shown, TIMES),
    points.some(point => point.cold && !isKnown(point)) &&
      h("p", {class: "note below"}, "△ ", t("recipes.unsure", {n: RUNS_LEAST}), t("punct.stop")),
    h("p", {class: "note below"}, t("recipes.ratios"), gap, term("cold"), gap, t("recipes.interval")));
}

/* What an H200 would take, and why: each point leads to the form, where its bounds are. */
export function reasonsPanel({recipe, points}, times) {
  const known = points.map(point => [point, times.get(timeKey(recipe, point.values))]).filter(([, found]) => found),
        made = known.find(([, {time}]) => !time.status);
  if (!made) return null;
  const first = known[0][1].time, row = ([point, {request, time}]) => {
    const limits = [time.limiter, time.close_second].filter(Boolean).map(boundName).join(t("recipes.and"));
    return h(
      "tr", {}, rowHead(point),
      time.status ? [1, 2, 3].map(() => numberCell(noValue(explained(time.explanation) || time.reason))) : [
        numberCell(digits(time.predicted_us)), numberCell(h("a", {href: link(`new?${queryOf(request)}`)}, limits)),
        numberCell(relative(time.predicted_us, first.predicted_us))
      ]);
  };
  const heads = [
    headCell(t("recipes.point")), headCell(t("recipes.predicted_us"), true), headCell(t("recipes.limit"), true),
    headCell(t("recipes.of_first"), true)
  ];
  const sizes = new Set(known.filter(([, {request}]) => request).map(([, {request}]) => valueText(request.size))),
        of = made[1].time.device_name;
  return panel(
    t("recipes.reasons"),
    sizes.size === 1 ? t("recipes.as_size", {device: of, size: [...sizes][0]}) : t("recipes.as", {device: of}),
    table(t("recipes.reasons"), heads, known.map(row)), h("p", {class: "note below"}, t("recipes.reasons_note")));
}

function countedPanel(shown, name, device, deviceArch) {
  const {recipe, points} = shown;
  const published = recipe.published?.columns.includes(name), isPercent = name.endsWith("_pct"),
        write = value => isPercent ? percent(value / 100, 2).replace("\u00a0%", "") : count(value);
  const arch = recipe.published?.device.arch;
  const predicted = (point, which) => {
    const value = predictedOf(point.predicted?.[which], name);
    return numberCell(
      typeof value === "number" ?
        write(value) :
        noValue(
          point.predicted?.reason ?? (point.predicted ? null : t("recipes.not_run")) ??
          point.predicted?.[which]?.reason ?? point.predicted?.[which]?.[`${name.slice(0, 3)}_reason`] ??
          t("recipes.no_prediction")));
  };
  const uncounted = point => !ended(point)       ? waiting(point) :
    point.row?.counters_status === "unavailable" ? t("recipes.none_read", {device: point.row.device_name}) :
                                                   t("recipes.not_counted");
  const counted = point => {
    const value = measuredOf(shown, point, name);
    return numberCell(typeof value === "number" ? h("strong", {}, write(value)) : noValue(uncounted(point)));
  };
  /* Of a count, what it counts on that chip: sectors, lines or segments. */
  const unit = which => {
    const found = isPercent ? null : points.find(point => point.predicted?.[which]?.[`${name.slice(0, 3)}_unit`]);
    return found ? `${t("list.comma")}${t(`memory.units.${found.predicted[which][`${name.slice(0, 3)}_unit`]}`)}` : "";
  };
  const heads = [
    headCell(t("recipes.point")), published && headCell(t("recipes.published"), true),
    arch && headCell(t("recipes.predicted", {chip: architectureName(arch)}) + unit("published_arch"), true),
    headCell(t("recipes.predicted", {chip: deviceArch}) + unit("device_arch"), true),
    headCell(t("recipes.counted"), true)
  ];
  const rows = points.map(
    point =>
      h("tr", {}, rowHead(point), published && publishedCell(point, name), arch && predicted(point, "published_arch"),
        predicted(point, "device_arch"), counted(point)));
  return panel(
    columnName(name), isPercent ? t("recipes.in_percent") : null, table(`${name}, ${device}`, heads, rows),
    marksOf(shown, [name]));
}

const COPIES = ["h2d_ms", "d2h_ms"];

/* What was measured here of a published figure, in its unit; null: nothing. */
function measuredOf({beside}, point, name) {
  const column = beside[name]?.measured ?? "", [, kind] = /^(\w+)_median_us$/.exec(column) ?? [];
  if (name === CONFLICTS) return point.efficiency?.counted[name] ?? null;
  const value = kind ? (point[kind] ?? point.transfers?.[kind])?.median_us :
                       point.efficiency?.counted[column.replace("measured_", "")];
  return typeof value !== "number" ? null : kind && name.endsWith("_ms") ? value / 1000 : value;
}

/* How many times as long as the kernel both copies take; null where one of them is missing. */
function copiesRatio(copies, kernel) {
  return kernel && copies.every(value => typeof value === "number") ? copies[0] / kernel + copies[1] / kernel : null;
}

function othersPanel(shown) {
  const {recipe, points} = shown;
  const axes = new Set(points.flatMap(point => Object.keys(point.values)));
  const names =
    (recipe.published?.columns ?? [])
      .filter(name => !axes.has(name) && !COUNTED.includes(name) && !TIMES.includes(name) && name !== "grid");
  if (!names.length) return null;
  const measured = names.filter(name => points.some(point => measuredOf(shown, point, name) !== null));
  const copied = COPIES.every(name => names.includes(name)), here = COPIES.every(name => measured.includes(name));
  const heads = [
    headCell(t("recipes.point")),
    names.flatMap(
      name => [headCell(columnName(name), true), measured.includes(name) && headCell(t("recipes.here"), true)]),
    copied && [headCell(t("recipes.copies_ratio"), true), here && headCell(t("recipes.here"), true)]
  ];
  const ratioCell = ratio => numberCell(ratio === null ? noValue(t("recipes.no_base")) : digits(ratio));
  const cells = point =>
    [...names.flatMap(
       name =>
         [publishedCell(point, name),
          measured.includes(name) && numberCell(digits(measuredOf(shown, point, name) ?? NaN))]),
     copied && ratioCell(copiesRatio(COPIES.map(name => point.published?.[name]), point.published?.elapsed_ms)),
     copied && here &&
       ratioCell(copiesRatio(COPIES.map(name => measuredOf(shown, point, name)), (point.cold?.median_us ?? 0) / 1000))];
  return panel(
    t("recipes.others"), null,
    table(t("recipes.others"), heads, points.map(point => h("tr", {}, rowHead(point), cells(point)))),
    marksOf(shown, names));
}

export function countPanels(shown, device, deviceArch) {
  const {recipe, points} = shown;
  const known = recipe.published?.columns.filter(name => COUNTED.includes(name)) ?? [];
  const foreseen = name => points.map(point => predictedOf(point.predicted?.device_arch, name));
  const names = known.length ? known : [
    ...(foreseen(CONFLICTS).some(value => value > 0) ? [CONFLICTS] : []),
    ...COUNTED.slice(0, 2).filter(name => foreseen(name).some(value => typeof value === "number"))
  ];
  const long = recipe.published && points.some(point => labelOf(point.values).length > 14);
  return [
    h("div", {class: long ? "recipe-counts long" : "recipe-counts"},
      names.map(name => countedPanel(shown, name, device, deviceArch))),
    othersPanel(shown)
  ];
}

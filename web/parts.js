/* What several pages show alike: who, what was asked, how it ended, the result as a number with its bar.

   ownerMark(name, me) and ownerName(name, me), me as in live.js; asked(experiment) are nodes: its kernel and what
   tells it from others; labelMarks(labels), labelText(name, value); stateMark(name);
   withInterval(median, low, high), without unit;
   resultCells(row, device) are the cells of a result from a table's row (table.js); panel(heading, aside, ...children),
   spanPanel(columns, heading, note, ...children); cell(...), agoCell(time), headCell(...) and headUnseen(...) of a
   table, spareHead(text) and spareCell(child) of a column that a phone does not show; button(text, f, options) that is
   off while f runs and shows its error beside it. */
import {link, watchConnection} from "./api.js";
import {h, tip} from "./dom.js";
import {bandwidth, count, digits, duration, fixed, interval, intervalForm, percent, shape} from "./format.js";
import {DICTIONARY, failureDetail, noValue, reasonSaid, t, term} from "./words.js";

const COMMON = new Set([
  "kernel", "dtype", "size", "block", "grid", "shared_bytes", "device", "measure", "counters", "transfers", "timeout_s",
  "priority", "labels", "placement", "repeat", "tolerance"
]);
const USUAL_SIZE = 1048576, USUAL_DTYPE = "f32";

export const panel = (heading, aside, ...children) =>
  h("section", {class: "panel"},
    h("header", {}, h("h2", {}, heading), aside && h("span", {class: "quiet aside"}, aside)), children);

/* One that is so many columns wide. */
export const spanPanel = (span, heading, note, ...children) =>
  h("section", {class: `panel span-${span}`},
    h("header", {}, h("h2", {}, heading), note && h("span", {class: "note"}, note)), children);

export const cell = (...children) => h("td", {}, children);
export const numberCell = (...children) => h("td", {class: "number"}, children);
export const headCell = (text, number) => h("th", {scope: "col", class: number ? "number" : null}, text);

/* Columns that a phone has no room for. */
export const spareHead = text => h("th", {scope: "col", class: "number spare"}, text);
export const spareCell = child => h("td", {class: "number spare"}, child);

/* Of a column of buttons: a reader of the screen hears it. */
export const headUnseen = text => h("th", {scope: "col"}, h("span", {class: "unseen"}, text));

export function table(caption, heads, rows) {
  return h(
    "div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption, data: {key: `scroll ${caption}`}},
    h("table", {}, h("caption", {class: "unseen"}, caption), h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)));
}

/* ---- who ---- */

const COLOURS = ["second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];
const given = new Map();

/* Forgets which owner has which colour: called when another page is opened. */
export const ownerColoursClear = () => given.clear();

/* You have ink, others the colour that follows from their name; where somebody on the page has that, one that is free,
 * as long as there is one. */
export function ownerColour(name, me) {
  if (me && name === me.name) return "you";
  if (name === null) return "other";
  if (given.has(name)) return given.get(name);
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 65521;
  const taken = [...given.values()], free = COLOURS.filter(one => !taken.includes(one)),
        wanted = COLOURS[sum % COLOURS.length];
  given.set(name, free.includes(wanted) || !free.length ? wanted : free[sum % free.length]);
  return given.get(name);
}

export const ownerMark = (name, me) => h("i", {class: `square ${ownerColour(name, me)}`, "aria-hidden": "true"});

export function ownerName(name, me) {
  if (me && name === me.name && name !== null) return h("strong", {}, t("you"));
  return name ?? h("span", {class: "quiet"}, t("nobody"));
}

/* ---- what ---- */

/* A label of the sweeps that a comparison asks for as further runs: those that are asked for together, of both sides,
   have the same value. Where one of them is cancelled the service leaves all of them out of comparisons, because the
   turns were not equal. */
export const TURNS = "coalesced.turns";

export const labelText = (name, value) => `${name}${value ? `=${value}` : ""}`;
/* In an outline, so that it is not taken for a parameter; a screen reader says that it is a label. */
export const labelMark = (name, value) =>
  h("span", {class: "label-mark"}, h("span", {class: "unseen"}, t("lists.label"), " "), labelText(name, value));
export const labelMarks = labels =>
  Object.entries(labels ?? {}).flatMap(([name, value], i) => [i > 0 && " ", labelMark(name, value)]);

/* "offset 11, block 512": the kernel's own parameters, then what is not as usual. */
export function askedText(request) {
  const shared = request.shared_bytes > 0 ? `shared_bytes ${count(request.shared_bytes)}` : null;
  const own = Object.entries(request)
                .filter(
                  ([name, value]) =>
                    !COMMON.has(name) && value !== "default" && (typeof value !== "object" || Array.isArray(value)))
                .map(
                  ([name, value]) => typeof value === "number" ? `${name} ${count(value)}` :
                    Array.isArray(value) ? `${name} ${value.join(", ")}` :
                                           String(value));
  const size = Array.isArray(request.size)      ? shape([...request.size, 1].slice(0, 3)) :
    (request.size ?? USUAL_SIZE) !== USUAL_SIZE ? count(request.size) :
                                                  null;
  const block = Array.isArray(request.block) ?
    (request.block[1] > 1 || request.block[2] > 1 ? shape(request.block) :
                                                    t("part.block", {n: count(request.block[0])})) :
    null;
  const dtype = request.dtype && request.dtype !== USUAL_DTYPE ? request.dtype : null;
  const priority = request.priority ? `priority ${request.priority}` : null;
  return [...own, block, shared, size && `size ${size}`, dtype, priority].filter(Boolean).join(t("punct.comma"));
}

export const asked =
  ({request, entry}) => [h("code", {}, entry ?? request.kernel), " ", h("span", {class: "quiet"}, askedText(request))];

export const SIGNS = {
  queued: "○",
  running: "●",
  succeeded: "",
  finished: "△",
  failed: "✕",
  cancelled: "–",
  idle: "○",
  measuring: "●",
  throttled: "△",
  unhealthy: "✕",
  drained: "‖",
  starting: "○",
  away: "–",
  gone: "–"
};

export const stateMark = name =>
  h("span", {class: `state-mark ${name}`}, SIGNS[name] && h("span", {"aria-hidden": "true"}, SIGNS[name]),
    SIGNS[name] && " ", name === "throttled" ? term(name) : t(`state.${name}`));

/* ---- how it came out ---- */

/* A median with its 95 % interval: "247.5 ± 0.3", or "550 436 to 738" where the interval is asymmetric. */
export function withInterval(median, low, high) {
  if (median === null) return noValue();
  if (typeof low !== "number" || typeof high !== "number" || low === high) return digits(median);
  const [first, ...rest] = interval(median, low, high, t("interval.to")).split("\u00a0±");
  return rest.length ?
    [first, h("span", {class: "quiet"}, `\u00a0±${rest[0]}`)] :
    [fixed(median, intervalForm(median, low, high).places), h("span", {class: "quiet"}, ` ${first}`)];
}

/* "sectors", or "lines, segments": what transactions are on a chip, of each kind of unit once. Results that do not say
   it are of chips that move sectors. */
export function unitsText(units) {
  const known = new Set(units.filter(Boolean));
  return [...known.size ? known : ["sector"]].map(unit => t(`memory.units.${unit}`)).join(t("list.comma"));
}

export const barOf = (fraction, kind = "") => {
  const fill = h("i", {});
  fill.style.width = `${Math.min(1, fraction) * 100}%`;
  return h("span", {class: `bar ${kind}`, "aria-hidden": "true"}, fill);
};

/* "failed: timed out"; a kind that this page has no word for stands as the service says it. */
export function failedWords(kind) {
  return t("part.failed", {kind: DICTIONARY[`failed.${kind}`] ? t(`failed.${kind}`) : kind.replaceAll("_", " ")});
}

export const unstableMark = () => tip(h("span", {class: "warn"}, "△ ", t("part.unstable")), t("part.unstable_why"));

/* The column of the bar, which phones do not show. */
const besideCell = child => h("td", {class: "spare"}, child);

function failedCells(row) {
  if (row.state === "cancelled") {
    const said = h("span", {class: "quiet"}, `${SIGNS.cancelled} ${t("state.cancelled")}`);
    return [numberCell(row.failure_detail ? tip(said, reasonSaid(failureDetail(row))) : said), besideCell(), cell()];
  }
  const known = row.failure_kind !== null;
  return [
    numberCell(
      noValue(failureDetail(row) ?? t(`state.${row.state}`)),
      h("span", {class: "phone warn", "aria-hidden": "true"}, " ✕")),
    besideCell(),
    cell(h("span", {class: "warn"}, "✕ ", known ? failedWords(row.failure_kind) : t(`state.${row.state}`)))
  ];
}

function noteOf(row, inCache) {
  if (row.stable === false) return unstableMark();
  return inCache ? h("span", {class: "quiet"}, t("part.in_l2")) : null;
}

/* A source that was interpreted has no time that could be unstable. */
const isTimed = row => [row.cold_median_us, row.hot_median_us].some(us => typeof us === "number");

/* Result, bar against the peak, note. */
export function resultCells(row, device) {
  if (row.state === "queued" || row.state === "running")
    return [numberCell(h("span", {class: "quiet"}, t(`state.${row.state}`))), besideCell(), cell()];
  if (row.state !== "succeeded") return failedCells(row);
  const inCache = device?.l2_bytes && row.working_set_bytes <= device.l2_bytes;
  if (row.hot_ns_per_operation !== null && row.kernel === "pointer_chase")
    return [
      numberCell(h("strong", {}, t("part.a_load", {time: `${digits(row.hot_ns_per_operation, 3)}\u00a0ns`}))),
      besideCell(h("span", {class: "quiet"}, t("part.latency"))), cell(noteOf(row))
    ];
  if (row.operations)
    return [
      numberCell(h("strong", {}, `${digits(row.hot_gops)}\u00a0Gop/s`)),
      besideCell(h("span", {class: "quiet"}, t("part.operations"))), cell(noteOf(row))
    ];
  if (row.cold_effective_gbps === null)
    return isTimed(row) ? [numberCell(noValue()), besideCell(), cell(noteOf(row, inCache))] : [
      numberCell(h("span", {class: "quiet"}, t("part.untimed"))), besideCell(),
      cell(row.verified && h("span", {class: "quiet"}, t("part.right")))
    ];
  const outline = inCache || row.stable === false ? "outline" : "";
  const bar = row.cold_of_peak === null ?
    noValue(t("part.no_peak")) :
    [barOf(row.cold_of_peak, outline), h("span", {class: "quiet share"}, percent(row.cold_of_peak, 1))];
  return [
    numberCell(h("strong", {}, bandwidth(row.cold_effective_gbps))), h("td", {class: "bars spare"}, bar),
    cell(noteOf(row, inCache))
  ];
}

export function ago(text) {
  return duration(Math.max(1, (Date.now() - Date.parse(text)) / 1000));
}

export const agoCell = text => h("td", {class: "number quiet ago"}, t("lab.ago_cell", {time: ago(text)}));

export const experimentLink = (id, ...children) =>
  h("a", {href: link(`experiments/${id}`), class: "row-link"}, children);
/* A link to the experiment at a place of the page, such as the one that runs now. If another experiment takes that
   place, the keyboard focus stays on the link: its key is the place, not the experiment. */
export const placeLink = (place, id, ...children) =>
  h("a", {href: link(`experiments/${id}`), class: "row-link", data: {key: place}}, children);

/* ---- what one may do ---- */

export function button(text, f, {primary = false, label = null, key = null, small = false} = {}) {
  const said = h("span", {class: "wrong", role: "alert"});
  const node =
    h("button", {
      type: "button",
      class: small ? "plain underlined" :
        primary    ? "button primary" :
                     "button",
      "aria-label": label,
      data: key ? {key} : null,
      onclick: async () => {
        const had = document.activeElement === node;
        node.disabled = true;
        said.textContent = "";
        const unwatch = watchConnection(since => {
          said.textContent = since === null ? "" : ` ${t("part.waits_connection")}`;
        });
        try {
          await f();
          said.textContent = "";
        } catch (error) {
          said.textContent = ` ${error.message}`;
        }
        unwatch();
        node.disabled = false;
        /* One that is off loses the focus; another button may stand in its place. */
        const again = node.isConnected ? node : document.querySelector(`[data-key="${CSS.escape(key ?? "")}"]`);
        if (had && document.activeElement === document.body) again?.focus({preventScroll: true});
      }
    },
      text);
  return [node, said];
}

/* A result to which the others are compared, the pinned one (pin.js). baselinePanel(id, {signal, onUnpin, onCompare})
   is {node, show(experiment)}: the figures of both side by side and their ratio; onCompare(href) gets the page that
   compares the two. Nothing is concluded here: each ratio is of one run of either, at one placement of the arrays; of
   what is unstable there is none. */
import {get, link} from "../api.js";
import {h, replace} from "../dom.js";
import {bandwidth, bytes, count, fixed, percent, placesOf, shape, time} from "../format.js";
import {askedText, button, cell, headCell, numberCell, spanPanel as panel, table, withInterval} from "../parts.js";
import {noValue, t} from "../words.js";
import "./words.js";

/* ---- how they differ ---- */

const WORK = ["kernel", "size", "dtype"],
      SILENT = ["labels", "measure", "counters", "priority", "timeout_s", "transfers", "placement", "device", "grid"];

const written = value => value === undefined ? t("pin.not_there") :
  Array.isArray(value)                       ? shape([...value, 1].slice(0, 3)) :
  typeof value === "number"                  ? count(value) :
                                               String(value);

/* The fields in which two requests differ. */
const differing = (here, there) => [...new Set([...Object.keys(there), ...Object.keys(here)])].filter(
  name => !SILENT.includes(name) && JSON.stringify(here[name]) !== JSON.stringify(there[name]));

/* What is to be said before anybody reads the ratio. */
function differences({request: here, device}, {request: there, device: other}) {
  const differ = differing(here, there);
  const pair = name => ({here: written(here[name]), there: written(there[name])});
  const rest = differ.filter(name => !WORK.includes(name)).map(name => t("pin.differs_in", {name, ...pair(name)}));
  return [
    differ.includes("kernel") && t("pin.kernel", pair("kernel")),
    differ.includes("size") && t("pin.size", pair("size")), differ.includes("dtype") && t("pin.dtype", pair("dtype")),
    device.uuid !== other.uuid && t("pin.device", {here: device.name, there: other.name}),
    rest.length && !differ.includes("kernel") && t("pin.differs", {list: rest.join(t("list.comma"))})
  ].filter(Boolean);
}

/* ---- the figures ---- */

const measured = part => part && !part.status;

/* {name, value(result), text(value, result), range(result): of a time, counted: it is the same on each run} */
const timing = kind => ({
  name: `pin.${kind}`,
  value: ({timing}) => measured(timing) && measured(timing[kind]) ? timing[kind].median_us : null,
  range: ({timing}) => timing[kind].ci95_us,
  text: (us, {timing}) => {
    const [low, high] = timing[kind].ci95_us;
    return low === null || us < 1 || us >= 1e5 ? time(us) : [withInterval(us, low, high), "\u00a0µs"];
  }
});
const rate = (name, member, text) => ({
  name,
  value: ({bandwidth: found}) => {
    const part = ["cold", "hot"].map(kind => found?.[kind]).find(one => measured(one) && one.effective_gbps !== null);
    return part?.[member] ?? null;
  },
  text
});
const FIGURES = [
  timing("cold"), timing("hot"), rate("pin.gbps", "effective_gbps", bandwidth),
  rate("pin.of_peak", "of_peak", part => percent(part, 1)), {
    name: "pin.requested",
    value: ({bandwidth: {requested_bytes: asked}}) => asked ? asked.load + asked.store + (asked.atomic ?? 0) : null,
    text: bytes,
    counted: true
  },
  {
    name: "pin.moved",
    value: ({bandwidth: {sector_bytes: moved}}) => measured(moved) ? moved.load + moved.store : null,
    text: bytes,
    counted: true
  },
  {
    name: "pin.dram",
    value: ({bandwidth: {dram_bytes: moved}}) => measured(moved) ? moved.read + moved.write : null,
    text: bytes,
    counted: true
  },
  {
    name: "pin.occupancy",
    value: ({occupancy}) => measured(occupancy) ? occupancy.theoretical : null,
    text: part => percent(part, 1),
    counted: true
  }
];

/* "1.054", or with the range that both intervals leave it: "1.054, 1.051 to 1.057". */
function ratioText(figure, here, there) {
  const value = figure.value(here) / figure.value(there);
  if (figure.counted || !figure.range) return fixed(value, 3);
  const [low, high] = figure.range(here), [from, to] = figure.range(there);
  if (low === null || !(from > 0)) return fixed(value, 3);
  const least = low / to, most = high / from, places = Math.min(4, placesOf((most - least) / 2));
  return [
    fixed(value, places), " ",
    h("span", {class: "quiet"}, `${fixed(least, places)} ${t("interval.to")} ${fixed(most, places)}`)
  ];
}

function rowOf(figure, here, there, unstable) {
  const values = [here, there].map(one => figure.value(one));
  if (values.every(value => value === null)) return null;
  const text = (value, result) => value === null ? noValue() : figure.text(value, result),
        known = values.every(value => value !== null) && values[1] !== 0;
  return h(
    "tr", {}, h("th", {scope: "row"}, t(figure.name)), numberCell(text(values[1], there)),
    numberCell(text(values[0], here)),
    numberCell(
      unstable && !figure.counted ? noValue(unstable) :
        known                     ? ratioText(figure, here, there) :
                                    noValue()));
}

const nameOf = ({id, request}) =>
  h("a", {href: link(`experiments/${id}`)}, h("code", {}, request.kernel), " ", askedText(request));

/* The page that compares the two, although they differ in these fields. */
function compareLink(here, there) {
  const names = differing(here.request, there.request);
  return link(`compare?a=${there.id}&b=${here.id}${names.length ? `&but_for=${names.join(",")}` : ""}`);
}

function figuresShow(place, here, there) {
  const loose = [["pin.unstable_there", there], ["pin.unstable_here", here]]
                  .filter(([, one]) => !one.stability.stable)
                  .map(([key]) => t(key)),
        unstable = loose.length ? [...loose, t("pin.nothing_follows")].join(t("punct.space")) : null;
  replace(
    place, h("p", {}, nameOf(there)), differences(here, there).map(text => h("p", {class: "note differs"}, text)),
    unstable && h("p", {class: "warn note"}, "△\u00a0", unstable),
    table(
      t("pin.title"),
      [
        headCell(t("pin.figure")), headCell(t("pin.there"), true), headCell(t("pin.here"), true),
        headCell(t("pin.ratio"), true)
      ],
      FIGURES.map(figure => rowOf(figure, here, there, unstable)).filter(Boolean)),
    h("p", {class: "note"}, t("pin.note"), " ", h("a", {href: compareLink(here, there)}, t("pin.compare"))));
}

export function baselinePanel(id, {signal, onUnpin, onCompare}) {
  const place = h("div", {class: "baseline"}), node = panel(12, t("pin.title"), null, place);
  const unpin = button(t("pin.unpin"), onUnpin, {small: true, key: "unpin"});
  node.querySelector("header").append(h("span", {}, unpin));
  const there = get(`/v1/experiments/${id}`, {signal});
  return {
    node,
    async show(here) {
      try {
        const found = await there;
        if (found.id === here.id)
          replace(place, h("p", {}, t("pin.itself")));
        else if (found.state === "succeeded") {
          figuresShow(place, here, found);
          onCompare(compareLink(here, found));
        } else
          replace(place, h("p", {}, nameOf(found)), h("p", {class: "note"}, t("pin.no_result")));
      } catch (error) {
        if (!signal.aborted) replace(place, h("p", {class: "note"}, t("pin.gone", {id})));
      }
    }
  };
}

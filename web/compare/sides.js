/* A side of a comparison, as the address has it: "sweep:01M...,where.offset:11", "label:node=a,since:2026-11-01",
   "device:1,kernel:copy"; several sweeps as "sweep:01M....01M...". A bare id is a sweep's or an experiment's; its end
   will do, as the lists show it.

   sideRead(text) gives its parts {sweeps, members: {...}, where: {...}}; sideText(parts) writes them; bodyOf(parts,
   signal, tables) is what POST /v1/comparisons takes; nameOf(parts, letter) a few words for it, sideWords(...) some
   more. */
import * as api from "../api.js";
import {ago} from "../parts.js";
import {rowsOf} from "../table.js";
import {t} from "../words.js";
import "./words.js";

export const LETTERS = ["a", "b"];
export const MEMBERS = ["kernel", "device", "device_uuid", "owner", "since", "until"];
/* Before the end of an id the lists have an ellipsis, which a word joiner keeps beside it. */
const ID_LENGTH = 26, ID = /^[0-9A-Z]{6,26}$/, SHORTENED = /[…\u2060]/g;

function valueOf(text) {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (/^\d+(x\d+)+$/.test(text)) return text.split("x").map(Number);
  return text === "null" ? null : text;
}

const idsOf = text => text.split(/[.+ ]/).filter(Boolean);

export function sideRead(text) {
  const parts = {sweeps: [], experiments: [], labels: {}, members: {}, where: {}};
  for (const piece of (text ?? "").replace(SHORTENED, "").split(",").map(one => one.trim()).filter(Boolean)) {
    const at = piece.search(/[:=]/), name = at < 0 ? "" : piece.slice(0, at),
          value = at < 0 ? piece : piece.slice(at + 1);
    if (name === "sweep")
      parts.sweeps.push(...idsOf(value));
    else if (name === "experiment")
      parts.experiments.push(...idsOf(value));
    else if (name === "" && ID.test(value))
      parts.bare = value;
    else if (name === "label") {
      const [key, ...rest] = value.split("=");
      parts.labels[key] = rest.join("=");
    } else if (MEMBERS.includes(name))
      parts.members[name] = name === "device" ? valueOf(value) : value;
    else if (name.startsWith("where."))
      parts.where[name.slice(6)] = valueOf(value);
    else if (name)
      parts.where[name] = valueOf(value);
    else
      parts.unread = piece;
  }
  return parts;
}

const written = value => Array.isArray(value) ? value.join("x") : String(value);

export function sideText({bare, unread, sweeps, experiments, labels, members, where}) {
  return [
    bare, unread, sweeps.length && `sweep:${sweeps.join(".")}`,
    experiments.length && `experiment:${experiments.join(".")}`,
    ...Object.entries(labels).map(([name, value]) => `label:${name}=${value}`),
    ...Object.entries(members).filter(([, value]) => value !== "" && value !== null).map(([
                                                                                           name, value
                                                                                         ]) => `${name}:${value}`),
    ...Object.entries(where).map(([name, value]) => `where.${name}:${written(value)}`)
  ].filter(Boolean)
    .join(",");
}

export const isEmpty = parts => !parts.bare && !parts.sweeps.length && !parts.experiments.length &&
  !Object.keys(parts.labels).length && !Object.keys(parts.members).length;

/* Finds the full id that ends in `end` among the 500 newest ids of these kinds. Throws an error with advice if no id or
   several ids match. */
async function whole(end, kinds, signal) {
  if (end.length === ID_LENGTH) return end;
  for (const kind of kinds) {
    const {[kind]: rows} = await api.get(`/v1/${kind}?page_size=500`, {signal}),
                   found = rows.filter(({id}) => id.endsWith(end));
    if (found.length === 1) return found[0].id;
    if (found.length) throw new Error(t("compare.several_ids", {end, n: found.length}));
  }
  throw new Error(t("compare.no_id", {end}));
}

export const hasShortId = ({unread, bare, sweeps, experiments}) =>
  Boolean(unread ?? bare) || [...sweeps, ...experiments].some(id => id.length < ID_LENGTH);

/* Its ids in full. An id alone is of a sweep, or of an experiment, which stands for the sweep that it is a run of. */
export async function sideFound(short, signal) {
  if (short.unread) throw new Error(t("compare.unread", {text: short.unread}));
  const all = kind => Promise.all(short[kind].map(id => whole(id, [kind], signal)));
  const parts = {...short, sweeps: await all("sweeps"), experiments: await all("experiments")},
        bare = short.bare && await whole(short.bare, ["sweeps", "experiments"], signal);
  if (!bare) return parts;
  const missing = error => {
    if (error.status !== 404) throw error;
    return null;
  };
  delete parts.bare;
  if (await api.get(`/v1/sweeps/${bare}?page_size=1`, {signal}).catch(missing))
    return {...parts, sweeps: [...parts.sweeps, bare]};
  const experiment = await api.get(`/v1/experiments/${bare}`, {signal}).catch(missing);
  const sweep = experiment?.links?.sweep?.split("/").at(-1);
  if (!experiment) throw new Error(t("compare.unknown_id", {id: bare}));
  if (sweep && experiment.repeat_index !== undefined) return {...parts, sweeps: [...parts.sweeps, sweep]};
  return {...parts, experiments: [...parts.experiments, bare]};
}

/* The experiments that a side names, or if it names neither experiments nor sweeps, the newest that its other parts
   choose. Experiments that cannot be read are left out. */
export function experimentsOf(parts, signal) {
  const {sweeps, experiments, labels, members} = parts;
  if (experiments.length)
    return Promise.all(experiments.map(id => api.get(`/v1/experiments/${id}`, {signal}).catch(() => null)))
      .then(all => all.filter(Boolean));
  if (sweeps.length || isEmpty(parts)) return Promise.resolve([]);
  const query = new URLSearchParams({...members, page_size: 500}), [first, ...rest] = Object.entries(labels);
  if (first) query.set("label", first.join(":")); /* the service takes one */
  const hasRest = ({request}) => rest.every(([name, value]) => request.labels[name] === value);
  return api.get(`/v1/experiments?${query}`, {signal}).then(answer => answer.experiments.filter(hasRest), () => []);
}

/* tables: a Map that keeps which experiments a sweep has. */
export async function bodyOf({sweeps, experiments, labels, members, where}, signal, tables) {
  const body = {...members};
  if (Object.keys(labels).length) body.labels = labels;
  if (Object.keys(where).length) body.where = where;
  if (sweeps.length === 1 && !experiments.length)
    body.sweep = sweeps[0];
  else if (sweeps.length) {
    const idsOf = async id => {
      if (!tables.has(id))
        tables.set(id, rowsOf(await api.text(`/v1/sweeps/${id}.csv?columns=id`, {signal})).map(row => row.id));
      return tables.get(id);
    };
    body.experiments = [...new Set([...(await Promise.all(sweeps.map(idsOf))).flat().filter(Boolean), ...experiments])];
  } else if (experiments.length)
    body.experiments = experiments;
  return body;
}

/* "since 2026-02-03", where the side is of a time. */
const periodOf = ({members}) => ["since", "until"].filter(name => members[name]).map(name => t(`compare.${name}`, {
                                                                                       time: String(members[name])
                                                                                     }));

/* What tells the one from the other first: what only one of them asks for, its labels, its sweep. */
export function nameOf(parts, letter) {
  const where = Object.entries(parts.where).map(([name, value]) => `${name} ${written(value).replaceAll("x", "×")}`);
  if (where.length) return where.join(", ");
  const labels = Object.entries(parts.labels).map(([name, value]) => value ? `${name} ${value}` : name);
  if (labels.length) return labels.join(", ");
  const members = Object.entries(parts.members)
                    .filter(([name]) => name !== "since" && name !== "until")
                    .map(([name, value]) => `${name} ${value}`);
  return [...members, ...periodOf(parts)].join(t("list.comma")) || letter;
}

/* "read_offset of 3 min ago" of a sweep. */
export function sideWords(parts, known) {
  const sweeps = parts.sweeps.map(id => known.get(id)).filter(Boolean);
  const told =
    sweeps.slice(0, 1).map(sweep => t("compare.side_sweep", {
                             what: sweep.recipe ?? [sweep.request?.kernel ?? t("sweep.title")].flat().join(", "),
                             time: ago(sweep.submitted_at)
                           }));
  const rest = nameOf(parts, ""),
        period = Object.keys({...parts.where, ...parts.labels}).length ? periodOf(parts).join(t("list.comma")) : "";
  return [
    ...told, sweeps.length > 1 && t("compare.and_more", {n: sweeps.length - 1, words: sweeps.length - 1}), rest, period,
    parts.experiments.length && t("compare.experiments", {n: parts.experiments.length, words: parts.experiments.length})
  ].filter(Boolean)
    .join(", ");
}

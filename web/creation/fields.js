/* What /ui/new asks: the fields of a kernel, what is typed into them, and the request that follows. All that is typed
   is text, as it stands in the address; what cannot be read is sent as it is, and the service says what would have been
   right. */
import {conditionsText, integerOf, isGrouped, isGroupedAlone, shapeOf, shapeText, sizeText} from "./values.js";

/* Threads of a block that are offered, by the number of its dimensions. */
const BLOCKS = {
  1: ["64", "128", "256", "512", "1024"],
  2: ["32x8", "16x16", "32x16", "32x32"]
};
const SHAPED = ["size", "block", "grid"];
export const MEASURE = ["min_samples", "noise", "max_seconds", "quiet_s", "keep_samples"];


/* [{name, kind, unit, text, initial, place}]: kind integer, number, choice, size, shape, switch, labels, device; place
 * hand (the parameter below the kernel's text), main or more (sections of the form). There is a device field if the
 * service has several devices, or if `named` is true because the page's address names a device. */
export function fieldsOf(kernel, all = [], named = false) {
  const devices = all.filter(device => device.in_list);
  const parameters =
    kernel.parameters.map(parameter => ({
                            ...parameter,
                            kind: parameter.type === "choice" || parameter.values ? "choice" : "integer",
                            choices: parameter.choices ?? parameter.values?.map(String),
                            numeric: parameter.type === "integer",
                            initial: String(parameter.default),
                            place: "main"
                          }));
  const hand = parameters.find(parameter => parameter.name !== "load");
  if (hand) hand.place = "hand";
  const load = parameters.filter(parameter => parameter.name === "load"),
        others = parameters.filter(parameter => parameter !== hand && parameter.name !== "load");
  const {defaults} = kernel;
  return [
    ...(hand ? [hand] : []),
    {name: "size", kind: "size", unit: "elements", initial: sizeText(defaults.size), place: "main"},
    ...others,
    {
      name: "block",
      kind: "shape",
      unit: "threads",
      initial: shapeText(defaults.block),
      offered: BLOCKS[kernel.block_dims] ?? BLOCKS[1],
      place: "main"
    },
    {name: "dtype", kind: "choice", choices: kernel.dtypes, initial: defaults.dtype, place: "main"},
    ...load,
    {name: "counters", kind: "switch", initial: "false", place: "main"},
    {name: "grid", kind: "shape", unit: "grid", initial: "", place: "more"},
    {name: "shared_bytes", kind: "integer", unit: "bytes", initial: "0", place: "more"},
    {name: "transfers", kind: "choice", choices: ["none", "pageable", "pinned"], initial: "none", place: "more"},
    {name: "repeat", kind: "integer", single: true, initial: "1", place: "more"},
    {name: "placement", kind: "choice", single: true, choices: ["keep", "new"], initial: "", place: "more"},
    {name: "min_samples", kind: "integer", single: true, initial: "30", place: "more"},
    {name: "noise", kind: "number", single: true, initial: "0.01", place: "more"},
    {name: "max_seconds", kind: "number", single: true, unit: "seconds", initial: "1", place: "more"},
    {name: "quiet_s", kind: "number", single: true, unit: "seconds", initial: "", place: "more"},
    {name: "keep_samples", kind: "switch", initial: "false", place: "more"},
    {name: "timeout_s", kind: "number", unit: "seconds", initial: "60", place: "more"},
    {name: "priority", kind: "integer", single: true, initial: "0", place: "more"},
    {name: "labels", kind: "labels", single: true, initial: "", place: "more"},
    ...(devices.length > 1 || named ? devicesFields(devices) : []),
  ];
}

/* One of them, any, or what it must be, where they are of several kinds; empty: as the operator says. */
function devicesFields(devices) {
  const names = devices.map(device => device.device_name),
        archs = [...new Set(devices.map(device => device.arch).filter(Boolean))];
  return [
    {
      name: "device",
      kind: "device",
      choices: ["", "any", ...(archs.length > 1 ? archs.map(arch => `arch=${arch}`) : []), ...names],
      several: names,
      about: Object.fromEntries(devices.map(device => [device.device_name, device.name])),
      initial: "",
      place: "main"
    },
    {name: "spread", kind: "switch", initial: "false", place: "main"}
  ];
}

/* The most runs of a sweep: its points times its rounds. */
export const RUNS_MAX = 10000;

const RANGE = /^(-?\d+)\s*\.\.\s*(-?\d+)(?:\s+(step|by)\s+x?(-?\d+))?$/;

/* A range as the service takes it, of plain integers: "2^18..1Mi by x2" as "262144..1048576 by x2". */
const rangePlain = text => text.trim().replace(/\b\d+(\^\d+|[KMG]i|[kMG])(?![\w^])/g, integerOf);

/* Returns the values of a range such as "0..128 step 8"; null: the text is no range. Of a range with more than RUNS_MAX
 * values, it returns the first RUNS_MAX + 1. */
export function rangeValues(text) {
  const match = RANGE.exec(rangePlain(text));
  if (!match) return null;
  const [, from, to, how, by] = match, values = [], factor = how === "by";
  if (factor ? Number(by) < 2 || Number(from) < 1 : Number(by) < 1) return null;
  for (let value = Number(from); value <= Number(to) && values.length <= RUNS_MAX;
       value = factor ? value * Number(by) : value + Number(by ?? 1))
    values.push(value);
  return values;
}

const COMMA = /\s*[，、]\s*/g;

/* Splits a list at its commas. "1,024, 2,048" is two numbers with thousands separators, because only the comma between
 * the numbers is followed by a blank. "64,128, 256" and "1,024,2,048" can be read in two ways: then `unclear` is true.
 */
function listOf(text) {
  const parts = one => one.split(",").map(part => part.trim()).filter(Boolean),
        wide = text.split(/,\s+/).filter(Boolean);
  if (wide.length > 1 && wide.some(isGrouped) && wide.every(part => isGroupedAlone(part) || !part.includes(",")))
    return {parts: wide};
  const each = parts(text), begun = each.some(part => /^0\d\d$/.test(part));
  return {parts: each, unclear: begun || wide.length > 1 && wide.some(isGrouped)};
}

/* The list as the address stores it: without blanks, unless it would be read in another way without them. */
export function listShort(text) {
  const short = text.trim().replace(/\s*,\s*/g, ",");
  return /,\S/.test(text) || isGroupedAlone(short) ? text.trim() : short;
}

/* True if the list can be read in two ways. */
export const listUnclear = text => listOf(text.trim().replace(COMMA, ", ")).unclear ?? false;

/* Returns the first part of a list that begins as a range and is none, or an empty one: "0..8 step" and "9..2"; or
 * undefined. */
export const rangeWrong = text => text.split(/[,，、]/)
                                    .map(part => part.trim())
                                    .find(part => /^-?\d[\w^]*\s*\.\./.test(part) && !rangeValues(part)?.length);

function oneOf(field, text) {
  if (field.kind === "number") return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  if (field.kind === "size" || field.kind === "shape") return shapeOf(text);
  return field.kind === "integer" || field.numeric ? integerOf(text) : text;
}

const labelPairs = text =>
  text.split(/,|[，、](?=\s*[\w.-]+\s*[=:])/).map(pair => pair.trim()).filter(Boolean).map(pair => {
    const at = pair.search(/[:=]/);
    return at < 0 ? [pair, null] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
const labelsOf = text => Object.fromEntries(labelPairs(text).map(([name, value]) => [name, value ?? ""]));

/* The first that is not name=value or name:value, as a text, or {twice: name}; null: all are, each once. */
export function labelsWrong(text) {
  const names = new Set();
  for (const [name, value] of labelPairs(text)) {
    if (value === null || value.includes("=") || !/^[\w.-]+$/.test(name))
      return value === null ? name : `${name}=${value}`;
    if (names.has(name)) return {twice: name};
    names.add(name);
  }
  return null;
}

/* "h200", "0", "any"; "arch=sm_90,memory_bytes=2^36": all of these; "h200-1, h200-2": an axis. */
function deviceOf(text) {
  const items = text.split(/[,，、]/).map(part => part.trim()).filter(Boolean);
  if (items.length && items.every(one => one.includes("=")))
    return {
      value: Object.fromEntries(
        items.map(one => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)])
          .map(([name, value]) => [name, value === "true" || (name === "memory_bytes" ? integerOf(value) : value)])),
      values: null
    };
  const values = items.flatMap(one => rangeValues(one) ?? [integerOf(one)]);
  return {value: values[0], values: values.length > 1 ? values : null};
}

/* {value, values}: values is null unless it is an axis; value is then the first of them. */
export function read(field, text) {
  const clean = field.kind === "labels" ? text.trim() : text.trim().replace(COMMA, ", ");
  if (field.kind === "switch") return {value: clean === "true", values: null};
  if (field.kind === "device") return deviceOf(clean);
  if (field.kind === "labels") return {value: labelsOf(clean), values: null};
  if (field.single) return {value: oneOf(field, clean), values: null};
  const range = rangeValues(clean);
  if (range?.length) return {value: range[0], values: range, written: rangePlain(clean)};
  if (!clean.includes(",") || isGroupedAlone(clean)) return {value: oneOf(field, clean), values: null};
  const values = listOf(clean).parts.flatMap(part => rangeValues(part) ?? [oneOf(field, part)]);
  return values.length > 1 ? {value: values[0], values} : {value: values[0] ?? clean, values: null};
}

/* {one: the request of the first point, all: with its axes, points, axes: names, values: of each axis, by name}.
 * `typed` holds what is not as it is by default. */
export function requestOf(kernel, fields, typed) {
  const one = {kernel: kernel.name}, all = {kernel: kernel.name}, axes = [], listed = {};
  let points = 1;
  for (const field of fields) {
    const text = typed[field.name];
    if (text === undefined || text.trim() === "") continue;
    const {value, values, written} = read(field, text);
    const into = MEASURE.includes(field.name) ? [one.measure ??= {}, all.measure ??= {}] : [one, all];
    into[0][field.name] = value;
    into[1][field.name] = values ? written ?? values : value;
    if (values) {
      axes.push(field.name);
      listed[field.name] = values;
      points *= values.length;
    }
  }
  const sweep = axes.length > 0 || Number(one.repeat) > 1;
  /* A shape in a sweep is listed: a flat list would be an axis of numbers. */
  if (sweep)
    for (const name of SHAPED)
      if (Array.isArray(one[name]) && !axes.includes(name)) all[name] = [one[name]];
  delete one.spread;
  if (!sweep) delete all.spread;
  if (all.spread) one.device ??= all.device ??= "any";
  return {one, all, points, axes, sweep, values: listed};
}

/* The field that a pointer of the service's answer means. */
export function fieldOfPointer(pointer) {
  const [first, second] = pointer.replace(/^#\//, "").split("/");
  return first === "measure" ? second ?? first : first;
}

/* ---- the same, typed ---- */

const word = value => Array.isArray(value) ? value.join("x") : String(value);
const quoted = text => /^[\w.,:=@%+/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

function commandPair(name, value) {
  if (name === "labels") return Object.entries(value).map(([label, text]) => quoted(`label.${label}=${text}`));
  if (name === "measure") return Object.entries(value).map(([part, number]) => quoted(`measure.${part}=${number}`));
  if (name === "spread") return ["--spread"];
  if (name === "device")
    return [
      `--device ${quoted(typeof value === "object" && !Array.isArray(value) ? conditionsText(value) : String(value))}`
    ];
  return [quoted(`${name}=${
    Array.isArray(value) && (name !== "size" && name !== "block" && name !== "grid" || Array.isArray(value[0])) ?
      value.map(word).join(",") :
      word(value)}`)];
}

export function commandOf({all, one, axes, sweep}) {
  const words = Object.entries(all)
                  .filter(([name]) => name !== "kernel")
                  .flatMap(
                    ([name, value]) => axes.includes(name) && Array.isArray(value) && name !== "device" ?
                      [quoted(`${name}=${value.map(word).join(",")}`)] :
                      commandPair(name, value));
  return ["coalesce", sweep && axes.length ? "sweep" : "run", one.kernel, ...words];
}

/* JSON on one line, with blanks as people write it. */
const json = value => Array.isArray(value) ?
  `[${value.map(json).join(", ")}]` :
  value && typeof value === "object" ?
  `{${Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${json(part)}`).join(", ")}}` :
  JSON.stringify(value);

export function curlOf({all, sweep}, root, token) {
  const lines = [`curl -s ${root}v1/${sweep ? "sweeps" : "experiments"} -H 'Prefer: wait=${sweep ? 60 : 30}'`];
  if (token) lines.push(`  -H "Authorization: Bearer $TOKEN"`);
  lines.push("  -H 'Content-Type: application/json'", `  -d '${json(all).replaceAll("'", "'\\''")}'`);
  return lines.join(" \\\n");
}

/* Names of a sweep's points and axes. */
import {count, shape} from "../format.js";
import {t} from "../words.js";
import {shapeOf} from "./data.js";
import {isAxis, listOf} from "./request.js";
import "./words.js";

export const valueText = value => value === null || value === undefined ? t("sweep.default") :
  typeof value === "number"                                             ? count(value) :
  /^\d+x\d+/.test(value)                                                ? shape(shapeOf(value)) :
                                                                          String(value);

/* "read_offset" of a kernel, "offset 11" of others. */
export const namedValue = (name, value) => name === "kernel" ? String(value) : `${name} ${valueText(value)}`;

export const pointText = point => Object.entries(point.values)
                                    .filter(([name, value]) => name !== "device" || value !== null)
                                    .map(([name, value]) => namedValue(name, value))
                                    .join(", ");

/* Fields that are no parameters, or are written first. */
const UNNAMED = new Set([
  "kernel",    "recipe", "size",     "counters",  "measure",   "device",    "labels",
  "repeat",    "spread", "priority", "timeout_s", "transfers", "placement", "tolerance",
  "reference", "show",   "source",   "arguments", "threads",   "constants", "entry"
]);

/* The values that are the same for all points of a sweep: "1,048,576 × f32, block 512", or "size 1,048,576" where the
   request names no dtype. */
export function commonText(request, values) {
  const shared = name => isAxis(name, request[name], values) ? null : listOf(name, request[name], values)[0] ?? null;
  const written = value => Array.isArray(value) ? shape([...value, 1].slice(0, 3)) : value, size = shared("size"),
        dtype = shared("dtype"), sized = typeof size === "number" ? count(size) : size && written(size);
  return [
    sized && (dtype ? `${sized}\u00a0×\u00a0${dtype}` : `size ${sized}`),
    ...Object.keys(request)
      .filter(name => !UNNAMED.has(name) && shared(name) !== null && !(name === "dtype" && sized))
      .map(name => `${name} ${written(shared(name))}`),
    request.counters && t("sweep.with_counters")
  ].filter(Boolean)
    .join(", ");
}

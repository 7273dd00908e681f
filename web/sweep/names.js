/* Names of a sweep's points and axes. */
import {count, shape} from "../format.js";
import {t} from "../words.js";
import {shapeOf} from "./data.js";

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

/* What all of its points share: "1,048,576 × f32, block 512". */
export function commonText(request) {
  const shown = Object.entries(request).filter(
    ([name, value]) => ["dtype", "block", "grid", "offset", "stride", "unroll", "load", "order", "tile"].includes(
                         name) &&
      !isAxis(name, value) && value !== null);
  const size = request.size === undefined || isAxis("size", request.size) ? null :
    Array.isArray(request.size)                                           ? shape([...request.size, 1].slice(0, 3)) :
                                                                            count(request.size);
  return [
    size && (request.dtype && typeof request.dtype === "string" ? `${size}\u00a0×\u00a0${request.dtype}` : size),
    ...shown.filter(([name]) => name !== "dtype" || !size)
      .map(([name, value]) => `${name} ${Array.isArray(value) ? shape(value) : value}`),
    request.counters && t("sweep.with_counters")
  ].filter(Boolean)
    .join(", ");
}

const isAxis = (name, value) => typeof value === "string" && value.includes("..") ||
  Array.isArray(value) && !(name === "size" && value.length === 2 && value.every(one => typeof one === "number"));

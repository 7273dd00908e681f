/* The fields of a sweep's request. A flat list in size is one shape where the kernel has two dimensions, and an axis of
   numbers where it has one: `values`, those of one of its points, tell which. listOf(name, value, values) are the
   values of a field that is a list, each a number, a text or a shape; isAxis(...): it has several of them;
   listText(...) writes them as they are typed: "64,128", "32x8,16x16". */
export const isRange = value => typeof value === "string" && value.includes("..");

export function listOf(name, value, values = {}) {
  if (!Array.isArray(value)) return [value];
  return name === "size" && Array.isArray(values.size) && value.every(one => typeof one === "number") ? [value] : value;
}

export const isAxis = (name, value, values) => isRange(value) || listOf(name, value, values).length > 1;

export const listText = (name, value, values) =>
  listOf(name, value, values).map(one => Array.isArray(one) ? one.join("x") : one).join(",");

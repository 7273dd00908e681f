/* Values of a request: as they are typed into a field, and as the address of /ui/new has them. */

const INTEGER = /^-?\d+$/;

/* As the command takes them (client/parameters/parameters.c). */
const SUFFIXES = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  k: 1e3,
  M: 1e6,
  G: 1e9
};

/* True for a number with thousands separators, "1,048,576". "128,256" may also be a list of two values; a group that
 * begins with 0 cannot. */
export const isGrouped = text => /^\d{1,3}(,\d{3})+$/.test(text);
export const isGroupedAlone = text => isGrouped(text) && /,0/.test(text);

/* Reads 4096, 1,000, 2^12, 1 << 12, 4Ki, 4 Ki or 1e6 as a number. Any other text is returned unchanged, and the service
 * reports the error. */
export function integerOf(text) {
  const power = /^(\d+)\^(\d+)$/.exec(text);
  if (power) return Number(power[1]) ** Number(power[2]);
  const shift = /^(\d+) *<< *(\d+)$/.exec(text);
  if (shift) return Number(shift[1]) * 2 ** Number(shift[2]);
  if (/^\d+(\.\d+)?e\d+$/i.test(text) && Number.isInteger(Number(text))) return Number(text);
  const [, digits, suffix] = /^(\d+) *([KMG]i|[kMG])$/.exec(text) ?? [];
  if (digits) return Number(digits) * SUFFIXES[suffix];
  if (isGrouped(text)) return Number(text.replaceAll(",", ""));
  return INTEGER.test(text) ? Number(text) : text;
}

/* 256 or "32x8", a list then. */
export function shapeOf(text) {
  if (/^0x/i.test(text)) return text;
  const parts = text.split(/\s*[x×]\s*/).map(integerOf);
  if (parts.includes("")) return text;
  return parts.length > 1 ? parts : parts[0];
}

export const shapeText = sizes => sizes.slice(0, sizes[2] > 1 ? 3 : sizes[1] > 1 ? 2 : 1).join("x");

/* The block and the warp in it, of a warp of the launch. */
export const placeOf = (warp, perBlock) => ({block: Math.floor(warp / perBlock), warp: warp % perBlock});

const ELEMENT_BYTES = {
  f32: 4,
  f64: 8,
  i32: 4,
  u8: 1,
  u16: 2
};

export const elementBytes = dtype => ELEMENT_BYTES[dtype] ?? 4;
export const sizeText = size => Array.isArray(size) ? size.join("x") : String(size);
export const conditionsText = choice => Object.entries(choice).map(pair => pair.join("=")).join(",");

/* Returns the query of /ui/new that fills in the form with this request. It has the grid only when withGrid is true,
 * and no priority above 100, which only an admin may give. */
export function queryOf(request, withGrid = false) {
  const query = new URLSearchParams(), put = (name, value) => query.set(name, value);
  for (const [name, value] of Object.entries(request)) {
    if (name === "grid" && !withGrid || value === null || name === "priority" && (!value || value > 100)) continue;
    /* What one run has unless something else is asked for: several runs are placed anew then. */
    if (name === "placement" && value === "keep" && !(request.repeat > 1)) continue;
    if (name === "measure")
      Object.entries(value).forEach(([part, number]) => put(part, number));
    else if (name === "labels") {
      if (Object.keys(value).length) put(name, Object.entries(value).map(pair => pair.join(":")).join(","));
    } else if (name === "block" || name === "grid")
      put(name, shapeText([value].flat()));
    else if (name === "device" && !Array.isArray(value) && typeof value === "object")
      put(name, conditionsText(value));
    else
      put(name, name === "size" ? sizeText(value) : String(value));
  }
  return query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
}

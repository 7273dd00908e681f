/* Numbers as the page writes them: units behind a no-break space, separators from five digits on, digits that mean
   something. All give texts; what is missing is not written here but with noValue() of words.js. */

const NB = "\u00a0";

/* 3254, 20,971,516: whole and never rounded. */
export function count(value) {
  const text = String(Math.round(value));
  return Math.abs(value) < 10000 ? text : text.replace(/\B(?=(\d{3})+$)/g, ",");
}

/* At most that many digits that count; whole numbers keep all of theirs. */
export function digits(value, significant = 4) {
  if (value === 0) return "0";
  const places = Math.max(0, significant - 1 - Math.floor(Math.log10(Math.abs(value))));
  const text = value.toFixed(Math.min(places, 12));
  const [whole, part] = text.split(".");
  const grouped = whole.replace("-", "").length < 5 ? whole : whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part ? `${grouped}.${part}` : grouped;
}

/* A value of an array with at most that many digits, from 17 on with all. A whole number has all of its, and what is no
   number is a text already. */
export const significant = (value, most) => typeof value === "number" && !Number.isInteger(value) && most < 17 ?
  String(Number(value.toPrecision(most))) :
  String(value);

/* So many places after the point, but more where that would write what is not 0 as 0: "0.03". */
export function fixed(value, places) {
  const text = value.toFixed(places), size = Math.abs(value);
  return Number(text) || !size ? text : value.toFixed(Math.min(100, -Math.floor(Math.log10(size))));
}

/* How many places after the point say no more than an interval that wide does. */
export function placesOf(halfWidth) {
  return halfWidth > 0 ? Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(halfWidth)))) : 6;
}

/* Microseconds: "337 ns", "247.5 µs", "12.35 ms". */
export function time(us, significant = 4) {
  if (us < 1) return digits(us * 1e3, significant) + NB + "ns";
  if (us < 1e5) return digits(us, significant) + NB + "µs";
  return us < 1e7 ? digits(us / 1e3, significant) + NB + "ms" : digits(us / 1e6, significant) + NB + "s";
}

/* Seconds that lie ahead or are over, with one digit: "0.5 s", "12 s", "3 min". */
export function duration(seconds) {
  const [one, minutes, hours, days] =
    document.documentElement.lang.startsWith("zh") ? ["秒", "分钟", "小时", "天"] : ["s", "min", "h", "d"];
  if (seconds < 0.95) return Math.max(0.1, seconds).toFixed(1) + NB + one;
  if (seconds < 100) return Math.round(seconds) + NB + one;
  if (seconds < 5400) return Math.round(seconds / 60) + NB + minutes;
  return seconds < 36 * 3600 ? Math.round(seconds / 3600) + NB + hours : Math.round(seconds / 86400) + NB + days;
}

/* How long it was from one moment to the other, as the service writes them: "4 ms", else as duration(). */
export function between(begin, end) {
  const ms = Date.parse(end) - Date.parse(begin);
  return ms < 100 ? ms + NB + "ms" : duration(ms / 1e3);
}

/* GB/s are 10^9 bytes a second. */
export function bandwidth(gbps) {
  return digits(gbps) + NB + "GB/s";
}

/* Of a fraction: with one place below 10 % and for an exact half (6.3 %, 12.5 %), without places otherwise. What is not
   the whole is never written as 100, what is not nothing never as 0. */
export function percent(fraction, places = Number.isInteger(fraction * 200) || Math.abs(fraction) < 0.1 ? 1 : 0) {
  let text = fixed(fraction * 100, places);
  for (let more = places + 1; Number(text) === 100 && fraction !== 1 && more < 12; more++)
    text = (fraction * 100).toFixed(more);
  if (places && Number(text) === Number(fraction * 100).valueOf() && Number.isInteger(Number(text)))
    text = String(Number(text));
  return text + NB + "%";
}

/* "128 B", "134.2 MB" (10^6). */
export function bytes(value) {
  if (value < 10000) return count(value) + NB + "B";
  if (value < 1e6) return digits(value / 1e3) + NB + "kB";
  return value < 1e10 ? digits(value / 1e6) + NB + "MB" : digits(value / 1e9) + NB + "GB";
}

export function ratio(value) {
  return fixed(value, 3);
}

/* How a value with its interval is written, here and by the command (client/terminal/number.c): {places, side}. `side`
   stands behind "±": the longer side, where the sides differ by no more than a twentieth of it and "±" does not reach
   beyond 0 where the interval does not; else null. Digits go down to the first of the longer side, or to the second
   where the first is 1. */
export function intervalForm(value, low, high) {
  const below = value - low, above = high - value, side = Math.max(below, above), size = Math.abs(value),
        most = size > 0 && size < 1000 ? Math.min(9, 3 - Math.floor(Math.log10(size))) : 0,
        exponent = Math.floor(Math.log10(side)), even = Math.abs(above - below) <= 0.05 * side * (1 + 1e-9);
  return {
    places: side > 0 ? Math.min(most + 2, Math.max(0, (side / 10 ** exponent < 2 ? 1 : 0) - exponent)) : most,
    side: even && (side < value || low <= 0) ? side : null
  };
}

/* A bound more than FAR_POWERS powers of ten from its value is written as the power that it is beyond. */
const FAR_POWERS = 3;

function boundText(bound, value, places) {
  const power = Math.log10(value), least = 10 ** (Math.floor(power) - FAR_POWERS),
        most = 10 ** (Math.ceil(power) + FAR_POWERS);
  if (bound > 0 && bound < least) return `<${fixed(least, 0)}`;
  return value > 0 && bound > most ? `>${fixed(most, 0)}` : fixed(bound, places);
}

/* A median with its 95 % interval, without unit: "1.054 ± 0.001", "247.36 to 247.52", or "<0.1 to >1000000". */
export function interval(median, low, high, to = "to") {
  const {places, side} = intervalForm(median, low, high);
  return side === null ? `${boundText(low, median, places)} ${to} ${boundText(high, median, places)}` :
                         `${fixed(median, places)}${NB}±${NB}${side.toFixed(places)}`;
}

/* 32 × 16 of [32, 16, 1]. */
export function shape(sizes) {
  const last = sizes[2] > 1 ? 3 : sizes[1] > 1 ? 2 : 1;
  return sizes.slice(0, last).map(count).join(`${NB}×${NB}`);
}

/* "14:05", as the reader's clock has it. */
export function timeOfDay(text, language) {
  return new Intl.DateTimeFormat(language, {timeStyle: "short"}).format(new Date(text));
}

/* A moment, as the reader's clock has it. */
export function moment(text, language) {
  return new Intl.DateTimeFormat(language, {dateStyle: "medium", timeStyle: "short"}).format(new Date(text));
}

/* What is wrong with what is typed into the form, beyond what the service says of its prediction, and how many runs it
   asks for. made: what requestOf() (fields.js) returned of it; labelsSaid(typed), deviceSaid(typed, devices) and
   rangesSaid(typed, made) return {field: a sentence}, runsText(made) the number of runs and countSaid(n, made) a number
   of points as a text. */
import {post} from "../api.js";
import {count} from "../format.js";
import {t} from "../words.js";
import {fieldOfPointer, labelsWrong, listUnclear, rangeValues, rangeWrong, RUNS_MAX} from "./fields.js";
import "./words.js";

/* How many values of an axis are checked, by asking the service. */
const CHECKED_MOST = 16;

/* The number of runs in what requestOf() returned. */
const runsOf = ({points, one}) => points * Math.max(1, Number(one.repeat) || 1);
/* The number as a text. The values of a range are counted up to RUNS_MAX only: of a longer one the text is "> 10,000".
 */
export const countSaid = (n, {values}) =>
  Object.values(values).some(some => some.length > RUNS_MAX) ? `> ${count(RUNS_MAX)}` : count(n);
export const runsText = made => countSaid(runsOf(made), made);

export function labelsSaid(typed) {
  const wrong = labelsWrong(typed.labels ?? "");
  return wrong ?
    {labels: wrong.twice ? t("new.label_twice", {text: wrong.twice}) : t("new.labels_wrong", {text: wrong})} :
    {};
}

/* Returns an error for the first typed device or architecture that the service does not have. The service itself
 * checks the other conditions (memory_bytes=...), and every architecture until those of all listed devices are known.
 */
export function deviceSaid(typed, devices) {
  const listed = devices.filter(one => one.in_list), names = listed.map(one => one.device_name).join(t("list.comma")),
        known = listed.flatMap(
          one => [one.device_name, String(one.index), `arch=${one.arch}`, one.backend === "cpu" && "arch=cpu"]),
        unsure = listed.some(one => !one.arch), isCondition = part => part.includes("="),
        text = (typed.device ?? "")
                 .split(/[,，、]/)
                 .map(part => part.trim())
                 .find(
                   part => part && part !== "any" && !known.includes(part) && !rangeValues(part) &&
                     !(isCondition(part) && (unsure || !part.startsWith("arch="))));
  return text ? {device: t("new.unknown_device", {text, names})} : {};
}

const SHAPES = new Set(["block", "grid"]);

export function rangesSaid(typed, made) {
  const said = {}, runs = runsOf(made);
  for (const [name, field] of Object.entries(typed)) {
    const text = String(field), wrong = rangeWrong(text),
          values = (made.values[name] ?? []).map(value => JSON.stringify(value)), different = new Set(values);
    if (wrong)
      said[name] = t(rangeValues(wrong) ? "new.range_wrong" : "new.range_unread", {text: wrong});
    else if (different.size < values.length)
      said[name] =
        t(SHAPES.has(name) ? "new.twice_shape" : "new.twice",
          {text: values.find((value, k) => values.indexOf(value) < k)});
    else if (name !== "labels" && listUnclear(text))
      said[name] = t("new.unclear", {text});
  }
  if (runs > RUNS_MAX)
    said[made.axes.at(-1) ?? "repeat"] ??= t("new.runs_many", {n: runsText(made), most: count(RUNS_MAX)});
  return said;
}

/* Asks the service for the values of axes but the first, which the prediction is of. Promises {sentences: {field: what
   it says of the first value that is wrong}, refusal: the whole request is refused for one}. */
export async function beyondFirst(question, values, arch, signal) {
  const asked = Object.entries(values).filter(([name]) => name !== "device").flatMap(([name, [, ...rest]]) => {
    const numbers = rest.filter(one => typeof one === "number").sort((a, b) => a - b),
          some = rest.length > CHECKED_MOST ?
      [...rest.filter(one => typeof one !== "number").slice(0, CHECKED_MOST), numbers[0], numbers.at(-1)] :
      rest;
    return [...new Set(some)].filter(one => one !== undefined).map(one => [name, one]);
  });
  const found = await Promise.all(asked.map(
    ([name, value]) =>
      post("/v1/predictions", {...question, [name]: value, arch}, {signal}).then(() => null, ({errors}) => {
        const {detail} = errors?.find(({pointer}) => fieldOfPointer(pointer) === name) ?? errors?.[0] ?? {};
        /* A sweep is refused for what is no number; a point that cannot be launched is refused alone. */
        const whole = typeof value === "string";
        return detail && [name, whole ? detail : t("new.value_refused", {detail}), whole];
      })));
  const told = found.filter(Boolean).reverse();
  return {
    sentences: Object.fromEntries(told.map(([name, sentence]) => [name, sentence])),
    refusal: told.some(([, , whole]) => whole)
  };
}

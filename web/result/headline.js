/* What a result is, in a sentence: the number that it was asked for, whether it is correct, whether it is stable. */
import {bandwidth, count, digits, percent, shape, significant, time} from "../format.js";
import {conditionsText} from "../creation/values.js";
import {language, reasonSaid, t} from "../words.js";
import "./words.js";

const measured = part => part && !part.status;
const NB = "\u00a0";

/* The device's median of one launch with empty caches, or else back to back. */
export function bestTiming(result) {
  const {timing} = result;
  if (!measured(timing)) return null;
  return ["cold", "hot"]
           .map(kind => ({kind, timing: timing[kind]}))
           .find(one => measured(one.timing) && one.timing.median_us !== null) ??
    null;
}

export function headline(result) {
  const best = bestTiming(result);
  if (!best) return {words: t("result.no_time", {why: reasonSaid(result.timing?.reason ?? "")})};
  const pace = measured(result.compute) && result.compute[best.kind];
  if (measured(pace) && pace.ns_per_operation !== null) {
    const latency = result.request.kernel === "pointer_chase";
    return {
      words: latency ? t("result.latency", {ns: digits(pace.ns_per_operation)}) :
                       t("result.compute", {gops: digits(pace.gops)})
    };
  }
  const rates = result.bandwidth[best.kind];
  if (!measured(rates) || rates.effective_gbps === null) return {words: time(best.timing.median_us)};
  const gbps = bandwidth(rates.effective_gbps), peak = result.bandwidth.peak_gbps;
  if (rates.above_peak) return {words: t("result.above_peak", {gbps}), gbps: rates.effective_gbps, peak};
  if (rates.of_peak === null || rates.of_peak === undefined)
    return {words: gbps, gbps: rates.effective_gbps, peak: null, why: reasonSaid(result.bandwidth.peak_source)};
  return {words: t("result.of_peak", {gbps, percent: percent(rates.of_peak)}), gbps: rates.effective_gbps, peak};
}

/* Which time the headline is of. */
export function timedWords(result) {
  const best = bestTiming(result);
  return best && `${t(`result.of_${best.kind}`)} `;
}

export function correctness({correctness: checked}) {
  if (!measured(checked)) return t("result.unverified", {why: reasonSaid(checked?.reason ?? "")});
  if (checked.verified) return t("result.correct", {n: count(checked.elements_checked)});
  return t("result.incorrect", {n: count(checked.mismatches), of: count(checked.elements_checked)});
}

export function mismatch({correctness: checked}) {
  const first = measured(checked) ? checked.first_mismatch : null;
  if (!first) return null;
  const word = (value, most) =>
    value === null || value === "untouched" ? t("result.nothing") : significant(value, most);
  let most = 6;  // or as many as make the two values differ
  while (most < 17 && word(first.expected, most) === word(first.found, most)) most++;
  const said = {
    where: `${first.buffer}[${count(first.index)}]`,
    expected: word(first.expected, most),
    found: word(first.found, most)
  };
  return first.line ? t("result.mismatch_line", {...said, line: first.line}) : t("result.mismatch", said);
}

export function stability({stability: seen}) {
  if (seen.stable) return t(seen.live?.status === "measured" ? "result.stable" : "result.stable_unread");
  return `△${NB}${t("result.unstable", {why: seen.reasons.map(reasonSaid).join(language() === "zh" ? "；" : "; ")})}`;
}

/* Where it ran, must run or may run. */
const placeText = ({device}, {device_name: name, device: ran}) => name ?
  [name, ran?.name].filter(Boolean).join(t("punct.comma")) :
  device === "any"                     ? t("choice.device.any") :
  device && typeof device === "object" ? conditionsText(device) :
                                         "";

/* The line above the headline: [[name, value]]. */
export function asked(request, result, parameters) {
  const size = Array.isArray(request.size) ? request.size.map(count).join(`${NB}×${NB}`) : count(request.size);
  return [
    ...parameters.filter(name => name in request).map(name => [name, String(request[name])]),
    request.dtype ? ["", `${size}${NB}×${NB}${request.dtype}`] : [t("field.size"), "size" in request ? size : ""],
    [t("field.block"), shape(request.block)],
    ...(request.load && !parameters.includes("load") ? [["load", request.load]] : []),
    ...(request.priority ? [["priority", String(request.priority)]] : []), ["", placeText(request, result)]
  ].filter(([, value]) => value);
}

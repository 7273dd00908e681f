/* Why a result took its time: whyLine(result) for its head, whyPanel(result) with the bounds, and what one change would
   bring, each to be asked for. Where the model does not apply the line has the reason, and there are no panels. */
import {link} from "../api.js";
import {h} from "../dom.js";
import {moment, percent} from "../format.js";
import {boundName, boundsFigure, explained, explainedNodes} from "../charts/bounds.js";
import {changesList} from "../charts/changes.js";
import {queryOf} from "../creation/values.js";
import {button, spanPanel as panel} from "../parts.js";
import {language, t, wordsAdd} from "../words.js";
import "../charts/words.js";

// clang-format off
wordsAdd({
  "why.title": ["Why this time", "为什么要这么久"],
  "why.aside": ["bounds by the model of an {device}, and the measured median", "{device} 模型的各项下限与实测中位数"],
  "why.shipped": ["Its constants are those shipped for an {device}.", "所用常数为随附的 {device} 常数。"],
  "why.own": ["Its constants were measured on the device itself, {when}.", "所用常数于 {when} 在此设备上测得。"],
  "why.missing": ["Why it takes that long is not known: {why}", "无法解释这一用时：{why}"],
  "why.elsewhere": ["What a GPU is predicted to take", "GPU 的预测用时"],
  "why.above": ["The prediction is {percent} above what was measured.", "预测比实测高 {percent}。"],
  "why.below": ["The prediction is {percent} below what was measured.", "预测比实测低 {percent}。"],
  "why.agree": ["The counters name the same limiter.", "计数器给出的瓶颈相同。"],
  "why.differ": ["By the counters it is {limiter}.", "按计数器，瓶颈是{limiter}。"],
});
// clang-format on

export const timeKnown = ({time}) => Boolean(time) && !time.status;

/* Where the reason for the time is not known, a link leads to the form, which predicts the time on a GPU. */
export function whyLine({time, request}) {
  if (!time) return null;
  if (time.status)
    return h(
      "p", {class: "note why"}, t("why.missing", {why: explained(time.explanation) || time.reason}), t("punct.space"),
      !request.kernel.startsWith("src-") &&
        h("a", {href: link(`new?${queryOf(request)}#predicted`)}, t("why.elsewhere")));
  return h("p", {class: "why"}, explainedNodes(time));
}

function countedText({counted}) {
  if (!counted) return null;
  const verdict = counted.agrees ? t("why.agree") :
    counted.limiter              ? t("why.differ", {limiter: boundName(counted.limiter)}) :
                                   "";
  return h(
    "p", {class: "note metrics"}, counted.agrees === false && h("span", {class: "warn"}, "≠ "), verdict, " ",
    explained(counted.why));
}

const whoseText = ({calibration: whose, device_name: device}) =>
  whose === "shipped" ? t("why.shipped", {device}) : t("why.own", {when: moment(whose, language())});

export function whyPanel({time}) {
  const {error_pct: error} = time, apart = Math.abs(error) / 100;
  return {
    node: panel(
      7, t("why.title"), t("why.aside", {device: time.device_name}), boundsFigure(() => time, true).node,
      h("p", {class: "note"}, whoseText(time)),
      typeof error === "number" &&
        h("p", {class: "note"}, t(error < 0 ? "why.below" : "why.above", {percent: percent(apart, 1)})),
      countedText(time))
  };
}

/* run(body) submits a sweep; null: nobody may. */
export function changesPanel({time, request}, withGrid, run) {
  const {what_if: changes, check} = time;
  if (!changes) return null;
  return {
    node: panel(
      5, t("change.title"), changes.length ? t("change.aside") : null,
      changes.length ? changesList(time, request, withGrid) : h("p", {class: "note"}, t("change.none")),
      check && run && h("div", {class: "row"}, button(t("change.check"), () => run(check))))
  };
}

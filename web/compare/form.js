/* The two sides to choose: recent sweeps and experiments by a list, or what all runs of a side have in common.
   sideForm(letter, now, {sweeps, experiments}, change) is one of them, now() its parts; optionsForm(...) what holds for
   both. */
import {h} from "../dom.js";
import {count} from "../format.js";
import {ago, askedText, labelText} from "../parts.js";
import {t} from "../words.js";
import {commonText} from "../sweep/names.js";
import {MEMBERS, sideRead, sideText} from "./sides.js";
import "./words.js";

const sweepText = sweep => {
  const {request} = sweep, what = sweep.recipe ?? [request?.kernel ?? ""].flat().join(", ");
  const labels = Object.entries(request?.labels ?? {}).map(label => labelText(...label)),
        whose = [...labels, sweep.owner].filter(Boolean).map(one => ` · ${one}`).join("");
  const fixed = request && !sweep.recipe ? commonText(request, sweep.points?.[0]?.values) : "";
  return `${what || sweep.id.slice(-6)} · ${fixed && `${fixed} · `}${
    t("compare.points", {n: count(sweep.point_count), words: sweep.point_count})}${
    sweep.repeat > 1 ? ` × ${count(sweep.repeat)}` :
                       ""}${whose} · ${t("device.ago", {time: ago(sweep.submitted_at)})} · ${sweep.id.slice(-6)}`;
};

const experimentText = ({
  id,
  request,
  submitted_at: at
}) => [request.kernel, askedText(request), t("device.ago", {time: ago(at)}), id.slice(-6)].filter(Boolean).join(" · ");

/* Begins the option's value of an experiment; the value of a sweep is its id. */
const OF_EXPERIMENT = "experiment:";

const chosenOf = text => text.startsWith(OF_EXPERIMENT) ?
  {sweeps: [], experiments: [text.slice(OF_EXPERIMENT.length)]} :
  {sweeps: text ? [text] : [], experiments: []};

export function sideForm(letter, now, {sweeps, experiments}, change) {
  const parts = now(), id = name => `side-${letter}-${name}`,
        ran = experiments.find(one => String(parts.experiments) === one.id);
  const one = parts.sweeps.length === 1 ? parts.sweeps[0] : ran ? OF_EXPERIMENT + ran.id : "";
  const put = edit => change(sideText(edit(structuredClone(now()))));
  const choice =
    h("select", {
      id: id("sweep"),
      value: one,
      data: {key: id("sweep")},
      onchange: event => put(now => ({...now, ...chosenOf(event.target.value)}))
    },
      h("option", {value: ""},
        parts.sweeps.length > 1    ? t("compare.sweeps", {n: count(parts.sweeps.length)}) :
          parts.experiments.length ? t("compare.experiments",
                                       {n: count(parts.experiments.length), words: parts.experiments.length}) :
                                     t("compare.no_sweep")),
      one && !ran && !sweeps.some(sweep => sweep.id === one) && h("option", {value: one}, one),
      sweeps.map(sweep => h("option", {value: sweep.id}, sweepText(sweep))),
      sweeps.length > 0 && h("option", {disabled: true}, t("compare.older")),
      experiments.length > 0 &&
        h("optgroup", {label: t("nav.experiments")},
          experiments.map(run => h("option", {value: OF_EXPERIMENT + run.id}, experimentText(run)))));
  const rest = sideText({...parts, sweeps: [], experiments: []});
  const field = h("input", {
    id: id("rest"),
    type: "text",
    value: rest,
    spellcheck: "false",
    autocomplete: "off",
    placeholder: t("compare.rest_example"),
    "aria-describedby": "compare-syntax",
    data: {key: id("rest")},
    onchange: event => put(now => {
      const read = sideRead(event.target.value), named = read.sweeps.length || read.experiments.length || read.bare;
      return named ? read : {...read, sweeps: now.sweeps, experiments: now.experiments};
    })
  });
  return h(
    "fieldset", {class: "side"}, h("legend", {}, t("compare.side", {letter})),
    h("div", {class: "side-row"}, h("label", {for: id("sweep")
      }, t("compare.sweep")), choice), h("div", {class: "side-row"}, h("label", {for: id("rest")
                                         }, t("compare.rest")), field));
}

export function optionsForm(query, put) {
  const field = (name, words, value, attributes) =>
    h("span", {class: "field"}, h("label", {for: `option-${name}`
      }, words), h("input", {
        id: `option-${name}`,
        type: "text",
        value,
        spellcheck: "false",
        size: "10",
        data: {key: `option-${name}`},
        onchange: ({target}) => target.reportValidity() && put(name, target.value.trim()),
        ...attributes
      }));
  return [
    field("but_for", t("compare.but_for"), query.get("but_for") ?? "", {placeholder: "offset"}),
    field("same", t("compare.same_within"), query.get("same") ?? "0.5", {type: "number", min: 0, max: 50, step: "any"})
  ];
}

export const syntax = () =>
  h("p", {class: "note", id: "compare-syntax"}, t("compare.syntax", {members: MEMBERS.join(", ")}));

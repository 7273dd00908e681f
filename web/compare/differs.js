/* In what the two sides of a comparison differ. differsPanel(comparison): beside what may differ;
   apartPanel(comparison, allow): where no point is on both sides, the fields that keep them apart, with a button that
   allows them to differ; butFor(comparison, name): a field that may, with the values of both sides. */
import {h} from "../dom.js";
import {count} from "../format.js";
import {button} from "../parts.js";
import {language, t} from "../words.js";
import {valueText} from "./table.js";
import "./words.js";

const sideValues = values => values.length ?
  values
    .map(
      ({value, runs}) => `${value === null ? t("no_value") : valueText(value)}${
        values.length > 1 ? ` (${t("compare.runs", {n: count(runs), words: runs})})` : ""}`)
    .join(", ") :
                            t("no_value");

const valuesOf = values => values.map(({value}) => value === null ? t("no_value") : valueText(value)).join(", ");

/* How many runs asked for newly allocated arrays. */
const sidePlaced = values => {
  const runsOf = some => count(some.reduce((sum, {runs}) => sum + runs, 0));
  return t("compare.placed", {n: runsOf(values.filter(({value}) => value === "new")), of: runsOf(values)});
};

/* When A and B were measured; to the millisecond, where seconds say the same of both. */
const MEASURED_FORMS = [
  {dateStyle: "short", timeStyle: "medium"},
  {hour: "numeric", minute: "numeric", second: "numeric", fractionalSecondDigits: 3}
];

export function measuredRow(a, b) {
  const texts = MEASURED_FORMS.map(form => {
    const said = new Intl.DateTimeFormat(language(), form);
    return [a, b].map(([{value}]) => said.formatRange(...value.split("/").map(at => new Date(at))));
  });
  const [first, second] = texts.find(([one, other]) => one !== other) ?? texts.at(-1);
  return h(
    "div", {}, h("dt", {}, t("compare.measured_at")),
    h("dd", {}, "A ", first, t("punct.semicolon"), "B ", second, t("punct.stop"), t("compare.in_turns")));
}

export function butFor({differs}, name) {
  const found = differs.find(({field}) => field === `request.${name}`);
  return [h("strong", {}, name), found && ` (A ${valuesOf(found.a)}, B ${valuesOf(found.b)})`];
}

const apartValues = ({count: n, values}) =>
  `${values.map(value => value === null ? t("no_value") : valueText(value)).join(", ")}${
    n > values.length ? ` ${t("queue.more", {n: count(n - values.length)})}` : ""}`;

export function apartPanel({apart, but_for}, allow) {
  if (!apart.length) return h("p", {class: "differs"}, t("compare.apart_in_none"));
  const names = apart.map(({field}) => field);
  return h(
    "div", {class: "differs warned"},
    h("p", {}, h("strong", {}, "△ ", t("compare.apart_in")), " ",
      button(
        t("compare.all_the_same", {names: names.join(t("list.comma"))}), () => allow([...but_for, ...names].join(",")),
        {small: true, key: "allow"})),
    h("dl", {},
      apart.map(
        ({field, a, b}) =>
          h("div", {}, h("dt", {}, field),
            h("dd", {}, "A ", h("code", {}, apartValues(a)), "  B ", h("code", {}, apartValues(b)))))));
}

/* Returns a note that a longer time may come from more work, if the two sides may have different sizes or types. */
function otherWork({differs, but_for}) {
  const names =
    ["size", "dtype"].filter(name => but_for.includes(name) && differs.some(({field}) => field === `request.${name}`));
  return names.length > 0 &&
    h("p", {class: "differs warned"}, h("strong", {}, "△ "),
      t("compare.other_work", {names: names.join(t("list.comma"))}));
}

export const differsPanel = comparison => [otherWork(comparison), besideNode(comparison)];

function besideNode({differs, but_for}) {
  const beside = differs.filter(({field}) => !but_for.includes(field.replace(/^request\./, "")));
  if (!beside.length)
    return h(
      "p", {class: "differs"},
      t(but_for.includes("kernel") ? "compare.nothing_differs_but" : "compare.nothing_differs"),
      but_for.length ? ` ${t("compare.but_for_said", {names: but_for.join(t("list.comma"))})}` : "");
  return h(
    "div", {class: "differs warned"},
    h("p", {}, h("strong", {}, "△ ", t("compare.differs")), " ", t("compare.differs_why")),
    h("dl", {},
      beside.map(
        ({field, a, b}) => field === "measured_at" ?
          measuredRow(a, b) :
          field === "request.placement" ?
          h("div", {}, h("dt", {}, t("compare.placement")),
            h("dd", {}, "A ", sidePlaced(a), t("punct.semicolon"), "B ", sidePlaced(b))) :
          h("div", {}, h("dt", {}, field.replace(/^request\./, "").replaceAll("_", " ")),
            h("dd", {}, "A ", h("code", {}, sideValues(a)), "  B ", h("code", {}, sideValues(b)))))));
}

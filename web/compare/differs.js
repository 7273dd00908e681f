/* In what the two sides of a comparison differ. differsPanel(comparison): beside what may differ;
   fieldsApart(comparison): where no point is on both sides, the fields of which no value is, [{name, a, b}], and
   apartPanel(apart, allow) these with a button that allows them to differ; butFor(comparison, name): a field that may,
   with the values of both sides. */
import {h} from "../dom.js";
import {count} from "../format.js";
import {button} from "../parts.js";
import {t} from "../words.js";
import {plain} from "./more.js";
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

/* Of how many runs the arrays were allocated anew: each value is true or false. */
const sidePlaced = values => {
  const runsOf = some => count(some.reduce((sum, {runs}) => sum + runs, 0));
  return t("compare.placed", {n: runsOf(values.filter(({value}) => value)), of: runsOf(values)});
};

export function butFor({differs}, name) {
  const found = differs.find(({field}) => field === `request.${name}`);
  return [h("strong", {}, name), found && ` (A ${valuesOf(found.a)}, B ${valuesOf(found.b)})`];
}

/* Where the size or the block differs, the grid differs because of it. */
export function fieldsApart({a, b, points}) {
  const complete = ({only_here: {count, values}}) => count > 0 && count === values.length;
  if (points.length || !complete(a) || !complete(b)) return [];
  const valuesIn =
    ({only_here: {values}},
     name) => [...new Map(values.map(one => [JSON.stringify(one[name] ?? null), one[name] ?? null])).values()];
  const found = Object.keys(a.only_here.values[0])
                  .map(name => ({name, a: valuesIn(a, name), b: valuesIn(b, name)}))
                  .filter(one => !one.b.some(value => one.a.map(plain).includes(plain(value))));
  return found.length > 1 ? found.filter(({name}) => name !== "grid") : found;
}

export function apartPanel(apart, allow) {
  const names = apart.map(({name}) => name).join(",");
  return h(
    "div", {class: "differs warned"},
    h("p", {}, h("strong", {}, "△ ", t("compare.apart_in")), " ",
      button(
        t("compare.all_the_same", {names: names.replaceAll(",", t("list.comma"))}), () => allow(names), {small: true})),
    h("dl", {},
      apart.map(
        ({name, a, b}) =>
          h("div", {}, h("dt", {}, name),
            h("dd", {}, "A ", h("code", {}, a.map(valueText).join(", ")), "  B ",
              h("code", {}, b.map(valueText).join(", ")))))));
}

export function differsPanel({differs, but_for}) {
  const beside = differs.filter(({field}) => !but_for.includes(field.replace(/^request\./, "")));
  if (!beside.length)
    return h(
      "p", {class: "differs"}, t("compare.nothing_differs"),
      but_for.length ? ` ${t("compare.but_for_said", {names: but_for.join(", ")})}` : "");
  return h(
    "div", {class: "differs warned"},
    h("p", {}, h("strong", {}, "△ ", t("compare.differs")), " ", t("compare.differs_why")),
    h("dl", {},
      beside.map(
        ({field, a, b}) => field === "placement_new" ?
          h("div", {}, h("dt", {}, "placement"),
            h("dd", {}, "A ", sidePlaced(a), t("punct.semicolon"), "B ", sidePlaced(b))) :
          h("div", {}, h("dt", {}, field.replace(/^request\./, "").replaceAll("_", " ")),
            h("dd", {}, "A ", h("code", {}, sideValues(a)), "  B ", h("code", {}, sideValues(b)))))));
}

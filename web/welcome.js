/* What the lab begins with for who has run nothing yet: lesson 1, an experiment that runs at a click, published tables.
   welcome({device, go, signal}): its panels; device may be undefined. */
import {link, send} from "./api.js";
import {h} from "./dom.js";
import {LESSONS, TABLES} from "./lessons/list.js";
import {forRunners} from "./live.js";
import {button, spanPanel} from "./parts.js";
import {say} from "./teaching/figures.js";
import {t} from "./words.js";
import "./creation/words.js";

const EXAMPLE = {
  kernel: "read_offset",
  offset: 11
};
const TABLES_SHOWN = 3;

export function welcome({device, go, signal}) {
  const [lesson] = LESSONS;
  const run = async () => {
    const {json} = await send("POST", "/v1/experiments", EXAMPLE, {signal});
    await go(`experiments/${json.id}`);
  };
  const name = device?.name ?? device?.device_name ?? t("new.no_device");
  return [
    h("p", {class: "lead span-12"}, t("welcome.what")),
    spanPanel(
      4, say(lesson.title), t("welcome.lesson"), h("p", {}, say(lesson.about)),
      h("p", {class: "row"},
        h("a", {class: "button primary", href: link(`lessons/${lesson.name}`)}, t("welcome.lesson_begin")))),
    spanPanel(
      4, t("welcome.example"), t("welcome.example_note"),
      h("p", {}, h("code", {}, EXAMPLE.kernel), ` offset ${EXAMPLE.offset}: `, t("welcome.example_text")),
      h("p", {class: "row"}, forRunners(button(t("new.run", {device: name}), run, {key: "example"}), signal))),
    spanPanel(
      4, t("welcome.tables"), null,
      h("ul", {},
        TABLES.slice(0, TABLES_SHOWN)
          .map(one => h("li", {}, h("a", {href: link(`recipes/${one.recipe}`)}, say(one.title))))),
      h("p", {class: "note"}, h("a", {href: link("recipes")}, t("welcome.tables_all"))))
  ];
}

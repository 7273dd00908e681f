/* What the lab begins with for who has run nothing yet: lesson 1, an experiment that runs at a click, published tables.
   welcome({device, go, signal}): its panels; device may be undefined. */
import {link, send} from "./api.js";
import {h} from "./dom.js";
import {LESSONS, TABLES} from "./lessons/list.js";
import {forRunners} from "./live.js";
import {button, spanPanel} from "./parts.js";
import {say} from "./teaching/figures.js";
import {t, wordsAdd} from "./words.js";
import "./creation/words.js";

// clang-format off
wordsAdd({
  "welcome.lesson": ["lesson 1: guess, then see", "第 1 课：先猜，再看"],
  "welcome.lesson_begin": ["Begin", "开始"],
  "welcome.example": ["Run an example", "运行一个示例"],
  "welcome.example_note": ["takes seconds", "几秒钟"],
  "welcome.example_text": ["every warp begins 11 elements behind a boundary: what does that cost?", "每个线程束从边界后 11 个元素处开始：代价有多大？"],
  "welcome.what": ["A device here answers questions about its memory: change one thing of a kernel, run it, and see what that does to time, bandwidth and efficiency.", "这里的设备回答关于内存的问题：改变内核的一个条件，运行它，看时间、带宽和效率怎样变化。"],
  "welcome.tables": ["Published tables, asked again here", "已发表的表格，在此重测"],
  "welcome.tables_all": ["All tables", "全部表格"],
});
// clang-format on

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
      h("p", {}, h("code", {}, EXAMPLE.kernel), ` offset ${EXAMPLE.offset}`, t("punct.colon"),
        t("welcome.example_text")),
      h("p", {class: "row"}, forRunners(button(t("new.run", {device: name}), run, {key: "example"}), signal))),
    spanPanel(
      4, t("welcome.tables"), null,
      h("ul", {},
        TABLES.slice(0, TABLES_SHOWN)
          .map(one => h("li", {}, h("a", {href: link(`recipes/${one.recipe}`)}, say(one.title))))),
      h("p", {class: "note"}, h("a", {href: link("recipes")}, t("welcome.tables_all"))))
  ];
}

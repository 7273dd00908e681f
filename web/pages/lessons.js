/* /ui/lessons: all of them, and how far one has come. No answer stands here. */
import "../teaching/words.js";
import {link} from "../api.js";
import {h, replace} from "../dom.js";
import {LESSONS, TABLES} from "../lessons/list.js";
import {say} from "../teaching/figures.js";
import {panel} from "../parts.js";
import {stateOf} from "../teaching/progress.js";
import {t} from "../words.js";

export const title = () => t("lessons.title");

function row(lesson, k) {
  const done = Object.keys(stateOf(lesson.name).guesses).length;
  return h(
    "li", {},
    h("a", {class: "lesson-card panel", href: link(`lessons/${lesson.name}`)},
      h("span", {class: "quiet"}, String(k + 1)),
      h("span", {}, h("strong", {}, say(lesson.title)), h("span", {class: "note"}, say(lesson.about))),
      h("span", {class: "quiet progress"},
        done ? t("lessons.done_of", {n: done, of: lesson.questions}) : t("lessons.questions", {n: lesson.questions}))));
}

const tableRow = ({recipe, lesson, title}) =>
  h("li", {}, h("a", {href: link(`recipes/${recipe}`)}, say(title)), " ",
    h("a", {class: "note", href: link(`lessons/${lesson}`)},
      t("lessons.why_there", {n: LESSONS.findIndex(one => one.name === lesson) + 1})));

export function open(root) {
  replace(
    root, h("div", {class: "head"}, h("h1", {class: "heading"}, t("lessons.heading", {n: LESSONS.length}))),
    h("p", {class: "lead"}, t("lessons.lead")), h("ol", {class: "lesson-list"}, LESSONS.map(row)),
    h("p", {class: "own-kernel"}, h("a", {href: link("source?example=naive&line=8")}, t("lessons.own_kernel"))),
    panel(t("lessons.tables"), t("lessons.tables_note"), h("ul", {class: "lesson-tables"}, TABLES.map(tableRow))),
    h("p", {class: "note"}, t("lessons.source")));
}

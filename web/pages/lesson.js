/* /ui/lessons/{name}: the text with its questions at the left, the picture that one can change at the right. A guess is
   kept in this tab alone; what comes after a question is not in the page before it has been guessed at, or left. */
import "../teaching/words.js";
import {get, link} from "../api.js";
import {h, redraw, replace} from "../dom.js";
import {count} from "../format.js";
import {commandOf} from "../creation/fields.js";
import {LESSONS, TABLES} from "../lessons/list.js";
import {say, write} from "../teaching/figures.js";
import {ownOf, requestOf} from "../teaching/own.js";
import {pictureOf} from "../teaching/picture.js";
import {questionOf} from "../teaching/question.js";
import {stateOf, stateKeep} from "../teaching/progress.js";
import {parts, t} from "../words.js";

/* A lesson by its name or its number, from 1. */
const of = name => LESSONS.find(lesson => lesson.name === name) ?? LESSONS[name - 1];

export const title = ({name}) => of(name) ? say(of(name).title) : t("lessons.title");

/* The command line for the request that the button above it sends. */
function typed(lesson, device) {
  const ask = device ? requestOf(lesson, device) : lesson.ask;
  const axes = Object.keys(ask).filter(name => Array.isArray(ask[name]) && !(name === "size" && lesson.flat));
  const words = commandOf({all: ask, one: {kernel: [ask.kernel].flat().join(",")}, axes, sweep: true});
  return h("pre", {class: "typed-line"}, words.join(" "));
}

function head(name, answered, questions) {
  const steps = Array.from({length: questions}, (_, k) => h("i", {class: k < answered ? "done" : null}));
  return [
    t("lessons.number", {n: LESSONS.findIndex(lesson => lesson.name === name) + 1, of: LESSONS.length}),
    h("span", {class: "lesson-steps", role: "img", "aria-label": t("lessons.steps", {n: answered, of: questions})},
      steps)
  ];
}

export async function open(root, {name: asked}, {announce, signal}) {
  const name = of(asked)?.name;
  if (!name) {
    replace(
      root, h("h1", {class: "heading"}, t("lessons.missing")),
      h("p", {}, h("a", {href: link("lessons")}, t("lessons.all"))));
    return null;
  }
  const [{default: lesson}, {devices}] =
    await Promise.all([import(`../lessons/${name}.js`), get("/v1/devices", {signal})]);
  const kept = stateOf(name), place = h("div", {class: "questions"}), number = h("p", {class: "lesson-number note"}),
        after = h("div", {class: "lesson-after"});
  let own = null, closing = [];
  const answered = () => lesson.questions.filter((_, k) => k in kept.guesses).length,
        all = () => answered() === lesson.questions.length;

  const picture = pictureOf({lesson, signal, onChange: () => {}});
  const asks = devices[0] && ownOf({
                 lesson,
                 name,
                 device: devices[0],
                 sweep: kept.sweep,
                 signal,
                 onOwn: found => {
                   own = found;
                   show();
                   announce(t("lessons.own_came"));
                 },
                 onSweep: id => {
                   kept.sweep = id;
                   stateKeep(name, kept);
                 }
               });

  function guessed(k, guess) {
    kept.guesses[k] = guess;
    stateKeep(name, kept);
    if (lesson.questions[k].set) picture.set(lesson.questions[k].set);
    show();
    place.children[k].querySelector(".reply")?.setAttribute("tabindex", "-1");
    place.children[k].querySelector(".reply")?.focus({preventScroll: true});
  }

  function putAt(k, value) {
    kept.put = {...kept.put, [k]: value};
    stateKeep(name, kept);
  }

  function show() {
    for (const close of closing) close();
    const shown = lesson.questions.slice(0, answered() + 1).map((question, k) => questionOf({
                                                                  lesson,
                                                                  question,
                                                                  guess: kept.guesses[k],
                                                                  put: kept.put?.[k],
                                                                  own,
                                                                  onGuess: guess => guessed(k, guess),
                                                                  onPut: value => putAt(k, value)
                                                                }));
    closing = shown.map(one => one.close);
    replace(
      place, shown.map(one => one.node),
      all() &&
        h("section", {class: "reasons"}, h("h2", {}, t("lessons.why")),
          lesson.why.map(pair => h("p", {}, write(lesson, pair))),
          lesson.rules &&
            [
              h("h2", {}, t("lessons.rules")),
              h("ul", {},
                lesson.rules.map(rule => h("li", {}, h("a", {href: link(`recipes/${rule.recipe}`)}, say(rule.title)))))
            ],
          h("p", {class: "note"}, parts("lessons.plain", {file: h("code", {}, `docs/plain/${lesson.plain}.cu`)}))));
    replace(number, head(name, answered(), lesson.questions.length));
    picture.show({answered: answered(), own});
    asks?.show(all());
    afterShow();
  }

  function afterShow() {
    const at = LESSONS.findIndex(one => one.name === name), next = LESSONS[at + 1];
    redraw(after, !all() ? null : [
      h("p", {class: "note"}, t("lessons.command")), typed(lesson, devices[0]),
      h("div", {class: "row buttons"},
        next &&
          h("a", {class: "button", href: link(`lessons/${next.name}`)}, t("lessons.next", {title: say(next.title)})),
        lesson.recipe && h("a", {class: "button", href: link(`recipes/${lesson.recipe}`)}, t("lessons.recipe")),
        /* Links to the published tables, which may differ from the lesson's own sweep. */
        TABLES.filter(one => one.lesson === name && one.recipe !== lesson.recipe)
          .map(one => h("a", {class: "button", href: link(`recipes/${one.recipe}`)}, say(one.title))),
        !next && h("a", {class: "button", href: link("lessons")}, t("lessons.all")),
        h("button", {
          type: "button",
          class: "plain underlined note",
          onclick: () => {
            kept.guesses = {};
            kept.put = {};
            stateKeep(name, kept);
            picture.set(Object.fromEntries(lesson.picture.controls.map(one => [one.name, one.value])));
            show();
            root.querySelector("h1").focus();
          }
        },
          t("lessons.again")))
    ]);
  }

  const size = [lesson.ask.size].flat().slice(0, lesson.flat ? 2 : 1).map(count).join("\u00a0×\u00a0");
  const conditions =
    h("p", {class: "note"}, h("strong", {}, "H200"), t("punct.colon"),
      say(lesson.conditions ?? ["", ""]) || t("lessons.conditions", {n: size}), " ", t("lessons.measured_at"));
  replace(
    root,
    h("div", {class: "lesson"},
      h("div", {class: "lesson-text"},
        h("div", {class: "lesson-intro"}, number, h("h1", {tabindex: "-1"}, say(of(name).title)),
          lesson.intro.map(pair => h("p", {}, write(lesson, pair)))),
        place, h("div", {class: "lesson-acts"}, asks?.node, after)),
      h("div", {class: "lesson-picture"}, picture.node, conditions)));
  for (const k of Object.keys(kept.guesses))
    if (lesson.questions[k]?.set) picture.set(lesson.questions[k].set);
  show();
  return () => {
    for (const close of closing) close();
    picture.close();
  };
}

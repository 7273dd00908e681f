/* A question and, once there is a guess, its answer. A question of a lesson is
     {ask, choices: [text or pair], answer: which, reply: [pairs]}                       or
     {ask, scale: [lowest, highest, step], ticks, unit, answer: a figure, marks: [[figure, English, Chinese], ...] as
   published, reply} with `rows` ([[figure, English, Chinese], ...] in `rowsUnit`), a table of what was measured. A
   guess is a number, or null: "I do not know". */
import {h} from "../dom.js";
import {count, digits} from "../format.js";
import {barOf, headCell, numberCell, table} from "../parts.js";
import {noValue, t} from "../words.js";
import {fit} from "../charts/fit.js";
import {guess_draw} from "../charts/guess.js";
import {figureOf, filled, isRatio, meetMark, ownFigure, ownText, rangeText, say, shownOf, sizeText, write} from "./figures.js";
import "./words.js";

const textOf = (lesson, choice) => filled(lesson, Array.isArray(choice) ? say(choice) : choice);
const minus = text => String(text).replace("-", "−");
const withUnit = (text, unit) => wordOf(minus(text), unit);
const wordOf = (text, unit) => unit === "%" ? `${text}\u00a0%` :
  unit === "×" ? t("lessons.times", {n: text}) :
                 `${text}\u00a0${unit}`;

/* questionOf({lesson, question, guess, put, own, onGuess, onPut}): guess undefined until there is one, put: where the
 * user has put it on the scale so far, or undefined; own: {rows, device, short} or null. Returns {node, close}. */
export function questionOf(asked) {
  const {lesson, question, guess} = asked, id = `question-${lesson.questions.indexOf(question) + 1}`;
  const field = question.choices ? choicesOf(asked) : scaleOf(asked);
  const answered = guess !== undefined;
  const node =
    h("section", {class: "question", "aria-labelledby": id}, h("h2", {id}, write(lesson, question.ask)), field.node,
      answered &&
        h("div", {class: "reply"}, question.reply.map(pair => h("p", {}, write(lesson, pair))),
          question.rows && rowsOf(asked)));
  return {node, close: field.close ?? (() => {})};
}

function choicesOf({lesson, question, guess, onGuess}) {
  const answered = guess !== undefined;
  const choice = (text, k) =>
    h("button", {
      type: "button",
      class: answered && k === question.answer ? "button guess-choice right" : "button guess-choice",
      disabled: answered,
      data: {key: `choice ${k}`},
      onclick: () => onGuess(k)
    },
      answered && k === question.answer && h("span", {class: "unseen"}, `${t("lessons.right")}${t("punct.colon")}`),
      textOf(lesson, text));
  const note = answered ?
    guess === null ?
    null :
    h("p", {class: "note"},
      guess === question.answer ? t("lessons.guessed_right") :
                                  t("lessons.guessed", {guess: textOf(lesson, question.choices[guess])})) :
    h("button", {type: "button", class: "plain underlined note", onclick: () => onGuess(null)}, t("lessons.unknown"));
  return {
    node: h("div", {class: "answers"}, h("div", {class: "guesses", role: "group"}, question.choices.map(choice)), note)
  };
}

/* Keys that leave a slider at its least value. */
const STAYING = new Set(["Home", "PageDown", "ArrowLeft", "ArrowDown", "Enter", " "]);

function scaleOf({lesson, question, guess, put: putBefore = null, own, onGuess, onPut}) {
  const answered = guess !== undefined, [min, max, step] = question.scale, {unit} = question;
  let put = answered ? guess : putBefore;
  const mine = own && !own.other && ownFigure(lesson, question.answer, own.rows),
        unsure = mine && !mine.stable && isRatio(unit);
  const marks = () => {
    const list = put === null ?
      [] :
      [{kind: "guess", value: put, words: t("lessons.your_guess", {guess: withUnit(String(put), unit)})}];
    if (!answered) return list;
    list.push({
      kind: "shipped",
      value: figureOf(lesson, question.answer),
      words: t("lessons.h200_says", {value: withUnit(shownOf(lesson, question.answer), unit)})
    });
    if (mine && !unsure)
      list.push({
        kind: mine.stable ? "own" : "own unsure",
        value: mine.value,
        range: mine.range,
        words:
          t("lessons.own_says", {device: own.short, value: ownText(mine, value => withUnit(digits(value, 3), unit))})
      });
    for (const [figure, ...names] of question.marks ?? [])
      list.push({
        kind: "published",
        value: figureOf(lesson, figure),
        words: t("lessons.mark", {name: filled(lesson, say(names)), value: withUnit(shownOf(lesson, figure), unit)})
      });
    return list;
  };
  const drawn =
    fit(width => guess_draw({min, max, ticks: question.ticks, unit}, marks(), width), {class: "guess-place"});
  if (answered) {
    const words = h("p", {class: "unseen"}, marks().map(mark => mark.words).join(t("punct.semicolon")));
    const none = unsure &&
      h("p", {class: "note"}, own.short, t("punct.colon"), noValue(t("lessons.own_unsure")), " ",
        h("span", {class: "warn"}, "△ ", t("part.unstable")));
    return {node: h("div", {class: "answers"}, words, drawn.node, none), close: drawn.close};
  }
  const done =
    h("button", {type: "button", class: "button primary", disabled: put === null, onclick: () => onGuess(put)},
      t("lessons.done"));
  const input = h("input", {
    type: "range",
    class: "guess-input",
    min,
    max,
    step,
    "aria-label": h("span", {}, write(lesson, question.ask)).textContent,
    "aria-valuetext": put === null ? t("lessons.no_guess") : withUnit(String(put), unit),
    oninput: () => {
      put = Number(input.value);
      input.setAttribute("aria-valuetext", withUnit(input.value, unit));
      done.disabled = false;
      onPut(put);
      drawn.redraw();
    },
    onkeydown: event => {
      const by = {ArrowRight: 8, ArrowUp: 8, ArrowLeft: -8, ArrowDown: -8}[event.key];
      if (!by || !event.shiftKey) return;
      event.preventDefault();
      input.value = Number(input.value) + by * step;
      input.dispatchEvent(new Event("input"));
    }
  });
  /* A press or a key that does not move the slider is a guess, too: the least value, where the slider is. */
  const stay = () => {
    if (put === null) input.dispatchEvent(new Event("input"));
  };
  for (const press of ["click", "pointerup"]) input.addEventListener(press, stay);
  input.addEventListener("keyup", ({key}) => STAYING.has(key) && stay());
  input.value = put ?? min;
  const hidden = h("div", {class: "answer-hidden hatched-page"}, h("p", {}, t("lessons.hidden")));
  return {
    node:
      h("div", {class: "answers"}, h("div", {class: "guess-field"}, drawn.node, input), hidden,
        h("div", {class: "row buttons"}, done,
          h("button", {type: "button", class: "button", onclick: () => onGuess(null)}, t("lessons.unknown")))),
    close: drawn.close
  };
}

/* Per cent, with no digit that the figures have not. */
const relativeText = percent => percent.toFixed(Math.abs(percent - 100) < 10 ? 1 : 0);

/* What is told by one device of another is ratios, not times: each has a column of what its figures are of its first
 * one's. */
function rowsOf({lesson, question, own}) {
  const unit = question.rowsUnit ?? "µs";
  const rows = question.rows.map(([figure, ...names]) => ({
                                   name: filled(lesson, say(names)),
                                   shown: shownOf(lesson, figure),
                                   value: figureOf(lesson, figure),
                                   mine: own ? ownFigure(lesson, figure, own.rows) : null
                                 }));
  const most = Math.max(...rows.map(row => row.value)), [first] = rows,
        of = (value, base) => relativeText(100 * value / base);
  const mine = row => row.mine === null ?
    [numberCell(noValue(t("lessons.own_missing"))), numberCell(noValue(t("lessons.own_missing")))] :
    [
      numberCell(
        h("strong", {}, ownText({...row.mine, range: null}, digits)), " ",
        h("span", {class: "range"}, rangeText(row.mine, digits))),
      numberCell(
        first.mine === null ? noValue(t("lessons.own_missing")) :
          row.mine.stable && first.mine.stable ?
                              [of(row.mine.value, first.mine.value), row !== first && meetMark(row.mine, first.mine)] :
                              noValue(t("lessons.own_unsure")))
    ];
  const cells = row =>
    [h("th", {scope: "row"}, row.name), !own && h("td", {class: "bars"}, barOf(row.value / most)),
     numberCell(row.shown), numberCell(of(row.value, first.value)), own && mine(row)];
  /* Two devices with sizes of their own. */
  const sizes = [lesson.ask.size, own?.size],
        differ = own?.size && JSON.stringify(sizes[0]) !== JSON.stringify(sizes[1]),
        sized = (what, size) => differ ? t("lessons.of_size", {what, size: sizeText(size)}) : what;
  const heads = [
    h("td", {}), !own && h("td", {}), headCell(sized(t("lessons.h200_in", {unit}), sizes[0]), true),
    headCell(t("lessons.of_first"), true),
    own &&
      [
        headCell(sized(t("lessons.own_in", {device: own.short, unit}), sizes[1]), true),
        headCell(t("lessons.of_first"), true)
      ]
  ];
  return h(
    "div", {class: "measured-rows"}, table(t("lessons.rows"), heads, rows.map(row => h("tr", {}, cells(row)))),
    own && rows.some(row => row !== first && row.mine?.stable && first.mine?.stable) &&
      h("p", {class: "note"},
        own.other ? say(own.other) : t(own.same_sizes ? "lessons.own_ratios" : "lessons.own_scale"),
        rows.some(row => row !== first && row.mine && first.mine && meetMark(row.mine, first.mine)) &&
          ` ◌${t("punct.colon")}${t("lessons.own_meet")}`));
}

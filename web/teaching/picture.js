/* The picture of a lesson, which one can change: what the model says of a request, asked of the service anew for each
   change.

   `picture` of a lesson: {kind: neighbours | memory | occupancy, request, access: which access is counted, lines: of
   neighbours, shown: accesses drawn, only: that one alone, controls: [{name, label, min, max | values, value}], opens:
   the question after which they may be moved (0; -1: at once), times: {"<values of the controls>": figure}, base: one
   of these, unit} and `tiles`: [[what, after which question], ...] with what: sectors, efficiency, requests, turns,
   occupancy, blocks, resident, warps, needed, time, against. It is asked of the chip whose figures the lessons tell,
   where the request or a control has no `arch`. */
import {post} from "../api.js";
import {h, replace, tip} from "../dom.js";
import {count, digits, percent} from "../format.js";
import {noValue, t, term} from "../words.js";
import {access_counts} from "../charts/memory_access.js";
import {access_name, memory_draw, memory_moves} from "../charts/memory.js";
import {fit} from "../charts/fit.js";
import {neighbours_draw} from "../charts/neighbours.js";
import {occupancyBars} from "../charts/occupancy.js";
import {staircasesAsk, staircasesDraw} from "../charts/staircase.js";
import {figureOf, meetMark, ownFigure, ownText, rangeText, say, shownOf, sizeText} from "./figures.js";
import "../charts/words.js";
import "./words.js";

const ARCH = "sm_90"; /* of the device whose figures the lessons tell */
const TERMS = {
  efficiency: "efficiency",
  requests: "request",
  occupancy: "occupancy",
  blocks: "block"
};
const TIMED = new Set(["time", "against"]);
const FORMS = new Set(["blocks", "requests"]); /* shown so, and not as the term */

const isPair = value => Array.isArray(value) && typeof value[0] === "number";
const keyOf = value => isPair(value) ? value.join("x") : String(value);
const textOf = value => isPair(value) ? value.join("\u00a0×\u00a0") : typeof value === "number" ? count(value) : value;

/* One that is moved, or pressed. */
function controlOf(control, changed) {
  const values = control.values ?? Array.from({length: control.max - control.min + 1}, (_, k) => control.min + k);
  const index = value => Math.max(0, values.findIndex(one => keyOf(one) === keyOf(value)));
  let at = index(control.value);
  if (values.length <= 7) {
    const press = k => {
      at = k;
      update();
      changed();
    };
    const buttons = values.map(
      (value, k) =>
        h("button", {type: "button", onclick: () => press(k)}, control.words ? say(control.words[k]) : textOf(value)));
    const update = () => buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(k === at)));
    update();
    const node =
      h("div", {class: "control"}, h("span", {class: "control-name"}, say(control.label)),
        h("div", {class: "segments", role: "group", "aria-label": say(control.label)}, buttons));
    return {
      node,
      inputs: buttons,
      value: () => values[at],
      set: value => {
        at = index(value);
        update();
      }
    };
  }
  const shown = h("output", {}), range = h("input", {
                                   type: "range",
                                   min: 0,
                                   max: values.length - 1,
                                   step: 1,
                                   "aria-label": say(control.label),
                                   data: {control: control.name},
                                   oninput: () => {
                                     at = Number(range.value);
                                     update();
                                     changed();
                                   },
                                   onkeydown: event => {
                                     const by = {ArrowRight: 8, ArrowUp: 8, ArrowLeft: -8, ArrowDown: -8}[event.key];
                                     if (!by || !event.shiftKey) return;
                                     event.preventDefault();
                                     range.value = Number(range.value) + by;
                                     range.dispatchEvent(new Event("input"));
                                   }
                                 });
  const update = () => {
    range.value = at;
    range.style.setProperty("--part", `${100 * at / (values.length - 1)}%`);
    range.setAttribute("aria-valuetext", textOf(values[at]));
    shown.textContent = textOf(values[at]);
  };
  update();
  const ticks = [0, 1, 2, 3, 4].map(k => h("span", {}, textOf(values[Math.round((values.length - 1) * k / 4)])));
  const node =
    h("div", {class: "control"}, h("span", {class: "control-name"}, say(control.label), " ", shown),
      h("div", {class: "slider"}, range, h("div", {class: "ticks", "aria-hidden": "true"}, ticks)));
  return {
    node,
    inputs: [range],
    value: () => values[at],
    set: value => {
      at = index(value);
      update();
    }
  };
}

/* pictureOf({lesson, signal, onChange}): {node, show({answered, own}), set(values), values(), close}; answered: how
 * many questions are. */
export function pictureOf({lesson, signal, onChange}) {
  const {picture} = lesson, controls = picture.controls.map(control => ({
                                                              name: control.name,
                                                              ...controlOf(
                                                                control,
                                                                () => {
                                                                  ask();
                                                                  onChange(values());
                                                                })
                                                            }));
  const title = h("h2", {class: "mono"}), tiles = h("dl", {class: "tiles"}),
        locked = h("p", {class: "note"}, t("lessons.locked"));
  let answer = null, grid_own = null, drawing = null, stairs = null, unfolded = !picture.times,
      state = {answered: 0, own: null};
  const drawn = fit(draw, {class: "picture-place"});
  const few = h("p", {class: "note"});
  const legend = picture.kind === "occupancy" ?
    null :
    h("p", {class: "memory-legend note"}, h("span", {class: "key waste"}),
      t(picture.kind === "neighbours"                      ? "lessons.used_by_neither" :
          lesson.tiles?.some(([what]) => what === "turns") ? "memory.waits" :
                                                             "memory.waste"));
  const node =
    h("section", {class: "panel picture"}, h("header", {}, title, legend), drawn.node, few,
      h("div", {class: "controls"}, controls.map(control => control.node), locked), tiles);

  const values = () => Object.fromEntries(controls.map(control => [control.name, control.value()]));

  /* The size that was measured on the reader's device, if it differs from the lesson's; null: they are equal. */
  const ownSize = () => {
    const size = state.own?.size ?? null;
    return JSON.stringify(size) === JSON.stringify(lesson.ask.size) ? null : size;
  };

  /* Only the last of what was asked is drawn. */
  let asked = 0;
  async function ask() {
    const own = ++asked, request = {arch: ARCH, ...picture.request, ...values()},
          question = warp => post("/v1/predictions", {...request, explain: {block: 0, warp}}, {signal});
    const warps = picture.kind === "neighbours" ? [0, 1] : [picture.warp ?? 0], size = ownSize();
    const failed = error => {
      if (!signal.aborted) console.error(error);
      return null;
    };
    const [answers, mine] = await Promise.all([
      Promise.all(warps.map(question)).catch(failed),
      size && post("/v1/predictions", {...request, size}, {signal}).catch(failed)
    ]);
    if (!answers || own !== asked) return;
    grid_own = mine?.request.grid ?? null;
    const staircases =
      picture.kind === "occupancy" ? await staircasesAsk(answers[0].predictions[0].occupancy, signal) : null;
    if (own !== asked) return;
    answer = answers;
    stairs = staircases;
    titleShow();
    drawn.redraw();
    tilesShow();
  }

  function titleShow() {
    const {explain} = answer[0], access = explain.accesses[picture.access ?? 0],
          of = explain.accesses.length + (explain.accesses_left_out ?? 0);
    few.textContent = picture.shown && of > picture.shown ? t("lessons.few", {n: picture.shown, of: count(of)}) : "";
    if (picture.kind === "occupancy" || picture.titled)
      return replace(title, say(picture.titled ?? [picture.request.kernel, picture.request.kernel]));
    const {kind, what} = access_name(explain, access, t);
    replace(title, `${t(`memory.${kind}`)} ${what}`);
  }

  /* They are taller than all else that the picture has. */
  function stairsFolded(width) {
    const node =
      h("details", {
        open: unfolded,
        ontoggle: () => {
          unfolded = node.open;
        }
      },
        h("summary", {}, t("lessons.stairs")), staircasesDraw(stairs, width));
    return node;
  }

  function draw(width) {
    if (!answer) return null;
    const [{explain, request, predictions}] = answer;
    if (picture.kind === "occupancy")
      return predictions[0].occupancy.status ?
        noValue(predictions[0].occupancy.reason) :
        h("div", {}, occupancyBars(predictions[0].occupancy, width), stairs && stairsFolded(width));
    if (picture.kind === "neighbours")
      return neighbours_draw(
        answer.map(one => one.explain), {at: picture.access ?? 0, lines: picture.lines ?? 3, width});
    const next = memory_draw(
      picture.only ? {...explain, accesses: [explain.accesses[picture.access]]} : explain,
      {width, say: t, number: count, grid: request.grid, shown: picture.shown, bare: true});
    memory_moves(drawing, next);
    drawing = next;
    return next;
  }

  const unitOf = () => `\u00a0${picture.unit ?? "µs"}`;
  const missing = () => noValue(t(state.own ? "lessons.own_not_asked" : "lessons.not_measured"));

  function timeOf() {
    const {own} = state, figure = picture.times[Object.values(values()).map(keyOf).join(",")],
          base = picture.times[picture.base], unit = unitOf();
    const mine = own && figure ? ownFigure(lesson, figure, own.rows) : null;
    return {
      value: !figure ? null :
        own          ? mine?.value ?? null :
                       figureOf(lesson, figure),
      base: own ? ownFigure(lesson, base, own.rows) : {value: figureOf(lesson, base), stable: true},
      shown: !figure ? null :
        own          ? mine && ownText({...mine, range: null}, digits, unit) :
                       shownOf(lesson, figure) + unit,
      range: mine && rangeText(mine, digits),
      stable: !own || mine?.stable,
      mine: own && figure !== base ? mine : null
    };
  }

  function tileOf(what) {
    const [{explain, request, predictions}] = answer, access = explain.accesses[picture.access ?? 0];
    const counts = () => access_counts(access);
    if (what === "sectors") return count(counts().transactions);
    if (what === "efficiency")
      return h(
        "span", {class: counts().efficiency < 100 ? "warn" : null},
        percent(counts().efficiency / 100, counts().efficiency % 1 ? 1 : 0));
    if (what === "requests") return count(explain.accesses.reduce((sum, one) => sum + access_counts(one).requests, 0));
    if (what === "turns") return count(access.wavefronts);
    const {occupancy} = predictions[0];
    if (["occupancy", "resident", "warps", "needed"].includes(what) && occupancy.status)
      return noValue(occupancy.reason);
    if (what === "occupancy") return percent(occupancy.theoretical, occupancy.theoretical * 100 % 1 ? 1 : 0);
    if (what === "resident") return count(occupancy.blocks_per_sm);
    if (what === "warps") return `${count(occupancy.warps_per_sm)} / ${count(occupancy.max_warps_per_sm)}`;
    if (what === "needed")
      return occupancy.warps_to_hide_register_latency ? count(occupancy.warps_to_hide_register_latency) :
                                                        noValue(t("device.no_fact"));
    if (what === "blocks") return blocksOf(grid_own ?? request.grid);
    const time = timeOf();
    if (time.value === null || time.base === null) return missing();
    if (what === "time") return [time.shown, time.range && h("span", {class: "range"}, `${time.range}${unitOf()}`)];
    return time.stable && time.base.stable ?
      [againstText(time.value / time.base.value), time.mine && meetMark(time.mine, time.base)] :
      noValue(t("lessons.own_unsure"));
  }

  /* Beside what one's own device took, the lesson's own value. */
  function shippedOf(what) {
    if (what === "blocks" && grid_own)
      return h("dd", {class: "shipped"}, `H200${t("punct.colon")}${blocksOf(answer[0].request.grid)}`);
    if (!state.own || (what !== "time" && what !== "against")) return null;
    const figure = picture.times[Object.values(values()).map(keyOf).join(",")];
    if (!figure) return null;
    const value = what === "time" ?
      shownOf(lesson, figure) + unitOf() :
      againstText(figureOf(lesson, figure) / figureOf(lesson, picture.times[picture.base]));
    const whose = ownSize() ? t("lessons.of_size", {what: "H200", size: sizeText(lesson.ask.size)}) : "H200";
    return h("dd", {class: "shipped"}, `${whose}${t("punct.colon")}${value}`);
  }

  const againstText = ratio => {
    const more = 100 * (ratio - 1);
    if (ratio === 1) return "0\u00a0%";
    if (ratio >= 2 || ratio <= 0.5) return t("lessons.times", {n: digits(ratio, ratio < 1 ? 2 : 3)});
    return `${more < 0 ? "−" : "+"}\u00a0${Math.abs(more).toFixed(Math.abs(more) < 10 ? 1 : 0)}\u00a0%`;
  };

  const blocksOf = grid => count(grid.reduce((product, one) => product * one, 1));

  const nameOf = what => {
    if (what === "time") {
      const size = ownSize(),
            words = t(picture.unit ? "lessons.tile_value" : "lessons.tile_time") + t("lessons.comma") +
        (state.own?.short ?? "H200");
      return size ? t("lessons.of_size", {what: words, size: sizeText(size)}) : words;
    }
    if (what === "against") return t("lessons.tile_against", {base: say(picture.baseName)});
    if (what === "turns") return tip(h("span", {class: "term"}, t("lessons.form_turns")), t("lessons.turns"));
    if (!(what in TERMS)) return t(`lessons.tile_${what}`);
    return term(TERMS[what], ...(FORMS.has(what) ? [what, t(`lessons.form_${what}`)] : []));
  };

  /* True when the picture shows the values that an open question asks about, or others with the same answer: their
     time would tell it. */
  const isAsked = () =>
    lesson.questions.slice(state.answered)
      .some(
        ({set, alike}) => set &&
          Object.entries(set).every(
            ([name, value]) => [value, ...alike?.[name] ?? []].some(one => String(values()[name]) === String(one))));

  function tilesShow() {
    if (!answer) return;
    const asked = isAsked(), known = (what, after) => state.answered > after && !(asked && TIMED.has(what));
    replace(
      tiles,
      (lesson.tiles ?? [])
        .map(
          ([what, after]) =>
            h("div", {class: "tile", data: {tile: what}}, h("dt", {}, nameOf(what)),
              h("dd", {},
                known(what, after) ? tileOf(what) :
                                     h("span", {class: "quiet"}, h("span", {"aria-hidden": "true"}, "?"),
                                       h("span", {class: "unseen"}, t("lessons.tile_hidden")))),
              known(what, after) && shippedOf(what))));
  }

  function show(next) {
    const before = JSON.stringify(ownSize());
    state = next;
    if (JSON.stringify(ownSize()) !== before) ask();
    const open = next.answered > (picture.opens ?? 0);
    locked.hidden = open;
    for (const control of controls)
      for (const input of control.inputs) input.disabled = !open;
    tilesShow();
  }

  show(state);
  ask();
  return {
    node,
    show,
    values,
    close: drawn.close,
    set(next) {
      for (const control of controls)
        if (control.name in next) control.set(next[control.name]);
      ask();
    }
  };
}

/* /ui/new: a form that follows from the kernels, and beside it, redrawn while typing, what the model says of it. All
   that was typed stands in the address. */
import {get, link, oneAtATime, post, send, ROOT, token, watchConnection} from "../api.js";
import {h, replace} from "../dom.js";
import {count, duration} from "../format.js";
import {heldBy, heldText} from "../devices.js";
import {devicesListed, mayRun, readerSaid, watchLive} from "../live.js";
import {parts, reasonSaid, t} from "../words.js";
import {ARCHITECTURES} from "../charts/architectures.js";
import {waste_of} from "../charts/memory_access.js";
import {memoryPanel} from "../charts/memory_panel.js";
import {chipsPanel} from "../creation/chips.js";
import {commandsPanel, occupancyPanel, predictedPanel} from "../creation/panels.js";
import {commandOf, curlOf, fieldOfPointer, fieldsOf, listShort, requestOf} from "../creation/fields.js";
import {beyondFirst, countSaid, deviceSaid, labelsSaid, rangesSaid, runsText} from "../creation/checks.js";
import {placeOf, shapeText} from "../creation/values.js";
import {choiceWord, formOf, titleOf} from "../creation/form.js";
import {draftKeep, draftNote} from "../creation/draft.js";
import {kernelInLanguage, kernelPicker, leftOutNote, unknownNote} from "../creation/kernel_picker.js";
import "../creation/words.js";

export const title = () => t("new.title");

const CHIPS = ["sm_20", "sm_37", "sm_90"];
/* Whether what was typed for one kernel can be asked of another one: a size of as many dimensions, types that it has.
 */
function fits(name, text, before, {size_dims, block_dims, dtypes, parameters}) {
  if (name === "size") return before.size_dims === size_dims;
  if (name === "block") return before.block_dims === block_dims;
  if (name === "dtype") return text.split(",").every(one => dtypes.includes(one.trim()));
  return !before.parameters.some(one => one.name === name) || parameters.some(one => one.name === name);
}

export async function open(root, params, {query, setQuery, go, announce, signal}) {
  const [catalog, listed] = await Promise.all([get("/v1/kernels", {signal}), devicesListed(signal)]);
  const kernels = catalog.kernels.map(kernelInLanguage);
  let devices = listed;
  const state = {
    typed: {},
    warp: Math.max(0, Number(query.get("warp") ?? 1) - 1 || 0),
    chips: query.get("arch")?.split(",") ?? null,
    drawn: null, /* the architecture in whose units the chart is; null: the device's */
    made: null,
    unknown: null /* what was typed as a kernel's name and is none */
  };
  let kernel = kernels.find(one => one.name === query.get("kernel")) ??
    kernels.find(one => one.name === "read_offset") ?? kernels[0];
  const named = query.has("device");
  let fields = fieldsOf(kernel, devices, named), form = null, queue = null, me = null;
  let refused = null, submitting = false, lost = false; /* refused: why what is typed cannot be run */
  let drawnOf = null;                                   /* what was asked that the drawings are of */
  for (const field of fields)
    if (query.has(field.name) && query.get(field.name) !== field.initial)
      state.typed[field.name] = query.get(field.name);

  /* Returns those of the names in an address that the form does not use. */
  const withoutField = names => names.filter(
    name => !fields.some(field => field.name === name) && !["kernel", "warp", "arch", "lang"].includes(name));

  const heading = h("p", {class: "lead"}), formula = h("p", {class: "mono formula"}), lesson = h("p", {class: "note"});
  const memory = memoryPanel({
    onWarp: warp => {
      state.warp = warp;
      changed();
    },
    onChip: arch => {
      state.drawn = arch;
      changed();
    }
  });
  const chips = chipsPanel({
    onChips: (k, arch) => {
      state.chips = chipsNow().map((one, j) => j === k ? arch : one);
      changed();
    }
  });
  const predicted = predictedPanel({ask: question => post("/v1/predictions", question, {signal})}),
        occupancy = occupancyPanel(), commands = commandsPanel();
  const run = h("button", {class: "button primary run"}), when = h("p", {class: "note when"}),
        problem = h("p", {class: "wrong note", role: "alert", hidden: true});
  const top = h("div", {class: "form-top"}), rest = h("div", {class: "form-rest"});
  const several = h("p", {class: "note several"});
  const form_node =
    h("form", {
      class: "creation-form",
      novalidate: true,
      onsubmit: event => {
        event.preventDefault();
        submit();
      }
    },
      h("div", {class: "form-scroll"}, top, rest), h("div", {class: "form-foot"}, run, when, problem));
  const before = h("p", {class: "note before", hidden: true}), ofFirst = h("p", {class: "note of-first", hidden: true});
  const beside = h(
    "div", {class: "beside"}, before, ofFirst, memory.node, chips.node, predicted.node, occupancy.node, commands.node);
  replace(
    root,
    h("div", {class: "head creation-head"}, h("h1", {class: "heading"}, t("new.title")), heading,
      h("a", {class: "note", href: link("source")}, t("new.own_source"))),
    [...query.keys()].every(name => name === "lang") && draftNote(),
    unknownNote(query.get("kernel"), kernels, kernel.name) ?? leftOutNote(withoutField([...query.keys()]), kernel.name),
    h("div", {class: "creation"}, form_node, beside));

  const wanted = () => state.typed.device?.trim() ?? (state.made?.all.spread ? "any" : "");
  const fitting = () => {
    const text = wanted(),
          found = devices.filter(
            one => text === "any" || [one.device_name, String(one.index), `arch=${one.arch}`].includes(text));
    return found.length || text ? found : devices.slice(0, 1);
  };
  const device = () => fitting()[0];
  const drawnArch = () => [...chipsNow(), ownArch()].includes(state.drawn) ? state.drawn : ownArch();
  const ownArch = () => ARCHITECTURES.includes(device()?.arch) ? device().arch : "sm_90";
  const chipsNow = () => state.chips ?? [...new Set([...CHIPS.slice(0, 2), ownArch()])];

  const typedFor = new Map(); /* by kernel, restored for fields that the kernel chosen in between does not have */

  function build() {
    form = formOf(fields, state.typed, () => {
      changed();
      draftKeep(Object.keys(state.typed).length ? location.search : null);
    });
    heading.textContent = kernel.title;
    formula.textContent = kernel.text;
    lesson.textContent = kernel.lesson;
    const onUnknown = name => {
      state.unknown = name;
      problem.hidden = true;
    };
    const onChosen = name => {
      const before = kernel;
      typedFor.set(before.name, state.typed);
      kernel = kernels.find(one => one.name === name);
      fields = fieldsOf(kernel, devices, named);
      const kept = (of, f) => Object.fromEntries(Object.entries(of).filter(([typed, text]) => f(typed, text)));
      state.typed = {
        ...kept(typedFor.get(name) ?? {}, (typed, text) => !fits(typed, text, kernel, before)),
        ...kept(state.typed, (typed, text) => fits(typed, text, before, kernel))
      };
      state.warp = 0;
      const focused = document.activeElement?.id;
      build();
      changed();
      (root.querySelector(`[id="${focused}"]`) ?? root.querySelector("#field-kernel")).focus();
    };
    const picker = kernelPicker(kernels, kernel.name, {onChosen, onUnknown});
    replace(
      top,
      h("div", {class: "form-field"},
        h("div", {class: "field-head"},
          h("label",
            {for: "field-kernel"
            },
            t("new.kernel")),
          h("span", {class: "note"}, t("new.kernels", {n: count(kernels.length)}))),
        picker, formula, lesson),
      form.hand);
    const open_more = fields.some(field => field.place === "more" && state.typed[field.name] !== undefined);
    replace(
      rest, form.main, h("details", {class: "more", open: open_more}, h("summary", {}, t("new.more")), form.more),
      several);
    replace(several, t("new.several_text"));
  }

  /* ---- while typing ---- */

  let begun = 0;
  const ask = oneAtATime(askOnce, signal);
  function changed() {
    begun ||= performance.now();
    state.made = requestOf(kernel, fields, state.typed);
    ask();
    /* The rest is done while the service answers. */
    const written =
      Object.fromEntries(fields.map(({name}) => [name, name in state.typed ? listShort(state.typed[name]) : null]));
    const stale = withoutField([...new URLSearchParams(location.search).keys()]);
    setQuery({
      kernel: kernel.name,
      ...written,
      ...Object.fromEntries(stale.map(name => [name, null])),
      warp: state.warp ? state.warp + 1 : null,
      arch: state.chips?.join(",")
    });
    commands.show(commandOf(state.made), curlOf(state.made, ROOT.href, token()));
    const {axes, one, points} = state.made, all = countSaid(points, state.made);
    ofFirst.hidden = !axes.length;
    ofFirst.textContent = t("new.of_first", {
      n: all,
      what:
        axes.map(name => `${name} ${Array.isArray(one[name]) ? shapeText(one[name]) : one[name]}`).join(t("list.comma"))
    });
    problem.hidden = true;
    runShow();
  }

  let perBlock = 1;
  /* The state of the form for which a drawing is asked. */
  function givenOf(typed, made) {
    const own = ownArch(), asked = chipsNow(),
          firsts = Object.entries(made.values).map(([name, [first]]) => [name, [first].flat().join("x")]);
    return {
      kernel: kernel.name,
      typed: {...typed, ...Object.fromEntries(firsts)},
      question: made.one,
      made,
      warp: state.warp,
      drawnFirst: [...new Set([drawnArch(), ...asked, own])],
      asked,
      own
    };
  }
  async function askOnce() {
    const since = begun;
    begun = 0;
    const given = givenOf(state.typed, state.made), {question, made, warp, drawnFirst} = given, [drawn] = drawnFirst;
    const own_said = {
      ...rangesSaid(state.typed, state.made),
      ...labelsSaid(state.typed),
      ...deviceSaid(state.typed, devices)
    },
          own_faults = Object.entries(own_said).map(([name, detail]) => ({pointer: `#/${name}`, detail}));
    let answer, beyond;
    try {
      [answer, beyond] = await Promise.all([
        post("/v1/predictions", {...question, arch: drawnFirst, explain: placeOf(warp, perBlock)}, {signal}),
        beyondFirst(question, made.values, drawn, signal)
      ]);
    } catch (error) {
      if (!error.errors) throw error;
      if (state.warp && error.errors.some(one => one.pointer.startsWith("#/explain"))) {
        state.warp = 0;
        return void ask();
      }
      if (steady?.kernel === kernel.name && steady !== drawnOf) await drawAgain(steady).catch(() => {});
      return wrongShow(error, rangesSaid(state.typed, state.made));
    }
    /* How many warps a block has is the service's word; where it was another, the warp asked for was another too. */
    const {explain} = answer, other = explain.warps_per_block !== perBlock;
    perBlock = explain.warps_per_block;
    if (other && warp) {
      begun ||= since;
      return void ask();
    }
    answerShow(answer, given);
    wrongShow(
      own_faults.length ? {errors: own_faults, own: true} : null, {...beyond.sentences, ...own_said}, beyond.refusal);
    if (since) performance.measure("redraw", {start: since});
  }

  function answerShow(answer, given) {
    const {explain, request, predictions} = answer, {question, made, warp, drawnFirst, asked, own} = given;
    drawnOf = given;
    memory.show({explain, before: null, after: null, grid: request.grid, chips: [...drawnFirst].sort()});
    const byArch = new Map(predictions.map(row => [row.arch, row]));
    chips.show(asked.map(arch => byArch.get(arch)).filter(Boolean), ARCHITECTURES, own);
    occupancy.show(byArch.get(own)?.occupancy, own);
    predicted.show(question, device()?.backend === "cuda" ? device().name : null);
    neighboursShow(answer, question, made, drawnFirst, warp);
  }

  /* What was drawn before a field was typed into: where all of it is refused, the beginning of it is not what is meant,
     as 2, 20 and 204 of 2048. */
  let steady = null;
  form_node.addEventListener("focusin", () => {
    steady = drawnOf;
  });
  async function drawAgain(given) {
    const {question, warp, drawnFirst} = given,
                           answer = await post(
                             "/v1/predictions", {...question, arch: drawnFirst, explain: placeOf(warp, perBlock)},
                             {signal});
    perBlock = answer.explain.warps_per_block;
    answerShow(answer, given);
  }

  /* Whose words lie beside those of the warp is told as soon as its neighbours are known, if nothing was typed
   * meanwhile. */
  async function neighboursShow({explain, request}, question, made, chips, warp) {
    if (!explain.accesses.some(access => access.sectors && waste_of(access).length)) return;
    const ask = n => n < 0 || n >= explain.warps ?
      null :
      post("/v1/predictions", {...question, arch: chips[0], explain: placeOf(n, perBlock)}, {signal})
        .then(answer => answer.explain, () => null);
    const [before, after] = await Promise.all([ask(warp - 1), ask(warp + 1)]);
    if (state.made === made && state.warp === warp && !signal.aborted)
      memory.show({explain, before, after, grid: request.grid, chips: [...chips].sort()});
  }

  /* What the drawings are of, where it is not what the form says: the values of the fields that are wrong, or were
   * changed since. */
  function drawnValues(wrong) {
    const values = fields.map(({name, initial}) => [name, drawnOf.typed[name] ?? initial, state.typed[name] ?? initial])
                     .filter(([name, value, now]) => value !== "" && (name in wrong || String(now) !== String(value)))
                     .map(([name, value]) => `${titleOf(name).split(/[:：]/)[0]} ${value}`);
    if (drawnOf.kernel !== kernel.name || !values.length) values.unshift(drawnOf.kernel);
    return values.join(t("list.comma"));
  }

  /* refusal: all is refused for what stands behind the first value of a list. */
  function wrongShow(error, sentences = {}, refusal = false) {
    refused = error;
    for (const {pointer, detail} of error?.errors ?? []) sentences[fieldOfPointer(pointer)] ??= detail;
    form.wrong(sentences);
    const old = (Boolean(error && !error.own) || refusal) && drawnOf?.made !== state.made;
    beside.classList.toggle("stale", old);
    const [first] = Object.entries(sentences);
    before.hidden = !old || !drawnOf && !first;
    ofFirst.hidden = old || !state.made.axes.length;
    if (old && drawnOf)
      before.textContent = t("new.before", {values: drawnValues(sentences)});
    else if (old && first)
      before.textContent = t("new.before_any", {name: titleOf(first[0]), detail: first[1]});
    const elsewhere = Object.entries(sentences).filter(([name]) => !form.names.has(name));
    problem.hidden = !(error && (elsewhere.length || !error.errors.length));
    problem.textContent =
      elsewhere.map(([name, detail]) => `${name}${t("punct.colon")}${detail}`).join(t("punct.space")) ||
      (error?.message ?? "");
    runShow();
  }

  /* What keeps it from being run stands beside the button, and its field gets the focus. */
  function wrongGo() {
    if (state.unknown) {
      root.querySelector("#field-kernel").focus();
      problem.textContent = root.querySelector(".picker [role=alert]").textContent;
    } else {
      const wrong = form.wrongFocus();
      problem.textContent = wrong ? t("new.wrong", wrong) : refused.message;
    }
    problem.hidden = false;
  }

  function runShow() {
    const {sweep} = state.made, text = wanted();
    const name = devices.length < 2 ? device()?.name ?? device()?.device_name ?? t("new.no_device") :
                                      choiceWord("device", text) ?? text;
    run.textContent =
      sweep ? t("new.run_sweep", {n: runsText(state.made), device: name}) : t("new.run", {device: name});
    const able = fitting(), none = able.length > 0 && able.every(one => one.counters === false);
    form.unavailable("counters", none ? t("counts.no_device", {device: able[0].name ?? able[0].device_name}) : null);
    const fits = new Map(able.map(one => [one.index, one])),
          soonest = one => heldBy(queue, one.device) ? Infinity : one.eta_seconds ?? one.queued;
    run.disabled = !mayRun(me);
    run.setAttribute("aria-disabled", submitting || run.disabled); /* while it is submitted it keeps the focus */
    if (run.disabled) return void (when.textContent = readerSaid(me));
    if (submitting && lost) return void (when.textContent = t("part.waits_connection"));
    const [line] = (queue?.devices ?? []).filter(one => fits.has(one.device)).sort((a, b) => soonest(a) - soonest(b));
    if (!line) return;
    const ahead = line.queued + (line.running ? 1 : 0), eta = line.eta_seconds, held = heldBy(queue, line.device),
          away = [...fits.values()].every(one => one.readiness !== "ready");
    when.textContent = refused ? "" :
      queue.refuses            ? reasonSaid(queue.refuses) :
      held                     ? heldText(held) :
      away                     ? t("new.away") :
      ahead === 0              ? t("new.nobody_ahead") :
      eta === null             ? t("new.ahead", {n: count(ahead)}) :
                                 t("new.ahead_eta", {n: count(ahead), eta: duration(eta)});
  }

  async function submit() {
    const {sweep, all} = state.made;
    if (submitting) return;
    if (refused || state.unknown) return wrongGo();
    submitting = true;
    runShow();
    try {
      const answer = await send("POST", sweep ? "/v1/sweeps" : "/v1/experiments", all, {signal});
      draftKeep(null);
      announce(t("new.submitted"));
      await go(`${sweep ? "sweeps" : "experiments"}/${answer.json.id}`);
    } catch (error) {
      if (signal.aborted) return;
      submitting = false;
      runShow();
      if (!error.errors) throw error;
      wrongShow(error);
      wrongGo();
    }
  }

  build();
  changed();
  const endLost = watchConnection(since => {
    lost = since !== null;
    if (submitting) runShow();
  });
  const endLive = watchLive(live => {
    queue = live.queue;
    me = live.me;
    devices = live.devices ?? devices;
    if (state.made) runShow();
  });
  return () => {
    endLive();
    endLost();
    memory.close();
    occupancy.close();
  };
}

/* /ui/source: an editor for a kernel of one's own. What its lines cost, and what is wrong with them, stands at them
   while one types; all that was typed stands in the address. Nothing is run on a device. */
import {link, oneAtATime, post} from "../api.js";
import {copyButton} from "../clipboard.js";
import {h, replace} from "../dom.js";
import {count, percent, shape} from "../format.js";
import {forRunners} from "../live.js";
import {button} from "../parts.js";
import {language, reasonSaid, t} from "../words.js";
import {ARCHITECTURES} from "../charts/architectures.js";
import {explained, timePanel} from "../charts/bounds.js";
import {chipsPanel} from "../creation/chips.js";
import {placeOf} from "../creation/values.js";
import {ADDRESS_MOST, addressPack, addressUnpack} from "../source/address.js";
import {COMMENTS_ZH, EXAMPLES} from "../source/examples.js";
import {sourceField} from "../source/field.js";
import {launchForm, questionOf} from "../source/form.js";
import {detailOf, movedSaid} from "../source/marks.js";
import {stepOf} from "../source/steps.js";
import {linesTable} from "../source/table.js";
import {machineReasonText} from "../source/machine_reasons.js";
import "../source/words.js";

export const title = () => t("source.title");

const KERNEL = /__global__ void (\w+)\(/;
const PARAMETERS = /__global__[^(;{]*\(([^)]*)\)/;
const SHOWN = 8, OUTPUTS_MOST = 8; /* OUTPUTS_MOST: the service's limit */
const PAUSE_MS = 300, LATE_MS = 500, ARCH = "sm_90", INSTEAD = "sm_80", LAST = "source.last";

/* What the address has: a text of one's own, or an example by its name. Without either the tab's last text is there
 * again. */
async function beginOf(query) {
  const asked = query.get("example"),
        shared = await addressUnpack(location.hash || (asked ? "" : sessionStorage.getItem(LAST) ?? ""));
  const example = shared ? null : asked in EXAMPLES ? asked : "naive";
  const typed = {arch: ARCH, scalars: {}, ...structuredClone(shared ?? EXAMPLES[example])};
  if (example && language() === "zh")
    typed.source = typed.source.replace(/\/\*.*?\*\//s, `/* ${COMMENTS_ZH[example]} */`);
  return {example, typed, unread: location.hash !== "" && !shared};
}

const examplesList = example =>
  h("p", {class: "note examples"}, t("source.examples"),
    Object.keys(EXAMPLES).map(
      name =>
        [" ",
         h("a", {href: link(`source?example=${name}`), "aria-current": name === example ? "true" : null},
           t(`source.example.${name}`))]));

const parametersOf = request => request.arguments.filter(one => !("elements" in one) && !one.fields);

/* The names of the scalar parameters as they stand in a text that has faults. */
const scalarsOf = text => (PARAMETERS.exec(text)?.[1] ?? "")
                            .split(",")
                            .filter(one => !one.includes("*"))
                            .map(one => /(\w+)\s*$/.exec(one)?.[1])
                            .filter(Boolean);

/* With what it was launched, fields that are left empty too; and what such a launch cannot find. */
function launchSaid({request, check}) {
  const {block, grid, size} = request, threads = [...block, ...grid].reduce((all, one) => all * one, 1);
  const scalars = parametersOf(request)
                    .map(({name, value}) => ({name, value: request[name] ?? (value === "size" ? size : value)}))
                    .filter(({value}) => typeof value === "number");
  const same = scalars.find(({value}) => value === threads);
  const said = [
    t("source.launched_block", {block: shape(block)}), t("source.launched_grid", {grid: shape(grid)}),
    ...scalars.map(({name, value}) => `${name} ${Number.isInteger(value) ? count(value) : value}`)
  ].join(t("list.comma"));
  return [
    t("source.launched", {said}),
    check.blocks_checked > 0 && same && t("source.none_beyond", {name: same.name, other: count(same.value - 1)})
  ];
}

/* Why the counts may differ from the hardware's, in the page's language. */
const inexactSaid = text => language() === "zh" && machineReasonText(text) || reasonSaid(text);

/* Whether a row of the answer's lines has accesses of that line, also those that were joined with another line's. */
const isOfLine = (row, line) =>
  row.line === line ? row.accesses.length > 0 : row.accesses.some(({joined_lines: joined}) => joined?.includes(line));

/* The answer in a sentence. */
function sentenceOf({check, predictions: [own]}) {
  const {blocks, blocks_checked: checked} = check, lines = own.lines ?? [],
                                 sum = name => lines.reduce((all, one) => all + one[name], 0),
                                 moved = sum("moved_bytes"),
                                 [worst] =
                                   lines.filter(one => one.moved_bytes > one.used_bytes)
                                     .sort((a, b) => b.moved_bytes - b.used_bytes - a.moved_bytes + a.used_bytes);
  const watched = check.complete ? t("source.watched_all", {n: count(blocks)}) :
    checked > 0                  ? t("source.watched_some", {n: count(checked), of: count(blocks)}) :
                                   t("source.watched_none");
  const raced = checked > 0 && !check.races && t("source.races_unchecked");
  if (!moved) return [watched, raced].filter(Boolean).join(t("source.between"));
  const used = t("source.used", {percent: percent(sum("used_bytes") / moved)});
  return [
    watched, raced, used,
    worst?.line && worst.efficiency_pct < 99.5 && worst.traffic_pct < 99.5 &&
      t("source.worst",
        {line: worst.line, percent: percent(worst.efficiency_pct / 100), share: percent(worst.traffic_pct / 100)})
  ].filter(Boolean)
    .join(t("source.between"));
}

/* The member `show` of an experiment: the first values of each output. Only of outputs whose number of elements is
   known here, because it is the size or a scalar: a range beyond the end is refused. */
function shownOf(request) {
  const outputs = request.arguments.filter(({role, elements}) => role !== "input" && request[elements] >= SHOWN);
  return Object.fromEntries(outputs.slice(0, OUTPUTS_MOST).map(({name}) => [name, `0..${SHOWN - 1}`]));
}

export async function open(root, params, {query, setQuery, signal, go}) {
  const begin = await beginOf(query), {typed} = begin, state = {
    example: begin.example,
    warp: 0,
    perBlock: 1,
    chips: ["sm_20", "sm_37"],
    lines: [],
    shown: {},
    parameters: Object.keys(typed.scalars).map(name => ({name}))
  };
  let memory = null, timer = null;

  /* The chips beside the one that is asked for: each once. */
  const othersOf = () => state.chips.map(arch => arch === typed.arch ? INSTEAD : arch);
  const said = h("p", {class: "lead", role: "status"}), below = h("p", {class: "note"}),
        address = h("span", {class: "note", role: "status"});
  const chart = h("div", {}, h("p", {class: "note"}, t("source.click"))), table = linesTable(), time = timePanel();
  const editor = sourceField({text: typed.source, onText: typedNow, onLine: lineChoose});
  const run = forRunners(button(t("source.run"), runNow, {primary: true, key: "run"}), signal);
  const form = launchForm({
    typed,
    onTyped: typedNow,
    foot: h("div", {class: "launch-foot"}, h("p", {class: "row"}, run), h("p", {class: "note"}, t("source.run_note")))
  });
  const chips = chipsPanel({
    onChips: (k, arch) => {
      if (k < state.chips.length)
        state.chips = state.chips.map((one, j) => j === k ? arch : one);
      else
        form.archIs(arch);
      changed(0);
    }
  });
  const old = h("p", {class: "warn", hidden: true}, "△ ", t("source.old"));
  const results = h("div", {class: "source-results"}, old, chart, time.node, chips.node, table.node);
  const examples = h("div", {}, examplesList(state.example)), step = h("div", {});
  replace(
    root, h("div", {class: "head creation-head"}, h("h1", {class: "heading"}, t("source.title")), said),
    h("div", {class: "source-page"},
      h("section", {class: "panel editor-panel"},
        h("header", {}, h("h2", {}, t("source.heading")),
          h("span", {}, address, " ", copyButton(() => location.href, t("source.share"), "button"))),
        begin.unread && h("p", {class: "warn", role: "alert"}, "△ ", t("source.unread")), examples, editor.node, step,
        h("p", {class: "note", id: "editor-keys"}, t("source.keys")), below),
      form.node, results));

  /* ---- while typing ---- */

  const ask = oneAtATime(askOnce, signal);
  function changed(pause = PAUSE_MS) {
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
  }

  /* When the user replaces the kernel of an example, and does not only rename it, the example's block, grid and
     arguments are cleared too, unless the user has changed them. */
  let example = EXAMPLES[begin.example], [, name] = KERNEL.exec(example?.source) ?? [], before = typed.source;
  function launchForget() {
    const text = editor.text(), [, now] = KERNEL.exec(text) ?? [], old = before;
    if (!example || !now) return;
    before = text;
    if (text.includes(`${name}(`)) return;
    name = now;
    if (text.replace(KERNEL, "") === old.replace(KERNEL, "")) return; /* it was renamed */
    const {source, scalars, ...launch} = example;
    example = null;
    if (
      Object.entries(launch).every(([name, value]) => typed[name] === value) &&
      Object.entries(scalars ?? {}).every(([name, value]) => typed.scalars[name] === value))
      form.clear();
  }

  function typedNow() {
    launchForget();
    if (state.example) {
      replace(examples, examplesList(null));
      replace(step);
    }
    state.example = null;
    changed();
  }

  function lineChoose(line) {
    if (line === editor.chosen() || !state.lines.some(one => isOfLine(one, line))) return;
    editor.choose(line);
    state.warp = 0;
    changed(0);
  }

  async function askOnce() {
    const text = typed.source = editor.text(), question = questionOf(typed, text), line = editor.chosen();
    addressShow();
    if (question.wrong) return wrongHere(question.wrong);
    const arch = [typed.arch, ...othersOf()], explain = line && {...placeOf(state.warp, state.perBlock), line};
    /* A slow answer: the shown verdict is of the previous source, so it is replaced. */
    const late = setTimeout(() => {
      said.textContent = t("source.checking");
      said.classList.remove("wrong");
      below.textContent = "";
      old.hidden = true;
      results.classList.add("stale");
    }, LATE_MS);
    try {
      const answer = await post("/v1/predictions", {...question, arch, ...(line && {explain})}, {signal})
                       .finally(() => clearTimeout(late));
      if (editor.text() === text) await answerShow(answer);
    } catch (error) {
      if (!error.errors) {
        if (!signal.aborted) said.textContent = error.message;
        throw error;
      }
      if (editor.text() === text) wrongShow(error);
    }
  }

  /* {text, detail}: the reference that the last run refused, and why. Predictions do not check references. */
  let refusedReference = null;

  /* Submits the kernel as an experiment: a CPU device executes every block of it. */
  async function runNow() {
    const {check, wrong, ...question} = questionOf(typed, editor.text());
    if (wrong) {
      wrongHere(wrong);
      throw new Error(said.textContent);
    }
    const reference = typed.reference?.trim() && {reference: {source: typed.reference, ...typed.reference_launch}};
    try {
      const made = await post("/v1/experiments", {...question, ...reference, show: state.shown}, {signal});
      await go(`experiments/${made.id}`);
    } catch (error) {
      const wrong = error.errors?.find(({pointer}) => pointer.startsWith("#/reference"));
      if (wrong) refusedReference = {text: typed.reference, detail: wrong.detail};
      if (!error.errors) throw error;
      wrongShow(error);
      throw new Error(said.textContent);
    }
  }

  async function addressShow() {
    const fragment = state.example ? "" : `#${await addressPack({...typed})}`, short = fragment.length <= ADDRESS_MOST;
    if (signal.aborted) return;
    if (fragment) sessionStorage.setItem(LAST, fragment);
    setQuery({example: state.example, line: editor.chosen()});
    history.replaceState(history.state, "", location.pathname + location.search + (short ? fragment : ""));
    address.textContent = short ? "" : t("source.too_long", {n: count(fragment.length), most: count(ADDRESS_MOST)});
  }

  async function answerShow(answer) {
    const {explain, request, predictions, check, notes} = answer, [own] = predictions;
    const byArch = new Map(predictions.map(row => [row.arch, row]));
    wrongShow(null);
    state.lines = own.lines ?? [];
    editor.show({lines: state.lines, faults: [], notes});
    said.textContent = sentenceOf(answer);
    state.read = PARAMETERS.exec(editor.text())?.[0];
    below.textContent = [
      ...launchSaid(answer), check.blocks_checked > 0 && t("source.in_step"),
      ...(notes ?? []).filter(one => !one.line).map(one => detailOf(one) + t("punct.stop")),
      t("source.compiler", {compiler: check.compiler}), movedSaid(state.lines),
      own.inexact && t("source.inexact", {why: inexactSaid(own.inexact)})
    ].filter(Boolean).join(t("punct.space"));
    state.shown = shownOf(request);
    requestShow(request);
    chips.show([...othersOf(), typed.arch].map(arch => byArch.get(arch)), ARCHITECTURES, typed.arch);
    table.show(state.lines);
    timeShow(own);
    replace(step, stepOf(state.example, state.lines));
    if (explain)
      await chartShow(explain, request);
    else
      chartForget();
  }

  /* What the fields that are empty stand for. */
  function requestShow(request) {
    state.parameters = parametersOf(request).map(
      one => one.value === "size" && Number.isInteger(request.size) ? {...one, value: String(request.size)} : one);
    form.show(state.parameters, typed.arguments ? null : JSON.stringify(request.arguments, null, 1));
    form.launched(request);
  }

  /* Shows the predicted time, or why there is none: no device of that architecture has known constants. */
  function timeShow({time: predicted}) {
    const {device_name: device, note} = predicted ?? {};
    time.show(
      predicted ?? {status: "unavailable", reason: t("source.no_time", {arch: typed.arch, known: ARCH})},
      {device, below: note && h("p", {class: "note"}, explained(note))});
  }

  /* The line that was chosen is gone. */
  function chartForget() {
    if (!memory) return;
    memory.close();
    memory = null;
    replace(chart, h("p", {class: "note"}, t("source.click")));
  }

  async function chartShow(explain, request) {
    const other = explain.warps_per_block !== state.perBlock;
    state.perBlock = explain.warps_per_block;
    if (other && state.warp) return void ask();
    if (!memory) {
      const {memoryPanel} = await import("../charts/memory_panel.js");
      memory = memoryPanel({
        onWarp: warp => {
          state.warp = warp;
          changed(0);
        }
      });
      replace(chart, memory.node);
    }
    memory.show({explain, before: null, after: null, grid: request.grid});
  }

  /* Shows what the page itself finds wrong before it sends a request. wrong: {name of the field: sentence}. */
  function wrongHere(wrong) {
    wrongShow({problem: {}, errors: Object.entries(wrong).map(([name, detail]) => ({pointer: `#/${name}`, detail}))});
  }

  function wrongShow(error) {
    const errors = error?.errors ?? [], faults = errors.filter(one => one.pointer === "#/source" && one.line),
          sentences = {};
    results.classList.toggle("stale", Boolean(error));
    old.hidden = !error || !state.lines.length;
    said.classList.toggle("wrong", Boolean(error));
    if (error) {
      editor.show({lines: [], faults, notes: []});
      const {request} = error.problem;
      const foreign = language() === "zh" &&
        errors.some(({pointer, detail}) => pointer === "#/source" && !/[\u4e00-\u9fff]/.test(detail));
      below.textContent = [
        foreign && t("source.compiler_words"), ...(request ? launchSaid({request, check: {}}) : []),
        request && !typed.arguments && t("source.sizes_read")
      ].filter(Boolean).join(t("punct.space"));
      form.launched();
      /* What was read from another function does not stand beside this one. */
      if (request) {
        state.read = PARAMETERS.exec(editor.text())?.[0];
        requestShow(request);
      } else if (PARAMETERS.exec(editor.text())?.[0] !== state.read) {
        state.read = null;
        state.parameters = scalarsOf(editor.text()).map(name => ({name}));
        form.show(state.parameters, null);
      }
    }
    const elsewhere = [];
    for (const one of errors.filter(one => !faults.includes(one))) {
      const [name] = one.pointer.replace(/^#\//, "").split("/");
      if (name === "explain" && state.warp) {
        state.warp = 0;
        return void ask();
      }
      if (!form.has(name) && name !== "source" && typed.source.includes(name))
        form.show(state.parameters = [...state.parameters, {name}], null);
      if (form.has(name)) sentences[name] ??= one.detail;
      if (!form.has(name)) elsewhere.push(one.detail);
    }
    if (refusedReference && refusedReference.text === typed.reference) sentences.reference ??= refusedReference.detail;
    form.wrong(sentences);
    if (!error) return;
    const [fault] = faults, [field] = Object.entries(sentences);
    said.textContent = fault ?
      t("source.fault", {line: fault.line, detail: detailOf(fault)}) :
      elsewhere[0] ?? (field ? t("source.field", {name: form.nameOf(field[0]), detail: field[1]}) : error.message);
  }

  form.show(state.parameters, null);
  editor.choose(Number(query.get("line")) || null);
  changed(0);
  return () => {
    clearTimeout(timer);
    memory?.close();
  };
}

/* /ui/experiments/{id}: its answer in a sentence and the evidence for it; while it waits or runs, where it stands. */
import {get, link, post, send} from "../api.js";
import {h, headingFocus, redraw, replace} from "../dom.js";
import {bandwidth, count} from "../format.js";
import {blockedBy} from "../devices.js";
import {atMost, mayRun, onChange, watchLive} from "../live.js";
import {t} from "../words.js";
import {fit} from "../charts/fit.js";
import {memoryPanel} from "../charts/memory_panel.js";
import {peakDraw} from "../charts/parts.js";
import {button, labelMarks} from "../parts.js";
import {copyText} from "../clipboard.js";
import {queryOf} from "../creation/values.js";
import {placeOf} from "../creation/values.js";
import {asked, correctness, headline, mismatch, stability, timedWords} from "../result/headline.js";
import {pinFound, pinSet} from "../result/pin.js";
import {codePanel} from "../result/code.js";
import {bytesPanel, countsPanel, devicePanel, occupancyResult, provenancePanel, timesPanel} from "../result/evidence.js";
import {changesPanel, timeKnown, whyLine, whyPanel} from "../result/why.js";
import {failedPart, lostPanel, waitingPart} from "../result/waiting.js";
import "../result/words.js";

export const title = () => t("result.title");

const ENDED = ["succeeded", "failed", "cancelled"];
const CODE_ARCH = "sm_90"; /* whose machine code is known of each kernel */

/* What a prediction may be asked of an experiment's request, for the chart. */
function questionOf({
  kernel,
  measure,
  labels,
  priority,
  timeout_s,
  transfers,
  counters,
  placement,
  device,
  show: shown,
  reference,
  tolerance,
  ...rest
}) {
  return {kernel, ...rest};
}

export async function open(root, {id}, context) {
  const experiment = await get(`/v1/experiments/${id}`, {signal: context.signal}).catch(async error => {
    if (error.status !== 404) throw error;
    const {restoreOffer} = await import("../bulk/removal.js");
    replace(
      root, h("h1", {class: "heading"}, t("result.missing")), h("p", {class: "detail"}, error.message),
      restoreOffer(error, context.go), h("p", {}, h("a", {href: link("experiments")}, t("nav.experiments"))));
    return null;
  });
  if (!experiment) return null;
  /* Of a kernel of one's own. */
  const outputs = experiment.request.kernel.startsWith("src-") ? await import("../result/outputs.js") : null;
  return show(root, experiment, outputs, context);
}

async function show(root, first, outputs, {go, announce, query, setQuery, signal}) {
  const {id} = first, path = `/v1/experiments/${id}`, closing = [];
  const head = h("div", {class: "result-head"}), body = h("div", {}), buttons = h("div", {class: "result-buttons"}),
        facts = h("p", {class: "asked"});
  let experiment = first, me = null, parameters = [], known = null, brought = null;
  let pin = pinFound(query, setQuery), baseline = null, panelOfPinned = null;
  /* Loaded where a result is pinned. */
  const pinnedLoad = async () => {
    if (pin) ({baselinePanel: panelOfPinned} = await import("../result/baseline.js"));
  };
  await pinnedLoad();
  if (signal.aborted) return null;
  const code = codePanel(), counting = h("div", {class: "counting"});
  /* The headline, which gets the focus, stands before the buttons: the next Tab finds them. */
  replace(root, head, h("div", {class: "result-top"}, facts, buttons), body);

  get(`/v1/kernels/${experiment.request.kernel}`, {signal})
    .then(
      kernel => {
        parameters = kernel.parameters.map(one => one.name);
        brought = kernel;
        sourceShow();
        factsShow();
        return outputs?.editorLink(kernel, experiment.request).then(href => {
          change.href = href;
        });
      },
      () => {
        change.hidden = Boolean(outputs); /* somebody else's */
      });

  function sourceShow() {
    if (brought) code.source(outputs ? outputs.listed(brought, experiment) : brought.source);
    outputs?.referenceListed(experiment).then(code.beside);
  }

  const memory = memoryPanel({onWarp: warp => explain(warp)});
  closing.push(() => memory.close());
  let perBlock = null, wanted = 0, asking = false;
  async function explain(warp) {
    wanted = warp;
    if (asking) return;
    if (experiment.faults?.length) { /* nothing is predicted of a kernel that has a fault */
      memory.node.hidden = true;
      code.sourceAlone();
      return;
    }
    asking = true;
    const {request} = experiment, arch = experiment.prediction?.arch ?? "sm_90", question = questionOf(request);
    const ask = (n, archs = arch) => n < 0 ?
      null :
      post("/v1/predictions", {...question, arch: archs, explain: placeOf(n, perBlock ?? 1)}, {signal})
        .catch(() => null);
    let first = null; /* the answer for the first warp */
    if (perBlock === null) {
      first = await ask(0, [...new Set([arch, CODE_ARCH])]);
      perBlock = first?.explain?.warps_per_block ?? 1;
      code.code(first?.predictions ?? [], experiment.device?.arch);
    }
    let done;
    do {
      done = wanted;
      const [at, before, after] =
        await Promise.all([first && done === 0 ? first : ask(done), ask(done - 1), ask(done + 1)]);
      if (signal.aborted) return;
      if (at?.explain)
        memory.show({explain: at.explain, before: before?.explain, after: after?.explain, grid: at.request.grid});
      memory.node.hidden = !at?.explain;
    } while (done !== wanted);
    asking = false;
  }

  function factsShow() {
    replace(
      facts, h("span", {class: "mono"}, experiment.entry && `${experiment.entry} `, experiment.request.kernel),
      asked(experiment.request, experiment, parameters)
        .map(([name, value]) => h("span", {}, name && `${name} `, h("b", {class: name ? "" : "plain-weight"}, value))),
      labelMarks(experiment.request.labels));
  }

  /* ---- what one may do with it ---- */

  const act = f => async event => {
    event.target.disabled = true;
    try {
      await f();
    } catch (error) {
      if (signal.aborted) return;
      replace(problem, error.message);
      problem.hidden = false;
    }
    event.target.disabled = false;
  };
  const problem = h("p", {class: "wrong note", role: "alert", hidden: true});
  buttons.after(problem);
  const change = h("a", {class: "button", href: link(`new?${queryOf(experiment.request)}`)}, t("result.change"));
  /* The grid is part of the address only where it is another than the one that covers the size. */
  const {grid, ...without} = questionOf(experiment.request);
  const ownGrid = !without.dtype ? /* a kernel of one's own may need a grid */
    Promise.resolve(false) :
    post("/v1/predictions", {...without, arch: "sm_90"}, {signal})
      .then(({request}) => JSON.stringify(request.grid) !== JSON.stringify(grid), () => false);
  ownGrid.then(own => {
    if (own) change.href = link(`new?${queryOf(experiment.request, true)}`);
  });

  const timed = () => experiment.state === "succeeded" && !experiment.interpreter;
  const submit = async (path, body) => {
    const answer = await send("POST", path, body, {signal});
    await go(`${path === "/v1/sweeps" || answer.json.points ? "sweeps" : "experiments"}/${answer.json.id}`);
  };
  const compare = h("a", {class: "button"}, t("result.compare"));
  let buttonsShown = null;
  function buttonsShow() {
    const mine = me && (me.role === "admin" || (me.role === "run" && me.name === experiment.owner)),
          ended = ENDED.includes(experiment.state),
          mark = String([ended, mine, timed(), pin, mayRun(me), experiment.unwritten]),
          held = buttons.contains(document.activeElement);
    if (mark === buttonsShown) return; /* what has the focus stays */
    buttonsShown = mark;
    replace(
      buttons,
      !ended && mine && !experiment.unwritten &&
        h("button", {
          type: "button",
          class: "button",
          onclick: act(async () => {
            const {cancelAsked} = await import("../bulk/cancel.js");
            if (await cancelAsked(path, me, signal)) await again();
          })
        },
          t("result.cancel")),
      change, timed() && compare,
      timed() && pin !== id &&
        h("button", {type: "button", class: "button", data: {key: "pin"}, onclick: () => pinChange(id)}, t("pin.pin")),
      ended && mayRun(me) &&
        h("button",
          {type: "button", class: "button", onclick: act(() => submit("/v1/experiments", experiment.request))},
          t("result.again")),
      ended && mine &&
        h("button", {
          type: "button",
          class: "button",
          data: {key: "remove"},
          onclick: act(async () => {
            const {removeAndLeave} = await import("../bulk/removal.js");
            await removeAndLeave(path, "experiments", go, {signal});
          })
        },
          t("result.remove")));
    if (held) buttons.querySelector("a, button")?.focus({preventScroll: true});
  }

  /* What may be counted, or why not: the devices come later than the result. */
  function countingShow() {
    const {device, device_name: name, request} = experiment, found = known?.find(one => one.device_name === name);
    if (!ENDED.includes(experiment.state) || request.counters || !known) return;
    if (!found) return void replace(counting, h("p", {class: "note"}, t("counts.gone")));
    if (!found.counters)
      return void replace(counting, h("p", {class: "note"}, t("counts.no_device", {device: device?.name ?? name})));
    const counted = {...request, counters: true, ...(known.length > 1 && !request.device && {device: name})};
    replace(
      counting,
      mayRun(me) &&
        h("div", {class: "row"}, button(t("counts.run"), () => submit("/v1/experiments", counted), {key: "count"}),
          h("span", {class: "note"}, t("counts.run_note"))));
  }

  async function pinChange(to) {
    pin = to;
    await pinnedLoad();
    pinSet(to, setQuery);
    stateShow();
    /* The button that was pressed is gone. */
    root.querySelector(to ? "[data-key=unpin]" : "[data-key=pin]")?.focus();
  }

  /* ---- what it is ---- */

  let panels = [];
  function resultShow() {
    panels.forEach(panel => panel.close?.());
    const failed = experiment.state !== "succeeded",
          made = experiment.timing || experiment.correctness ? experiment : null;
    const chart = span => ({node: h("div", {class: `span-${span} memory-cell`}, memory.node)});
    let parts = [chart(7)], bar = null;
    if (failed)
      replace(head, failedPart(experiment, made && mismatch(made), outputs?.failureSaid(experiment)));
    else if (experiment.interpreter) {
      const words = outputs.outcome(experiment);
      replace(
        head, h("h1", {class: "headline"}, words),
        h("p", {class: "lead"}, correctness(experiment), " ", outputs.interpreted(experiment)));
    } else {
      const top = headline(experiment), unstable = !experiment.stability.stable,
            why = top.why ? [" ", t("result.no_peak", {why: top.why})] : "";
      bar = top.gbps && top.peak ? fit(
                                     width => peakDraw(
                                       {
                                         value: top.gbps,
                                         peak: top.peak,
                                         words: t("result.measured", {gbps: bandwidth(top.gbps)}),
                                         peakWords: t("result.paper", {gbps: bandwidth(top.peak)}),
                                         outline: unstable
                                       },
                                       width),
                                     {class: "peak-place"}) :
                                   null;
      replace(
        head, h("h1", {class: unstable ? "headline unstable" : "headline"}, top.words),
        h("p", {class: "lead"}, timedWords(experiment), correctness(experiment), " ",
          h("span", {class: unstable ? "warn" : null}, stability(experiment)), why),
        whyLine(experiment), bar?.node);
      const why_known = timeKnown(experiment),
            changes =
              why_known && changesPanel(experiment, ownGrid, mayRun(me) ? body => submit("/v1/sweeps", body) : null);
      const times = timesPanel(experiment, why_known && !changes ? 12 : 7, signal), moved = bytesPanel(experiment);
      compare.href = link(`compare?a=${id}`); /* with the pinned one, once that is known */
      baseline = pin && panelOfPinned(pin, {
                   signal,
                   onUnpin: () => pinChange(null),
                   onCompare: href => {
                     compare.href = href;
                   }
                 });
      baseline?.show(experiment);
      parts = [
        baseline, ...(why_known ? [whyPanel(experiment), moved, times, changes] : [times, moved]), chart(12), code,
        countsPanel(experiment, counting)
      ].filter(Boolean);
    }
    const said = head.querySelector("h1").textContent;
    document.title = `${said} · ${experiment.entry ?? experiment.request.kernel} · coalesced`;
    sourceShow();
    if (experiment.interpreter) parts = [outputs.outputsPanel(experiment), code, chart(12)].filter(Boolean);
    if (made) parts.push(...(outputs ? [] : [occupancyResult(experiment, signal)]), devicePanel(experiment));
    panels = [...parts, provenancePanel(experiment, copyText)];
    countingShow();
    replace(
      body,
      h("div", {class: "grid result-grid"}, panels.map(panel => panel.node),
        h("div", {class: "span-12"}, lostPanel(experiment, nameOf))));
    if (bar) panels.push(bar);
  }

  const nameOf = number => known?.find(device => device.index === number)?.device_name ?? count(number);
  const waiting = waitingPart({announce}), lost = h("div", {class: "span-12"});
  let progress = null;
  function stateShow() {
    const held = head.contains(document.activeElement);
    partsShow();
    if (!held || head.contains(document.activeElement)) return;
    headingFocus(head);
  }
  function partsShow() {
    factsShow();
    buttonsShow();
    if (ENDED.includes(experiment.state)) return resultShow();
    if (!waiting.node.isConnected) {
      replace(head, waiting.node);
      replace(body, h("div", {class: "grid"}, h("div", {class: "span-12"}, memory.node), lost));
    }
    waiting.show(experiment, progress);
    redraw(lost, lostPanel(experiment, nameOf));
  }

  async function again() {
    const before = experiment.state, now = await get(path, {signal});
    if (ENDED.includes(experiment.state)) return; /* an answer that was overtaken */
    experiment = now;
    if (experiment.state === "queued") progress = null;
    stateShow();
    if (before !== experiment.state && ENDED.includes(experiment.state)) announce(document.title);
  }

  /* One stream of events serves the whole page: a browser opens few connections to a service, and all of its tabs share
   * them. */
  const placeRead = atMost(1000, () => {
    if (!ENDED.includes(experiment.state)) again().catch(() => {});
  });
  function eventSeen({event, data}) {
    if (ENDED.includes(experiment.state)) return;
    if (event === "progress" && data.id === id) {
      progress = data;
      stateShow();
    } else if (event === "state" && data.id === id)
      again().catch(() => {});
    else if (event !== "progress" && event !== "device")
      placeRead();
  }

  let queue = null;
  closing.push(watchLive(live => {
    const devices = known !== live.devices;
    known = live.devices;
    if (queue !== live.queue && (experiment.state === "queued" || blockedBy(live.queue))) placeRead();
    queue = live.queue;
    if (live.me !== me) {
      me = live.me;
      buttonsShow();
      countingShow();
    } else if (devices)
      countingShow();
  }));
  stateShow();
  explain(0);
  closing.push(onChange(eventSeen));
  placeRead(); /* what happened before the events were listened to */
  return () => {
    closing.forEach(close => close());
    panels.forEach(panel => panel.close?.());
  };
}

/* /ui/: the devices and how they are, what runs, whose turn is next, the last results. Its heading says when yours
 * begin. */
import {barOf, asked, cell, experimentLink, agoCell, headCell, ownerMark, ownerName, resultCells, stateMark, table} from "../parts.js";
import {blockedBy, DRAWN_MOST, deviceLink, deviceNotes, devicesTable, deviceState, stateCounts, heldBy, heldText, productOf, queueOf, readings, refusalBox} from "../devices.js";
import {link, RAN_HERE} from "../api.js";
import {h, redraw, replace} from "../dom.js";
import {count, digits, duration} from "../format.js";
import {atMost, mayRun, onChange, watchLive} from "../live.js";
import {rowsOf as tableRows} from "../table.js";
import {experimentOf, lineName, linesOf, queueTable, runsOn, shares, steadyRows, sweepOf} from "../waiting.js";
import {reasonSaid, t} from "../words.js";
import {phaseName} from "../lab/phase_words.js";
import "../lab/queue_words.js";
import "../lab/words.js";

const SWEEPS = 3, RESULTS = 8, OWNERS_READ = 6, REDRAW_MS = 250, RESULTS_MS = 4000, NEWCOMER_RUNS = 5;

export const title = () => t("nav.lab");

/* ---- the answer ---- */

/* Mine, soonest first; nobody's where nobody has a name. */
const ownOf = (queue, me) => !me?.name ?
  [] :
  queue.devices.flatMap(one => one.owners)
    .filter(one => one.owner === me.name)
    .sort((a, b) => (a.begins_seconds ?? Infinity) - (b.begins_seconds ?? Infinity));

function answer({devices, queue, me}) {
  const [ill] = devices ?? [];
  if (ill && devices.every(device => device.readiness === "unhealthy"))
    return t("device.is_unhealthy", {name: ill.device_name, reason: ill.status.reason ?? ""});
  const own = ownOf(queue, me), waiting = own.find(owner => owner.queued);
  const held = queue.paused && !queue.devices.every(one => one.paused) ?
    queue :
    queue.devices.every(one => heldBy(queue, one.device)) && heldBy(queue, queue.devices[0]?.device);
  if (waiting && held) return heldText(held);
  if (own.some(owner => owner.running))
    return waiting ? t("lab.runs_more", {n: count(waiting.queued), words: waiting.queued}) : t("lab.runs");
  if (waiting) {
    const first = experimentOf(queue, waiting.next), ahead = first?.position ?? null, begins = waiting.begins_seconds;
    if (first?.waits_for) return t("wait.for", {why: reasonSaid(first.waits_for)});
    if (begins === null) return t("lab.waits", {n: count(waiting.queued), words: waiting.queued});
    const time = duration(begins);
    return ahead === null || ahead < 1 ? t("lab.next", {time}) :
                                         t(ahead === 1 ? "lab.one_ahead" : "lab.ahead", {n: count(ahead), time});
  }
  if (held) return heldText(held);
  const why = blockedBy(queue) ?? reasonSaid(queue.refuses);
  if (why && !queue.queued && !queue.running) return t("wait.nothing", {why});
  if (!queue.queued && !queue.running) return t("lab.idle");
  const soonest = queue.devices.map(one => one.eta_seconds).filter(eta => eta !== null).sort((a, b) => a - b)[0];
  const values = {
    n: count(queue.queued || queue.running),
    words: queue.queued || queue.running,
    time: duration(soonest ?? 0)
  };
  if (soonest === undefined || !mayRun(me)) return t(queue.queued ? "lab.busy" : "lab.only_runs", values);
  return t(queue.queued ? "lab.would" : "lab.would_next", values);
}

/* ---- devices ---- */

function phaseText({phase, samples}) {
  const name = phaseName(phase);
  return samples ? t("lab.phase", {phase: name, n: count(samples), words: samples}) : name;
}

function runs(device, queue, me, progress, sweeps) {
  const own = queueOf(queue, device.index);
  if (!own?.running) {
    const held = heldBy(queue, device.index);
    const why = own?.waits_for && reasonSaid(own.waits_for);
    return h(
      "div", {class: "box"},
      held          ? heldText(held) :
        why         ? (own.queued ? t("wait.for", {why}) : why) :
        own?.queued ? t("lab.between") :
                      t("lab.idle"));
  }
  const experiment = experimentOf(queue, own.running), sweep = sweeps.get(sweepOf(experiment));
  const phase = progress.get(device.index), left = experiment?.sweep_left ?? sweep?.total;
  const told = sweep          ? t("lab.point", {n: count(sweep.total - left + 1), of: count(sweep.total)}) :
    phase?.id === own.running ? phaseText(phase) :
                                "";
  return h(
    "div", {class: "box runs"},
    h("div", {class: "line"},
      h("span", {}, ownerName(experiment?.owner ?? null, me), " ",
        experiment && experimentLink(own.running, asked(experiment))),
      h("span", {class: "quiet"}, told)),
    sweep && barOf((sweep.total - left) / sweep.total, "ink thin"));
}

function devicePanel(device, state, progress, sweeps) {
  const {queue, me} = state;
  return h(
    "section", {class: "panel device"},
    h("header", {}, h("h2", {}, deviceLink(device), " ", h("span", {class: "quiet"}, productOf(device))),
      stateMark(deviceState(device, queue))),
    deviceNotes(device) ?? runs(device, queue, me, progress, sweeps), device.readiness === "ready" && readings(device),
    device.note && h("p", {class: "note"}, device.note));
}

/* How many are how. */
function stateMarks({devices, queue}) {
  return stateCounts(devices, queue).map(([name, n], i) => [i > 0 && " · ", `${count(n)} `, stateMark(name)]);
}

/* ---- last results ---- */

function resultRow(row, state) {
  const device = state.devices?.find(one => one.index === row.device);
  return h(
    "tr", {}, h("th", {scope: "row"}, ownerMark(row.owner, state.me), ownerName(row.owner, state.me)),
    cell(experimentLink(row.id, asked(row))), resultCells(row, device), agoCell(row.finished_at ?? row.submitted_at));
}

function peakText(devices) {
  const peaks = [...new Set((devices ?? []).map(device => device.peak_gbps).filter(Boolean))];
  return peaks.length === 1 ? t("lab.of_peak", {peak: `${digits(peaks[0])}\u00a0GB/s`}) : t("lab.of_peaks");
}

function resultsTable(rows, state) {
  if (!rows) return h("p", {class: "note"}, "…");
  if (!rows.length) return h("p", {class: "note"}, t("lab.no_results"));
  return table(
    t("lab.results"),
    [
      headCell(t("queue.owner")), headCell(t("lab.experiment")), headCell(t("lab.result"), true),
      h("th", {scope: "col", class: "spare"}, peakText(state.devices)), headCell(t("lab.note")),
      headCell(t("lab.ended_ago"), true)
    ],
    rows.map(row => resultRow(row, state)));
}

/* The owners whose lists have the last results: those who used a device lately, most first; null: one list of all. The
   service lists by submission. Experiments of one owner run in that order, those of several owners do not. */
function ownersLately({queue, me}, mine) {
  if (mine && me?.name) return [me.name];
  const lately = [...queue?.shares ?? []].filter(one => one.share > 0).sort((a, b) => b.share - a.share),
        names = new Set(
          [...lately, ...(queue?.devices ?? []).flatMap(one => one.owners)].map(({owner}) => owner ?? "nobody"));
  return names.size < 2 ? [null] : [...names].slice(0, OWNERS_READ);
}

/* The last ones that ended, with what they asked and how they came out. */
async function resultsRead(api, mine, state, signal) {
  const of = async (owner, outcome) => {
    const whose = owner === null ? "" : `&owner=${encodeURIComponent(owner)}`,
          path = `/v1/experiments?page_size=${RESULTS}${whose}&state=${outcome}`;
    const [{experiments}, text] =
      await Promise.all([api.get(path, {signal}), api.text(path, {signal, headers: {Accept: "text/csv"}})]);
    const listed = new Map(experiments.map(one => [one.id, one]));
    return tableRows(text)
      .filter(({id}) => listed.has(id))
      .map(row => ({...row, request: listed.get(row.id).request, entry: listed.get(row.id).entry}));
  };
  const lists = ownersLately(state, mine).flatMap(owner => [of(owner, "succeeded"), of(owner, "failed")]),
        ended = (await Promise.all(lists)).flat();
  return ended.sort((a, b) => a.finished_at < b.finished_at ? 1 : -1).slice(0, RESULTS);
}

const sweepsRead = (api, {me}, mine, signal) =>
  api.get(`/v1/sweeps?page_size=${SWEEPS}${mine && me?.name ? `&owner=${encodeURIComponent(me.name)}` : ""}`, {signal})
    .then(({sweeps}) => sweeps);

/* The sweeps are read every few seconds only, so a running one has no numbers here: the queue above, which is read more
   often, tells how much of it is left. */
const sweepsLine = sweeps => sweeps.length > 0 &&
  h("p", {class: "note below"}, t("lab.sweeps"), " ",
    sweeps.map(
      ({id, recipe, entry, kernel, state, succeeded, total}, i) =>
        [i > 0 && t("list.comma"),
         h("a", {href: link(`sweeps/${id}`)},
           `${recipe ?? entry ?? [kernel].flat().join(", ")} …\u2060${id.slice(-6)}`),
         ` (${
           state === "running" ? t("lab.sweep_open") :
                                 t("lab.sweep_done", {n: count(succeeded), of: count(total)})})`]));

/* ---- the page ---- */

export function open(root, params, {api, query, setQuery, announce, go, signal}) {
  const heading = h("h1", {class: "heading"}, "…"), devicesPlace = h("div", {class: "grid devices"}),
        queues = h("div", {class: "grid queues"});
  const resultsBody = h("div", {}), choice = h("span", {class: "choice", role: "group", "aria-label": t("lab.whose")});
  const refusal = h("div", {}), add = h("a", {class: "button primary", href: api.link("new")}, t("lab.new"));
  let state = {}, rows = null, newest = [], mine = query.get("results") === "mine";
  const progress = new Map(), sweeps = new Map();

  const drawResults = () => redraw(resultsBody, resultsTable(rows, state), sweepsLine(newest));
  const draw = atMost(REDRAW_MS, () => {
    if (signal.aborted) return;
    add.hidden = state.me?.role === "metrics"; /* it may read no kernels either */
    if (!state.queue) {
      if (state.me?.role === "metrics") heading.textContent = t("queue.metrics", {name: state.me.name});
      return;
    }
    const text = answer(state);
    if (heading.textContent !== text) {
      heading.textContent = text;
      announce(text);
    }
    redraw(refusal, refusalBox(state.queue, text));
    const {devices, queue, me} = state, many = devices?.length > DRAWN_MOST;
    devicesPlace.classList.toggle("devices", !many);
    redraw(
      devicesPlace,
      many ? h("section", {class: "panel span-12 many"},
               h("header", {}, h("h2", {}, h("a", {class: "row-link", href: link("devices")}, t("device.all"))),
                 h("span", {class: "quiet"}, stateMarks(state))),
               devicesTable(devices, queue, device => runsOn(queue, device, me))) :
             (devices ?? []).map(device => devicePanel(device, state, progress, sweeps)));
    const lines = linesOf(queue).filter(line => line.owners.length).slice(0, DRAWN_MOST).map(linePanel);
    redraw(
      queues,
      (lines.length > 0 || queue.devices.some(one => one.owners.length) ||
       queue.shares.some(one => one.owner !== null)) &&
        [lines[0] ?? linePanel({devices: queue.devices, owners: []}), sharesPanel(), lines.slice(1)]);
    drawResults();
  });
  const rowsOf = steadyRows(queues, draw);

  const linePanel = line =>
    h("section", {class: "panel wide"},
      h("header", {}, h("h2", {}, t("lab.queue_of"), " ", lineName(line)),
        h("span", {class: "quiet"}, t("lab.order"),
          state.me?.role === "admin" && [" · ", h("a", {href: link("queue")}, t("lab.to_hold"))])),
      line.owners.length ? queueTable(rowsOf(state.queue, line), state.me) :
                           h("p", {class: "note"}, t("lab.nothing_waits")));
  const sharesPanel = () =>
    h("section", {class: "panel narrow"},
      h("header", {}, h("h2", {}, t("lab.shares")), h("span", {class: "quiet"}, t("lab.lately"))),
      shares(state.queue, state.me));

  const readSweeps = atMost(1000, async () => {
    const running = state.queue?.devices.filter(one => one.running) ?? [],
          paths =
            running.length > DRAWN_MOST ? [] : running.map(one => sweepOf(experimentOf(state.queue, one.running)));
    for (const path of new Set(paths)) {
      if (path)
        api.get(`${path}?page_size=1`, {signal}).then(sweep => {
          sweeps.set(path, sweep);
          draw();
        }, () => {});
    }
  });
  const resultsLook = () => {
    const whose = mine;
    const asked = [resultsRead(api, whose, state, signal), sweepsRead(api, state, whose, signal).catch(() => newest)];
    return Promise.all(asked).then(([read, sweeps]) => {
      if (whose !== mine) return;
      rows = read;
      newest = sweeps;
      draw();
    }, () => {});
  };
  const readResults = atMost(RESULTS_MS, resultsLook);

  /* Without a name nothing is one's own. */
  function drawChoice() {
    if (!state.me?.name) return replace(choice);
    const one = (text, value) =>
      h("button", {
        type: "button",
        class: "plain",
        data: {key: `results ${value}`},
        "aria-pressed": String(mine === value),
        onclick: () => {
          if (mine === value) return;
          mine = value;
          rows = null; /* the old rows are of the other choice */
          newest = [];
          setQuery({results: mine ? "mine" : null});
          drawChoice();
          drawResults();
          resultsLook();
        }
      },
        text);
    redraw(choice, one(t("lab.mine"), true), one(t("lab.everybodys"), false));
  }

  /* A user with fewer than NEWCOMER_RUNS submissions sees the introduction above the results. Without tokens the
     service does not know its users, and the submissions of this browser are counted. */
  const results = h("section", {class: "panel"}, h("header", {}, h("h2", {}, t("lab.results")), choice), resultsBody),
        first = h("div", {class: "grid welcome"});
  let looked = false;
  async function newcomerLook({me, devices}) {
    if (looked || !me || !devices) return;
    looked = true;
    if (me.name && me.role === "admin") return; /* who looks after the devices sees them first */
    const own = me.name && mayRun(me) ? `&owner=${encodeURIComponent(me.name)}` : "";
    const {experiments} = await api.get(`/v1/experiments?page_size=${NEWCOMER_RUNS}${own}`, {signal}),
          runs = me.name ? experiments.length : Number(localStorage.getItem(RAN_HERE));
    if (experiments.length === NEWCOMER_RUNS && runs >= NEWCOMER_RUNS) return;
    const {welcome} = await import("../welcome.js");
    if (signal.aborted) return;
    replace(first, welcome({device: devices[0], go, signal}));
    first.after(results);
  }

  drawChoice();
  replace(root, h("div", {class: "head"}, heading, add), refusal, first, devicesPlace, queues, results);
  let seen = null;
  const stop = [
    watchLive(
      now => {
        state = now;
        newcomerLook(now).catch(() => {});
        if (!choice.firstChild) drawChoice();
        const mark = JSON.stringify(now.queue?.devices.map(one => [one.running, one.queued]));
        if (now.queue && mark !== seen) readResults(); /* which owners to read depends on the queue */
        if (now.queue?.running) readSweeps();
        seen = mark;
        draw();
      },
      0),
    onChange(event => {
      if (event.event === "progress") {
        progress.set(event.data.device, event.data);
        draw();
      } else if (event.event === "removal") {
        readResults();
        readSweeps();
      }
    })
  ];
  return () => stop.forEach(end => end());
}

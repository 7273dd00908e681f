/* /ui/compare?a=...&b=...: which of two sides is faster, point by point, with the interval of each ratio and what it
 * takes where that cannot be told. */
import "../compare/words.js";
import {get, post, postText} from "../api.js";
import {fit} from "../charts/fit.js";
import {h, redraw, replace} from "../dom.js";
import {count, digits} from "../format.js";
import {atMost, onChange, watchLive} from "../live.js";
import {button, TURNS} from "../parts.js";
import {t} from "../words.js";
import {askingMore} from "../compare/asking.js";
import {apartPanel, butFor, differsPanel} from "../compare/differs.js";
import {optionsForm, sideForm, syntax} from "../compare/form.js";
import {runsOut} from "../compare/more.js";
import {LETTERS, bodyOf, experimentsOf, hasShortId, isEmpty, nameOf, sideFound, sideRead, sideText, sideWords} from "../compare/sides.js";
import {countsRow, headingOf, leftOut, shortPercent} from "../compare/summary.js";
import {hasEnded} from "../sweep/data.js";
import {comparisonTable, valueText} from "../compare/table.js";

const RECENT = 20, SINGLE_READ = 100, LOOKED_MOST = 100;
const COMPUTE_MS = 1000, POLL_MS = 4000, AGES_MS = 10000, DRAWN_MS = 300;

export const title = () => t("nav.compare");

/* A member of the request as the form calls it. */
function pointerName(pointer) {
  const [, name, ...parts] = pointer.split("/");
  if (LETTERS.includes(name))
    return [t("compare.side", {letter: name.toUpperCase()}), parts.join(".")].filter(Boolean).join(t("punct.comma"));
  return ["but_for", "same_within"].includes(name) ? t(`compare.${name}`) : pointer;
}

/* Where both sides ran on several devices, each point is paired within each: the device is a factor like any
   other. */
function factored(comparison, devices) {
  const nameOf = uuid => devices.find(one => one.uuid === uuid)?.device_name ?? uuid;
  for (const point of comparison.points) {
    const {device_uuid: uuid, ...values} = point.values;
    if (uuid) point.values = {...values, device: nameOf(uuid)};
  }
  for (const one of comparison.differs.filter(({field}) => field === "device_uuid"))
    for (const value of [...one.a, ...one.b]) value.value = nameOf(value.value);
  return comparison;
}

/* Of a point of which runs are out there is no verdict: what has come of one side is later than all of the other. */
function held(comparison, requests) {
  comparison.verdicts.under_way = 0;
  for (const point of comparison.points.filter(one => requests.some(request => runsOut(request, one)))) {
    comparison.verdicts[point.verdict]--;
    comparison.verdicts.under_way++;
    Object.assign(point, {verdict: "under_way", needs: null});
  }
  return comparison;
}

export async function open(root, params, {query, setQuery, announce, signal}) {
  const asked = new URLSearchParams(query), known = new Map(), heads = {a: null, b: null}, experiments = {a: [], b: []},
        experiments_read = new Map(), tables = new Map();
  /* Sweeps that have not ended, {request, owner, mine: asked for here}, and the ids of those that were seen to
     end. */
  const running = new Map(), ended = new Set();
  const heading = h("h1", {class: "heading", tabindex: "-1"}, t("nav.compare")), under = h("p", {class: "lead-line"}),
        acts = h("div", {class: "acts"}), form = h("details", {class: "panel compare-form", open: true}),
        body = h("div", {}), news = h("div", {"aria-live": "polite"});
  let sides = {a: sideRead(asked.get("a")), b: sideRead(asked.get("b"))}, recent = [], single = [], comparison = null,
      me = null, wrong = null, forest = null;

  const change = values => {
    for (const [name, value] of Object.entries(values))
      if (value === null || value === "")
        asked.delete(name);
      else
        asked.set(name, value);
    setQuery(values);
    sides = {a: sideRead(asked.get("a")), b: sideRead(asked.get("b"))};
    compute();
  };
  const timeChoice = () =>
    h("span", {class: "segments", role: "group", "aria-label": t("compare.time")},
      ["cold", "hot"].map(
        time =>
          h("button", {
            type: "button",
            "aria-pressed": String((asked.get("time") ?? "cold") === time),
            data: {key: `time ${time}`},
            onclick: () => change({time: time === "cold" ? null : time})
          },
            t(`strip.${time}`))));

  /* ---- asking ---- */

  async function request() {
    const same = Number((asked.get("same") ?? "0.5").replace(",", "."));
    const [a, b] = await Promise.all(LETTERS.map(letter => bodyOf(sides[letter], signal, tables)));
    return {
      a,
      b,
      time: asked.get("time") === "hot" ? "hot" : "cold",
      ...(Number.isFinite(same) && {same_within: same / 100}),
      ...(asked.get("but_for") && {but_for: asked.get("but_for").split(/[,+ ]+/).filter(Boolean)})
    };
  }
  /* Two chosen experiments are compared because they differ in a field: it is allowed without a question. */
  const isPairApart = answer => answer?.apart.length > 0 && !answer.points.length && !asked.has("but_for") &&
    LETTERS.every(letter => sides[letter].experiments.length === 1);
  async function headsRead() {
    await Promise.all(LETTERS.flatMap(letter => sides[letter].sweeps).map(async id => {
      if (known.get(id)?.request) return;
      const head = await get(`/v1/sweeps/${id}?page_size=1`, {signal}).catch(() => null);
      if (!head) return;
      known.set(id, head);
      runningPut(head, {request: head.request, owner: head.owner, mine: false});
    }));
    for (const letter of LETTERS) heads[letter] = known.get(sides[letter].sweeps[0]) ?? null;
    await Promise.all(LETTERS.map(async letter => {
      const text = sideText(sides[letter]);
      if (!experiments_read.has(text)) experiments_read.set(text, experimentsOf(sides[letter], signal));
      const read = await experiments_read.get(text);
      if (text === sideText(sides[letter])) experiments[letter] = read;
    }));
  }
  function runningPut({id, state}, one) {
    if (state === "running" && !ended.has(id)) running.set(id, one);
  }
  /* Events may have been missed. */
  const again = atMost(POLL_MS, async () => {
    await Promise.all([...running.keys()].map(async id => {
      const head = await get(`/v1/sweeps/${id}?page_size=1`, {signal}).catch(() => null);
      if (head && head.state !== "running") running.delete(id);
    }));
    if (!signal.aborted) computeSoon();
  });
  /* Whether the experiment is one that a side names, or may be one that it chooses. */
  const mayBeOfSides = ({id, sweep}) => LETTERS.some(letter => {
    const {sweeps, experiments: named} = sides[letter];
    return sweeps.length || named.length ? sweeps.includes(sweep) || named.includes(id) : true;
  });
  /* Whether a side has experiments that have not ended. */
  const waits = () => LETTERS.some(letter => comparison?.[letter].left_out.not_ended > 0);
  const computeSoon = atMost(COMPUTE_MS, () => compute());
  const out = () => {
    const here = new Set(LETTERS.flatMap(letter => sides[letter].sweeps));
    return [...running].filter(([id, {mine}]) => mine || here.has(id)).map(([id, one]) => ({id, ...one}));
  };
  let turn = 0;
  async function compute() {
    const mine = ++turn;
    wrong = null;
    try {
      for (const letter of LETTERS)
        if (hasShortId(sides[letter])) {
          const found = await sideFound(sides[letter], signal);
          if (mine !== turn) return;
          sides[letter] = found;
          setQuery({[letter]: sideText(sides[letter])});
          asked.set(letter, sideText(sides[letter]));
        }
      await headsRead();
      const ready = LETTERS.every(letter => !isEmpty(sides[letter]));
      const [answer, {devices}] = ready ?
        await Promise.all([post("/v1/comparisons", await request(), {signal}), get("/v1/devices", {signal})]) :
        [null, {}];
      if (mine !== turn) return;
      if (isPairApart(answer)) return change({but_for: answer.apart.map(({field}) => field).join(",")});
      comparison = answer && held(factored(answer, devices), out().map(({request}) => request));
    } catch (error) {
      if (signal.aborted || mine !== turn) return;
      comparison = null;
      wrong = error;
    }
    draw();
  }

  const asking = askingMore({
    now: () => ({
      sources: Object.fromEntries(
        LETTERS.map(letter => [letter, {parts: sides[letter], head: heads[letter], experiments: experiments[letter]}])),
      comparison,
      me
    }),
    begun: (sweep, request) => {
      known.set(sweep.id, {...sweep, request});
      runningPut(sweep, {request, owner: sweep.owner, mine: true});
    },
    joined: came => {
      for (const letter of LETTERS)
        if (sides[letter].sweeps.length || sides[letter].experiments.length)
          sides[letter] = {...sides[letter], sweeps: [...sides[letter].sweeps, ...came[letter].map(({id}) => id)]};
      change({a: sideText(sides.a), b: sideText(sides.b)});
    },
    focusBack,
    signal
  });

  /* ---- what it shows ---- */

  const tableDraw = (width, over) => comparisonTable(
    {comparison, requests: LETTERS.map(letter => heads[letter]?.request ?? {}), needsCell: asking.needsCell}, width,
    over);

  function commonText() {
    const {common, but_for, points} = comparison, {kernel, ...rest} = common;
    const parts = [
      kernel && h("code", {}, kernel),
      ...Object.entries(rest)
        .filter(([name, value]) => !["grid", "shared_bytes"].includes(name) && value !== "default" && value !== null)
        .map(([name, value]) => `${name} ${valueText(value)}`)
    ].filter(Boolean);
    return [
      but_for.length ?
        [
          t("compare.paired_but"), " ", but_for.map((name, i) => [i > 0 && t("list.comma"), butFor(comparison, name)]),
          t("punct.stop")
        ] :
        points.length > 0 && `${t("compare.paired")} `,
      parts.map((part, i) => [i > 0 && t("list.comma"), part]), parts.length > 0 && points.length > 0 && t("punct.stop")
    ];
  }

  /* A field tells of a change while the focus is on its way to the next one, which is then not drawn anew. */
  const later = values => setTimeout(change, 0, values);

  /* The field of the form in which the user is typing, or null. The form is not drawn again meanwhile, because that
   * would remove the text. */
  let typed = null;
  form.addEventListener("input", event => {
    typed = event.target;
  });
  form.addEventListener("change", () => {
    typed = null;
  });
  form.addEventListener("focusout", () => {
    if (typed) setTimeout(formDraw);
    typed = null;
  });

  function formDraw() {
    if (typed?.isConnected && typed === document.activeElement) return;
    /* Further runs of a side are no side of their own. */
    const further = new Set(LETTERS.flatMap(letter => sides[letter].sweeps.slice(1))),
          offered = recent.filter(({id}) => !further.has(id));
    /* One that is older than those stands among them once it was chosen. */
    const withChosen = ({sweeps: [id]}) =>
      offered.some(one => one.id === id) || !known.get(id)?.request ? offered : [known.get(id), ...offered];
    const side = letter => sideForm(
      letter.toUpperCase(), () => sides[letter], {sweeps: withChosen(sides[letter]), experiments: single},
      text => later({[letter]: text}));
    redraw(
      form, h("summary", {}, t("compare.form")), h("div", {class: "sides"}, side("a"), side("b")),
      h("div", {class: "filters"}, optionsForm(asked, (name, value) => later({[name]: value || null}))), syntax());
  }

  function underDraw() {
    if (!comparison) return;
    redraw(
      under,
      LETTERS.map(
        letter =>
          [h("strong", {}, letter.toUpperCase()),
           ` ${sideWords(sides[letter], known)}${t(letter === "a" ? "punct.semicolon" : "punct.stop")}`]),
      commonText());
  }

  /* What was pressed may be gone: then what cancels the runs that it asked for, and after their end the heading. */
  function focusBack(key) {
    if (document.activeElement !== document.body) return;
    const of = wanted => [...root.querySelectorAll("[data-key]")].find(one => one.dataset.key === wanted);
    (of(key) ?? of("cancel runs") ?? heading).focus({preventScroll: true});
  }

  /* Keeps the scroll position and the focus while the page is redrawn. The table appears later than the rest, so the
     page keeps its height for DRAWN_MS. */
  function placeKeep() {
    const key = [news, body].some(one => one.contains(document.activeElement)) && document.activeElement.dataset.key;
    body.style.minHeight = `${body.offsetHeight}px`;
    setTimeout(() => {
      body.style.minHeight = "";
      if (key) focusBack(key);
    }, DRAWN_MS);
  }

  function draw() {
    if (signal.aborted) return;
    const words = comparison ? headingOf(comparison, nameOf(sides.a, "A")) : t("nav.compare");
    if (heading.textContent !== words) {
      heading.textContent = words;
      document.title = `${words} · coalesced`;
      if (comparison) announce(words);
    }
    placeKeep();
    formDraw();
    redraw(news, asking.news(out()));
    redraw(
      acts, timeChoice(),
      h("button", {
        type: "button",
        class: "button",
        data: {key: "swap"},
        onclick: () => change({a: asked.get("b"), b: asked.get("a")})
      },
        t("compare.swap")),
      comparison && button("CSV", async () => {
        const {save} = await import("../charts/export.js"),
              table = await postText("/v1/comparisons", await request(), {signal});
        save(new Blob([table], {type: "text/csv"}), "comparison.csv");
      }, {key: "csv"}));
    forest?.close();
    forest = null;
    if (wrong) {
      redraw(under);
      return void replace(
        body,
        h("section", {class: "panel"},
          h("p", {class: "wrong", role: "alert"},
            wrong.errors?.length ?
              wrong.errors.map(
                ({pointer, detail}) =>
                  h("span", {class: "error-line"}, h("strong", {}, pointerName(pointer)), t("punct.colon"), detail)) :
              wrong.message)));
    }
    if (!comparison) {
      redraw(under, t("compare.choose"));
      return void replace(body);
    }
    underDraw();
    const {a, b, points, chance} = comparison;
    if (points.length) forest = fit(tableDraw, {class: "forest-place"});
    replace(
      body, points.length > 0 && countsRow(comparison),
      points.length          ? differsPanel(comparison) :
        a.points && b.points ? apartPanel(comparison, but_for => change({but_for})) :
                               null,
      points.length > 0 &&
        h("section", {class: "panel"}, forest.node, h("div", {class: "acts again"}, asking.undecidedAgain())),
      h("div", {class: "note compare-note"},
        h("p", {},
          points.length          ? t("compare.note", {percent: shortPercent(comparison.same_within)}) :
            a.points && b.points ? t("compare.why_nothing") :
                                   null,
          points.length > 0 && [" ", t("compare.ratio_note")]),
        points.length > 0 && comparison.apart_us > 0 &&
          h("p", {}, t("compare.apart", {us: digits(comparison.apart_us, 2)})),
        chance.points > 0 &&
          h("p", {},
            t("compare.chance", {n: count(chance.points), words: chance.points, expected: digits(chance.expected, 2)})),
        leftOut(comparison).map(text => h("p", {}, text))));
  }

  replace(root, h("div", {class: "head sweep-head"}, h("div", {}, heading, under), acts), form, news, body);
  form.open = LETTERS.some(letter => isEmpty(sides[letter]));
  const stop = [
    watchLive(live => {
      if (live.me !== me) {
        me = live.me;
        if (comparison) draw();
      }
    }),
    onChange(({event, data}) => {
      if (event === "sweep" && data.ended) {
        ended.add(data.id);
        if (running.delete(data.id)) computeSoon();
      } else if (event === "removal") {
        for (const id of [data.id, data.sweep]) known.delete(id);
        tables.clear();
        computeSoon();
      } else if (event === "state" && waits() && hasEnded(data.state) && mayBeOfSides(data))
        computeSoon();
      else if (["open", "reset", "snapshot", "poll"].includes(event) && (running.size || waits()))
        again();
    })
  ];
  await compute();
  if (running.size) again();
  /* Those to choose from; more runs of another one belong to that. */
  async function recentRead(after = "", looked = 0) {
    const {sweeps, next_page_token: next} = await get(`/v1/sweeps?page_size=${RECENT}${after}`, {signal});
    const read = await Promise.all(sweeps.map(
      sweep => known.get(sweep.id)?.request ? known.get(sweep.id) :
                                              get(`/v1/sweeps/${sweep.id}?page_size=1`, {signal}).catch(() => sweep)));
    for (const sweep of read) known.set(sweep.id, sweep);
    recent = [...recent, ...read.filter(({request}) => !request?.labels?.[TURNS])].slice(0, RECENT);
    formDraw();
    if (next && recent.length < RECENT && looked + RECENT < LOOKED_MOST)
      await recentRead(`&page_token=${next}`, looked + RECENT);
  }
  /* Of experiments those that belong to no sweep. */
  async function singleRead() {
    const {experiments} = await get(`/v1/experiments?state=succeeded&page_size=${SINGLE_READ}`, {signal});
    single = experiments.filter(one => !one.links.sweep && !one.request.kernel.startsWith("src-")).slice(0, RECENT);
    formDraw();
  }
  recentRead().catch(() => {});
  singleRead().catch(() => {});
  const timer = setInterval(underDraw, AGES_MS);
  return () => {
    clearInterval(timer);
    stop.forEach(end => end());
    forest?.close();
  };
}

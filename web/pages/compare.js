/* /ui/compare?a=...&b=...: which of two sides is faster, point by point, with the interval of each ratio and what it
 * takes where that cannot be told. */
import {get, link, nonce, post, postText, send} from "../api.js";
import {save} from "../charts/export.js";
import {fit} from "../charts/fit.js";
import {h, redraw, replace, tip} from "../dom.js";
import {count, digits, shape} from "../format.js";
import {onChange, watchLive} from "../live.js";
import {button, cell, headCell, numberCell} from "../parts.js";
import {windowed} from "../windowed.js";
import {t, term} from "../words.js";
import {headDraw, ratioText, rowDraw, scaleOf, sign} from "../compare/forest.js";
import {optionsForm, sideForm, syntax} from "../compare/form.js";
import {moreRequest, wholeRequest} from "../compare/more.js";
import {bodyOf, isEmpty, nameOf, sideFound, sideRead, sideText, sideWords} from "../compare/sides.js";

const RECENT = 20, VERDICTS = ["better", "same", "worse", "cannot_tell"], LETTERS = ["a", "b"], RUNS_MOST = 10000;

export const title = () => t("nav.compare");

const valueText = value => value === null ? t("sweep.default") :
  Array.isArray(value)                    ? shape([...value, 1].slice(0, 3)) :
  typeof value === "number"               ? count(value) :
                                            String(value);

const shortPercent = part => String(Number((part * 100).toFixed(4)));

/* A grid that follows from the size and the block tells nothing. */
function tellingNames(points) {
  const names = [...new Set(points.flatMap(point => Object.keys(point.values)))],
        without = names.filter(name => name !== "grid");
  const distinct = new Set(points.map(point => JSON.stringify(without.map(name => point.values[name]))));
  return distinct.size === points.length ? without : names;
}

/* Those with few values first: they make the groups. */
function arranged(points) {
  const names = tellingNames(points),
        ranks = new Map(names.map(name => {
          const values =
            [...new Map(points.map(point => [JSON.stringify(point.values[name] ?? null), point.values[name] ?? null]))
               .entries()];
          values.sort(([, a], [, b]) => typeof a === "number" && typeof b === "number" ? a - b : 0);
          return [name, new Map(values.map(([key], i) => [key, i]))];
        }));
  names.sort((a, b) => ranks.get(a).size - ranks.get(b).size);
  const rank = (point, name) => ranks.get(name).get(JSON.stringify(point.values[name] ?? null));
  const sorted = [...points].sort((a, b) => names.reduce((order, name) => order || rank(a, name) - rank(b, name), 0));
  return {
    names,
    sorted: sorted.map(
      (point, i) =>
        ({point, begins: i === 0 || names.length > 1 && rank(point, names[0]) !== rank(sorted[i - 1], names[0])}))
  };
}

function headingOf(comparison, name) {
  const {verdicts, points} = comparison, n = count(points.length);
  if (!points.length) return t("compare.nothing_common");
  if (verdicts.cannot_tell === points.length) return t("compare.nothing_told", {a: name, n, words: points.length});
  if (verdicts.same === points.length) return t("compare.all_same", {a: name, n, words: points.length});
  const said = {a: name, better: count(verdicts.better), n, words: points.length, worse: count(verdicts.worse)};
  return verdicts.cannot_tell ? t("compare.heading_open", {...said, open: count(verdicts.cannot_tell)}) :
                                t("compare.heading", said);
}

function countsRow({verdicts, same_within}) {
  return h(
    "ul", {class: "verdicts"},
    VERDICTS.map(
      verdict =>
        h("li", {}, sign(verdict), h("b", {}, count(verdicts[verdict])),
          h("span", {}, t(`compare.${verdict}_count`, {percent: shortPercent(same_within)})))));
}

/* Where both sides ran on several devices, each point is paired within each: the device is a factor like any other. */
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

const sideValues = values => values.length ?
  values
    .map(
      ({value, runs}) => `${value === null ? t("no_value") : valueText(value)}${
        values.length > 1 ? ` (${t("compare.runs", {n: count(runs), words: runs})})` : ""}`)
    .join(", ") :
                            t("no_value");

function differsPanel({differs, but_for}) {
  const beside = differs.filter(({field}) => !but_for.includes(field.replace(/^request\./, "")));
  if (!beside.length)
    return h(
      "p", {class: "differs"}, t("compare.nothing_differs"),
      but_for.length ? ` ${t("compare.but_for_said", {names: but_for.join(", ")})}` : "");
  return h(
    "div", {class: "differs warned"},
    h("p", {}, h("strong", {}, "△ ", t("compare.differs")), " ", t("compare.differs_why")),
    h("dl", {},
      beside.map(
        ({field, a, b}) =>
          h("div", {}, h("dt", {}, field.replace(/^request\./, "").replaceAll("_", " ")),
            h("dd", {}, "A ", h("code", {}, sideValues(a)), "  B ", h("code", {}, sideValues(b)))))));
}

/* Why there is nothing to compare, or less than there could be. */
function leftOut(comparison) {
  const said = [];
  for (const letter of LETTERS) {
    const side = comparison[letter],
          reasons = Object.entries(side.left_out).filter(([, n]) => n > 0).map(([why, n]) => t(`compare.left_${why}`, {
                                                                                 n: count(n)
                                                                               }));
    if (!side.experiments)
      said.push(t("compare.side_empty", {letter: letter.toUpperCase()}));
    else if (reasons.length)
      said.push(t("compare.side_left_out", {letter: letter.toUpperCase(), reasons: reasons.join(", ")}));
    if (side.only_here.count)
      said.push(t("compare.only_here", {
        letter: letter.toUpperCase(),
        n: count(side.only_here.count),
        words: side.only_here.count,
        first: Object.entries(side.only_here.values[0] ?? {})
                 .map(([name, value]) => `${name} ${valueText(value)}`)
                 .join(", ")
      }));
  }
  return said;
}

export async function open(root, params, {query, setQuery, announce, signal}) {
  const asked = new URLSearchParams(query), known = new Map(), heads = {a: null, b: null}, running = new Set();
  const heading = h("h1", {class: "heading"}, t("nav.compare")), under = h("p", {class: "lead-line"}),
        acts = h("div", {class: "acts"}), form = h("details", {class: "panel compare-form", open: true}),
        body = h("div", {}), news = h("div", {"aria-live": "polite"});
  let sides = {a: sideRead(asked.get("a")), b: sideRead(asked.get("b"))}, recent = [], comparison = null, me = null,
      wrong = null, forest = null;

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
    const [a, b] = await Promise.all(LETTERS.map(letter => bodyOf(sides[letter], signal)));
    return {
      a,
      b,
      time: asked.get("time") === "hot" ? "hot" : "cold",
      ...(Number.isFinite(same) && {same_within: same / 100}),
      ...(asked.get("but_for") && {but_for: asked.get("but_for").split(/[,+ ]+/).filter(Boolean)})
    };
  }
  async function headsRead() {
    for (const letter of LETTERS) {
      const id = sides[letter].sweeps[0];
      heads[letter] = id ?
        known.get(id)?.request ? known.get(id) : await get(`/v1/sweeps/${id}?page_size=1`, {signal}).catch(() => null) :
        null;
      if (heads[letter]) known.set(id, heads[letter]);
    }
  }
  let turn = 0;
  async function compute() {
    const mine = ++turn;
    wrong = null;
    try {
      for (const letter of LETTERS)
        if (sides[letter].bare) {
          sides[letter] = await sideFound(sides[letter], signal);
          setQuery({[letter]: sideText(sides[letter])});
          asked.set(letter, sideText(sides[letter]));
        }
      await headsRead();
      const ready = LETTERS.every(letter => !isEmpty(sides[letter]));
      const [answer, {devices}] = ready ?
        await Promise.all([post("/v1/comparisons", await request(), {signal}), get("/v1/devices", {signal})]) :
        [null, {}];
      if (mine !== turn) return;
      comparison = answer && factored(answer, devices);
    } catch (error) {
      if (signal.aborted || mine !== turn) return;
      comparison = null;
      wrong = error;
    }
    draw();
  }

  /* ---- more runs ---- */

  /* Submits them, and makes them part of the side that they are of. */
  async function more(wanted) {
    for (const [letter, asks] of wanted) {
      const {json} = await send("POST", "/v1/sweeps", asks, {signal, headers: {"Idempotency-Key": nonce()}});
      running.add(json.id);
      known.set(json.id, json);
      if (sides[letter].sweeps.length || sides[letter].experiments.length)
        sides[letter] = {...sides[letter], sweeps: [...sides[letter].sweeps, json.id]};
      news.append(
        h("p", {class: "note"},
          t("compare.asked_more", {letter: letter.toUpperCase(), n: count(json.total), words: json.total}), " ",
          h("a", {href: link(`sweeps/${json.id}`)}, t("compare.see_sweep"))));
    }
    change({a: sideText(sides.a), b: sideText(sides.b)});
  }
  const needsOf = ({needs}) => LETTERS.filter(letter => needs[letter] > 0);
  const mayRun = () => !me || me.role !== "read";
  function needsCell(point) {
    if (!point.needs) return cell();
    const letters = needsOf(point),
          words = letters
                    .map(
                      letter =>
                        t("compare.more_runs",
                          {n: count(point.needs[letter]), letter: letter.toUpperCase(), words: point.needs[letter]}))
                    .join(", ");
    if (!letters.length || !mayRun())
      return cell(tip(h("span", {class: "quiet"}, words || t("compare.wide")), point.needs.reason));
    const act = button(
      words,
      () => more(letters.map(
        letter => [letter, moreRequest(letter, sides[letter], heads[letter], comparison, point, point.needs[letter])])),
      {small: true, key: `more ${JSON.stringify(point.values)}`});
    tip(act[0], point.needs.reason);
    return cell(act);
  }
  function wholeAgain() {
    const untold = comparison.points.filter(point => point.needs);
    if (untold.length < 2 || !mayRun()) return null;
    const wanted = LETTERS.map(letter => [letter, Math.max(...untold.map(point => point.needs[letter]))])
                     .filter(
                       ([letter, n]) => n > 0 && heads[letter] && n * heads[letter].point_count <= RUNS_MOST &&
                         !Object.keys(sides[letter].where).length);
    return wanted.map(
      ([letter, n]) => button(
        t("compare.again",
          {letter: letter.toUpperCase(), n: count(n), words: n, points: count(heads[letter].point_count)}),
        () => more([[letter, wholeRequest(heads[letter], n)]]), {key: `again ${letter}`}));
  }

  /* ---- what it shows ---- */

  function forestTable(width) {
    const {names, sorted} = arranged(comparison.points),
                  drawn = Math.max(
                    150,
                    Math.min(
                      720,
                      width - 88 * Math.max(1, names.length) - 2 * 68 - 128 - 118 - 40 -
                        (comparison.verdicts.cannot_tell ? 200 : 0)));
    const scale = scaleOf(comparison.points, comparison.same_within, drawn), hot = comparison.time === "hot";
    const rowOf = ({point, begins}) =>
      h("tr", {class: `${point.verdict}${begins ? " begins" : ""}`},
        names.length ?
          names.map(
            (name, i) =>
              h(i ? "td" : "th",
                {scope: i ? null : "row",
                 class: i                       ? "number" :
                   begins || names.length === 1 ? null :
                                                  "repeated"},
                i || names.length === 1 || name === "kernel" ? valueText(point.values[name] ?? null) :
                                                               `${name} ${valueText(point.values[name] ?? null)}`)) :
          h("th", {scope: "row"}, t("compare.the_point")),
        numberCell(h("span", {class: "quiet"}, digits(point.a.median_us))), numberCell(digits(point.b.median_us)),
        h("td", {class: "forest-cell"}, rowDraw(scale, point)), h("td", {class: "ratio"}, ratioText(point)),
        h("td", {class: "verdict"}, sign(point.verdict), " ", t(`compare.${point.verdict}`),
          point.a.unstable + point.b.unstable ?
            tip(
              h("span", {class: "warn"}, " △"),
              t("compare.unstable",
                {n: count(point.a.unstable + point.b.unstable), words: point.a.unstable + point.b.unstable})) :
            null),
        comparison.verdicts.cannot_tell ? needsCell(point) : null);
    const heads_of = () =>
      [names.length ? names.map((name, i) => headCell(name, i > 0)) : headCell(""), headCell(`A, µs`, true),
       headCell(`B, µs`, true),
       h("th", {scope: "col", class: "forest-cell"}, h("span", {class: "unseen"}, t("compare.ratio_scale")),
         headDraw(scale)),
       headCell([t("compare.ratio"), " ", term("interval", "95 %")]), headCell(t("compare.verdict")),
       comparison.verdicts.cannot_tell ? headCell(t("compare.needs")) : null];
    const all = windowed({
      caption: t("compare.caption", {time: t(hot ? "strip.hot" : "strip.cold")}),
      heads: () => heads_of().flat().filter(Boolean),
      rowOf,
      rowHeight: 26,
      className: "forest-table"
    });
    all.update(sorted);
    return all.node;
  }

  function commonText() {
    const {common, but_for, points} = comparison, {kernel, ...rest} = common;
    return [
      but_for.length ? [t("compare.paired_but"), " ", h("strong", {}, but_for.join(", ")), ". "] :
                       `${t("compare.paired")} `,
      kernel && h("code", {}, kernel),
      Object.entries(rest)
        .filter(([name, value]) => !["grid", "shared_bytes"].includes(name) && value !== "default" && value !== null)
        .map(([name, value]) => `, ${name} ${valueText(value)}`),
      points.length ? "." : ""
    ];
  }

  function formDraw() {
    const side = letter => sideForm(letter.toUpperCase(), sides[letter], recent, text => change({[letter]: text}));
    redraw(
      form, h("summary", {}, t("compare.form")), h("div", {class: "sides"}, side("a"), side("b")),
      h("div", {class: "filters"}, optionsForm(asked, (name, value) => change({[name]: value || null}))), syntax());
  }

  function draw() {
    if (signal.aborted) return;
    const words = comparison ? headingOf(comparison, nameOf(sides.a, "A")) : t("nav.compare");
    if (heading.textContent !== words) {
      heading.textContent = words;
      document.title = `${words} · coalesced`;
      if (comparison) announce(words);
    }
    formDraw();
    redraw(
      acts, timeChoice(),
      h("button", {
        type: "button",
        class: "button",
        data: {key: "swap"},
        onclick: () => change({a: asked.get("b"), b: asked.get("a")})
      },
        t("compare.swap")),
      comparison &&
        button(
          "CSV",
          async () => save(
            new Blob([await postText("/v1/comparisons", await request(), {signal})], {type: "text/csv"}),
            "comparison.csv"),
          {key: "csv"}));
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
                ({pointer, detail}) => h("span", {class: "error-line"}, h("code", {}, pointer), ` ${detail}`)) :
              wrong.message)));
    }
    if (!comparison) {
      redraw(under, t("compare.choose"));
      return void replace(body);
    }
    redraw(
      under,
      LETTERS.map(
        letter =>
          [h("strong", {}, letter.toUpperCase()),
           ` ${sideWords(sides[letter], known)}${letter === "a" ? "; " : ". "}`]),
      commonText());
    const {points, chance} = comparison;
    if (points.length) forest = fit(forestTable, {class: "forest-place"});
    replace(
      body, points.length > 0 && countsRow(comparison), differsPanel(comparison),
      points.length > 0 && h("section", {class: "panel"}, forest.node, h("div", {class: "acts again"}, wholeAgain())),
      h("div", {class: "note compare-note"},
        h("p", {},
          points.length ? t("compare.note", {percent: shortPercent(comparison.same_within)}) :
                          t("compare.why_nothing")),
        chance.points > 0 &&
          h("p", {},
            t("compare.chance", {n: count(chance.points), words: chance.points, expected: digits(chance.expected, 2)})),
        leftOut(comparison).map(text => h("p", {}, text))));
  }

  replace(root, h("div", {class: "head sweep-head"}, h("div", {}, heading, under), acts), form, news, body);
  form.open = LETTERS.some(letter => isEmpty(sides[letter]));
  await compute();
  get(`/v1/sweeps?page_size=${RECENT}`, {signal}).then(async ({sweeps}) => {
    recent = await Promise.all(sweeps.map(
      sweep => known.get(sweep.id)?.request ? known.get(sweep.id) :
                                              get(`/v1/sweeps/${sweep.id}?page_size=1`, {signal}).catch(() => sweep)));
    for (const sweep of recent) known.set(sweep.id, sweep);
    formDraw();
  }, () => {});
  const stop = [
    watchLive(live => {
      if (live.me !== me) {
        me = live.me;
        if (comparison) draw();
      }
    }),
    onChange(({event, data}) => {
      if (event === "sweep" && data.ended && running.delete(data.id))
        compute();
      else if (event === "poll" && running.size)
        compute();
    })
  ];
  return () => {
    stop.forEach(end => end());
    forest?.close();
  };
}

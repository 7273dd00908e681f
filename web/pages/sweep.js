/* /ui/sweeps/{id}: how far it is, its points against an axis or as a map, its table. What is drawn stands in the
 * address. */
import {get, link, resolve, send, text, token} from "../api.js";
import {board} from "../charts/board.js";
import {linesDraw} from "../charts/lines.js";
import {mapDraw} from "../charts/map.js";
import {painterFor} from "../charts/painter.js";
import {h, redraw, replace, svg} from "../dom.js";
import {Chosen} from "../bulk/chosen.js";
import {queryOf as newQueryOf} from "../creation/values.js";
import {ago, button, labelMarks, stateMark} from "../parts.js";
import {count} from "../format.js";
import {atMost, mayRun, onChange, watchLive} from "../live.js";
import {t, term} from "../words.js";
import {ALL, axisNamed, changed, choiceOf, partText, pathOf, selected, viewsOf} from "../sweep/choice.js";
import {linesOf, linesSentence, mapSentence, mapsOf, relativeOf} from "../sweep/charts.js";
import {Sweep} from "../sweep/data.js";
import {metricOf, metricsOf, withUnit} from "../sweep/metrics.js";
import {commonText, namedValue, valueText} from "../sweep/names.js";
import {progressPart} from "../sweep/progress.js";
import {listText} from "../sweep/request.js";
import {moreButton} from "../sweep/more.js";
import {RUNS_LEAST} from "../sweep/sure.js";
import {chartTable, sweepTable} from "../sweep/table.js";
import "../sweep/words.js";

const REDRAW_MS = 250;

export const title = () => t("sweep.title");

const fileLink = (path, name, words) =>
  h("a", {
    class: "button",
    href: resolve(path),
    download: name,
    onclick: async event => {
      if (!token()) return;
      event.preventDefault();
      const {save} = await import("../charts/export.js");
      save(new Blob([await text(path)], {type: "text/csv"}), name);
    }
  },
    words);

const swept = sweep => sweep.axes.filter(axis => axis.name !== "kernel" && axis.values.length > 1);

function headingOf(sweep, recipe) {
  if (sweep.head.recipe) return recipe?.title ?? sweep.head.recipe;
  const axes = swept(sweep).map(axis => axis.name);
  const kernels = axisNamed(sweep, "kernel")?.values ?? [sweep.head.entry ?? sweep.head.request.kernel];
  return axes.length ? t("sweep.heading", {axes: axes.join(t("list.and")), kernels: kernels.join(", ")}) :
                       kernels.join(", ");
}

const NAMED_MOST = 4;

/* "h200-1, h200-2 and 2 more, NVIDIA H200" */
function ranOn({head, points}) {
  const names = (head.devices ?? []).map(one => one.device_name), rest = names.length - NAMED_MOST,
        product = points[0]?.first.device_name;
  return [
    names.slice(0, NAMED_MOST).join(", ") + (rest > 0 ? ` ${t("queue.more", {n: count(rest), words: rest})}` : ""),
    product
  ].filter(Boolean)
    .join(t("punct.comma"));
}

function underHeading(sweep, recipe) {
  const request = {...recipe?.sweep, ...sweep.head.request},
        kernels = axisNamed(sweep, "kernel")?.values ?? [sweep.head.entry ?? request.kernel].flat();
  const axes = swept(sweep).map(
    axis => t("lists.axis", {name: axis.name, n: count(axis.values.length), words: axis.values.length}));
  const rest = [
    commonText(request, sweep.head.points[0]?.values),
    sweep.head.repeat > 1 && t("sweep.repeated", {n: count(sweep.head.repeat)}), ranOn(sweep),
    sweep.predictedAs && t("sweep.predicted_as", {arch: sweep.predictedAs})
  ].filter(Boolean);
  return [
    h("code", {}, kernels.filter(Boolean).join(", ")), axes.length ? ` × ${axes.join(" × ")}` : "",
    rest.length ? t("punct.comma") + rest.join(t("punct.comma")) : ""
  ];
}

/* Selects of what is drawn. */
function choicesForm(sweep, choice, change) {
  const field = (name, words, options, value) => {
    const id = `choose-${name}`;
    return h(
      "span", {class: "field"},
      h("label",
        {for: id
        },
        words),
      h("select", {id, value, data: {key: id}, onchange: event => change(name, event.target.value)},
        options.map(([one, shown]) => h("option", {value: one}, shown))));
  };
  const several = sweep.axes.filter(axis => axis.values.length > 1),
        axes = (several.length ? several : sweep.axes).map(axis => [axis.name, axis.name]);
  const metrics = metricsOf(sweep).map(
    metric => [metric.id, metric.unit ? metric.title(sweep) + t("punct.comma") + metric.unit : metric.title(sweep)]);
  const drawable = viewsOf(sweep, choice.x, choice.series),
        views = drawable.map(
          view =>
            h("button", {
              type: "button",
              "aria-pressed": String(choice.view === view),
              data: {key: `view ${view}`},
              onclick: () => change("view", view)
            },
              t(`sweep.view_${view}`)));
  return [
    metrics.length > 0 && field("y", t("sweep.choose_y"), metrics, choice.y),
    field("x", t("sweep.choose_x"), axes, choice.x),
    field(
      "series", t("sweep.choose_series"),
      [...axes.filter(([name]) => name !== choice.x), ["none", t("sweep.no_series")]], choice.series || "none"),
    Object.entries(choice.at).map(
      ([name, value]) => field(
        `at.${name}`, name,
        [
          axisNamed(sweep, name).factor && [ALL, t("sweep.all_devices")],
          ...axisNamed(sweep, name).values.map(one => [String(one), valueText(one)])
        ].filter(Boolean),
        String(value))),
    drawable.length > 1 && h("span", {class: "segments", role: "group", "aria-label": t("sweep.view")}, views),
    h("span", {class: "field"},
      h("label",
        {for: "choose-name"
        },
        t("sweep.name")),
      h("input", {
        id: "choose-name",
        type: "text",
        value: choice.name,
        maxlength: "80",
        autocomplete: "off",
        data: {key: "choose-name"},
        onchange: event => change("name", event.target.value.trim() || null)
      })),
    (choice.zoom || choice.rows) &&
      button(
        t("sweep.whole"),
        () => {
          change("zoom", null);
          document.querySelector(".board .drawing")?.focus({preventScroll: true});
        },
        {small: true, key: "whole"})
  ];
}

/* A button for each series: a click hides or shows it. */
const legendOf = (series, toggle) => series.length > 1 && [
  h("span", {class: "unseen"}, t("sweep.legend")), series.map(({key, name, kind, dash, shown}) => {
    const painter = painterFor(1);
    painter.line([[0, 5], [26, 5]], {kind, dash});
    painter.dot(13, 5, {kind, dash});
    return h(
      "button",
      {type: "button", "aria-pressed": String(shown), data: {key: `series ${key}`}, onclick: () => toggle(key)},
      svg("svg", {width: 26, height: 10, "aria-hidden": "true"}, painter.node), name);
  })
];

function linesAside(spec, drawn) {
  return [
    drawn.part && t("sweep.part"), drawn.dense && t("dense.band"), !drawn.dense && spec.ranged && t("sweep.bars"),
    drawn.cut && t("sweep.arrows"),
    drawn.beyond.length > 0 &&
      t("sweep.beyond", {n: count(drawn.beyond.length), most: withUnit(spec.metric, Math.max(...drawn.beyond))}),
    !drawn.dense && spec.unsure && t("sweep.unsure", {n: RUNS_LEAST}),
    spec.crossed.length && t("sweep.crosses", {what: spec.crossed.join(t("list.comma"))}),
    spec.hasPredicted && t("sweep.hollow"), spec.hasPublished && t("sweep.diamonds")
  ].filter(Boolean)
    .join(t("punct.semicolon"));
}

export async function open(root, {id}, {query, setQuery, go, announce, signal}) {
  const closing = [], sweep = new Sweep(id, {signal, changed: () => draw()});
  const heading = h("h1", {class: "heading"}), under = h("p", {class: "lead-line"}), acts = h("div", {class: "acts"}),
        choices = h("div", {class: "filters choices"}), charts = h("div", {class: "grid"}),
        legend = h("p", {class: "note"});
  let recipe = null, me = null, choice = null, asked = new URLSearchParams(query), boards = null, spec = null,
      relative = null, queue = null;
  try {
    await sweep.begin();
  } catch (error) {
    if (error.status !== 404) throw error;
    const {restoreOffer} = await import("../bulk/removal.js");
    return void replace(
      root, h("h1", {class: "heading"}, t("sweep.missing")), h("p", {class: "detail"}, error.message),
      restoreOffer(error, go), h("p", {}, h("a", {href: link("sweeps")}, t("nav.sweeps"))));
  }
  if (sweep.head.recipe) {
    const {recipeTold} = await import("../recipe/data.js");
    recipe = await get(`/v1/recipes/${sweep.head.recipe}`, {signal}).then(recipeTold).catch(() => null);
  }

  const chosen = new Chosen(() => {
    table.update();
    barDraw();
  });
  const progress = progressPart(sweep), table = sweepTable(sweep, () => choice, chosen);
  /* What is done with several points is loaded when some are chosen, or have failed. */
  const barPlace = h("div", {class: "bar-place"});
  let bulk = null, bar = null;
  function bulkLoad() {
    bulk ??= import("../bulk/points.js").then(points => {
      bulk = points;
      bar = points.pointsBar({sweep, chosen, me: () => me, again: done => sweep.readAgain(done)});
      replace(barPlace, bar.node);
      drawNow();
    });
  }
  let rerun = null;
  function rerunLoad() {
    rerun ??= import("../bulk/rerun.js").then(module => {
      rerun = module;
      actsDraw();
    });
  }
  function barDraw() {
    if (chosen.list().length) bulkLoad();
    bar?.update();
  }
  function change(name, value) {
    const now = {[name]: value};
    if (name === "zoom") now.rows = null;
    if (name === "x" && choice.series === value) now.series = choice.x || "none";
    if (name === "x" || name === "series") Object.assign(now, {hide: null, zoom: null, rows: null});
    if (name === "x" && choice.view === "lines") now.view = null; /* blocks of several dimensions are drawn as a map */
    changeTo(now);
  }
  function changeTo(values) {
    const set = Object.entries(changed(choice, values)).filter(([, one]) => one !== null);
    asked = new URLSearchParams(set);
    drawNow();
    const gone = sweep.axes.filter(axis => !(axis.name in choice.at)).map(axis => [`at.${axis.name}`, null]);
    setQuery({...Object.fromEntries(gone), ...changed(choice, {})});
  }
  /* Shows the part of the axes that was chosen in a chart; null: the part that was shown before. */
  const earlier = [];
  const zoomTo = found => {
    const {zoom = null, rows = null} = changed(choice, {});
    if (!zoom && !rows) earlier.length = 0;
    if (found) earlier.push({zoom, rows});
    changeTo(
      found ? {zoom: found.zoom?.join("..") ?? zoom, rows: found.rows?.join("..") ?? rows} :
              earlier.pop() ?? {zoom: null, rows: null});
    return partText(sweep, choice);
  };
  const zoomed = () => Boolean(choice.zoom || choice.rows);
  const toggle = key => changeTo({
    hide: (choice.hide.includes(key) ? choice.hide.filter(one => one !== key) : [...choice.hide, key]).join(",") || null
  });

  /* ---- the charts ---- */

  /* A picture that is saved stands alone: "read_offset, 1024: Bandwidth, cold against offset". */
  const caption = words => [headingOf(sweep, recipe),
                            commonText({...recipe?.sweep, ...sweep.head.request}, sweep.head.points[0]?.values),
                            sweep.head.devices?.map(one => one.device_name).join(t("list.comma")), words]
                             .filter(Boolean)
                             .join(" · ");
  const file = name => `sweep-${id}-${name}`;
  /* The best and the worst of a part differ from those of the whole sweep, so the first sentence names the part. */
  const ofPart = said =>
    zoomed() ? said.map((one, i) => i ? one : `${partText(sweep, choice)}${t("punct.colon")}${one}`) : said;
  const main = board({
    heading: () => {
      const metric = metricOf(choice.y), y = metric.title(sweep), {x} = choice;
      return [
        choice.view === "map" ? t("sweep.map_heading", {y, x, unit: metric.unit ? `, ${metric.unit}` : ""}) :
                                t("sweep.lines_heading", {y, x}),
        choice.view === "panels" && metric.unit,
        ...Object.keys(choice.at).map(name => choice.at[name] !== ALL && namedValue(name, choice.at[name]))
      ].filter(Boolean)
        .join(t("punct.comma"));
    },
    aside: drawn =>
      choice.view === "map" ? t(spec.maps.length > 1 ? "map.one_scale" : "map.lightness") : linesAside(spec, drawn),
    sentence: () => ofPart([choice.view === "map" ? mapSentence(spec) : linesSentence(spec, choice)].flat()),
    draw: width => choice.view === "map" ?
      mapDraw(width, spec) :
      linesDraw(width, {...spec, xName: spec.rules ? t("sweep.rules", {x: choice.x}) : choice.x}),
    table: () => chartTable(sweep, () => spec),
    file: () => file(choice.view === "map" ? "map" : "chart"),
    caption: () => caption(main.heading()),
    legend: () => choice.view !== "map" && legendOf(spec.legend, toggle),
    onZoom: zoomTo,
    zoomed
  });
  const beside = board({
    heading: () => t("sweep.feared", {whose: relative?.whose ? `${t("punct.colon")}${relative.whose}` : ""}),
    aside: () => relative?.hasPublished ? t("sweep.diamonds") : "",
    sentence: () => ofPart(relative ? [relative.sentence].flat() : []),
    draw: width => linesDraw(width, {...relative, xName: choice.x}),
    onZoom: zoomTo,
    zoomed,
    table: () => chartTable(sweep, () => relative),
    file: () => file("relative"),
    caption: () => caption(beside.heading())
  });
  closing.push(main.close, beside.close);

  function chartsDraw() {
    choice = choiceOf(sweep, asked);
    if (!choice.y) {
      boards = null;
      return replace(
        charts,
        h("section", {class: "panel span-12"},
          h("p", {class: "quiet"}, t(sweep.running ? "sweep.nothing_yet" : "sweep.nothing_measured"))));
    }
    spec = choice.view === "map" ? mapsOf(sweep, choice) : linesOf(sweep, choice);
    relative = choice.view === "lines" && Math.max(spec.series.length, spec.legend.length) <= 3 ?
      relativeOf(sweep, choice) :
      null;
    const wanted = relative ? "two" : "one";
    if (boards !== wanted) {
      boards = wanted;
      main.node.classList.toggle("span-7", wanted === "two");
      main.node.classList.toggle("span-12", wanted === "one");
      beside.node.classList.add("span-5");
      replace(charts, main.node, relative && beside.node);
    }
    main.update();
    if (relative) beside.update();
    return null;
  }

  /* ---- what one may do ---- */

  const goTo = of => go(pathOf(of, asked));

  /* Returns whether the sweep is of a kernel that a user brought, which the form does not have. */
  const isOwn = ({request}) => String(request.kernel).startsWith("src-");
  function actsDraw() {
    const {head} = sweep, mine = me && (me.role === "admin" || (me.role === "run" && me.name === head.owner)),
          may_run = mayRun(me);
    const ranges = head.request.recipe ?
      null :
      newQueryOf(
        Object.fromEntries(
          Object.entries(head.request)
            .map(
              ([name, value]) => [name, Array.isArray(value) ? listText(name, value, head.points[0]?.values) : value])),
        true);
    redraw(
      acts, fileLink(head.links.csv, `sweep-${id}.csv`, "CSV"),
      fileLink(`${head.links.csv}?view=summary`, `sweep-${id}-summary.csv`, t("sweep.csv_summary")),
      h("a", {class: "button", href: link(`compare?b=sweep:${id}`)}, t("result.compare")),
      !sweep.running && may_run &&
        button(
          t("result.again"),
          async () => {
            const {json} = await send("POST", "/v1/sweeps", head.request, {signal});
            await goTo(json.id);
          },
          {key: "again"}),
      may_run && moreButton(sweep, {spec, relative}, {signal, go: goTo}), may_run && rerun?.rerunButtons?.(sweep),
      ranges && !Array.isArray(head.request.kernel) && !isOwn(head) &&
        h("a", {class: "button", href: link(`new?${ranges}`)}, t("result.change")),
      isOwn(head) && button(t("sweep.change_kernel"), async () => {
        const {editorOf} = await import("../sweep/own.js");
        await go(await editorOf(head, signal));
      }, {key: "kernel"}), sweep.running && mine && button(t("sweep.cancel"), async () => {
                             const {cancelAsked} = await import("../bulk/cancel.js");
                             if (!await cancelAsked(head.links.self, me, signal)) return;
                             sweep.openAgain();
                             sweep.catchUp();
                           }, {key: "cancel"}), !sweep.running && mine && removal(head));
  }

  /* More than one experiment goes only after a question. */
  let removing = null; /* the question */
  function removal(head) {
    const ask = on => async () => {
      const [{removalQuestion}, {othersSaid}] =
        await Promise.all([import("../bulk/removal.js"), import("../bulk/cancel.js")]);
      const words = t("sweep.remove_ask", {n: count(head.point_count), words: head.point_count});
      removing = on ? removalQuestion(words + othersSaid([head.owner], me)) : null;
      actsDraw();
      acts.querySelector(`[data-key="${on ? "keep" : "remove"}"]`)?.focus();
    };
    const now = async () => {
      const {removeAndLeave} = await import("../bulk/removal.js");
      await removeAndLeave(head.links.self, "sweeps", go, {signal, asked: head.total > 1});
    };
    if (head.total < 2 || !removing)
      return button(t("result.remove"), head.total < 2 ? now : ask(true), {key: "remove"});
    return h(
      "span",
      {class: "confirm", role: "group", "aria-label": removing, onkeydown: ({key}) => key === "Escape" && ask(false)()},
      h("span", {"aria-hidden": "true"}, removing), button(t("sweep.remove_not"), ask(false), {key: "keep"}),
      button(t("sweep.remove_all"), now, {key: "remove all"}));
  }

  /* Behind "cancelled" a name alone would be who cancelled it. */
  function submittedText({owner, submitted_at: at}) {
    const time = ago(at);
    return owner === null ? t("sweep.ago", {time}) :
                            t("sweep.ago_by", {time, who: owner === me?.name ? t("you") : owner});
  }

  let cost = 0, said = "";
  function drawNow() {
    if (signal.aborted) return;
    const began = performance.now(), usual = headingOf(sweep, recipe), words = asked.get("name") || usual;
    if (heading.textContent !== words) {
      heading.textContent = words;
      document.title = `${words} · coalesced`;
    }
    redraw(under, words === usual ? null : `${usual}: `, underHeading(sweep, recipe));
    redraw(
      state, sweep.running ? null : [stateMark(sweep.head.state), " · "],
      h("span", {class: "quiet"}, submittedText(sweep.head),
        sweep.read < sweep.head.point_count ?
          ` · ${t("sweep.reading", {n: count(sweep.read), of: count(sweep.head.point_count)})}` :
          ""),
      " ", labelMarks(sweep.head.request.labels));
    progress.update();
    chartsDraw();
    actsDraw();
    if (choice) redraw(choices, choicesForm(sweep, choice, change));
    table.update();
    if (sweep.head.failed > sweep.head.refused || sweep.head.cancelled) rerunLoad();
    barDraw();
    if (progress.text() !== said) announce(said = progress.text());
    cost = performance.now() - began;
  }
  const quick = atMost(REDRAW_MS, drawNow), slow = atMost(4 * REDRAW_MS, drawNow);
  function draw() {
    cost > 60 ? slow() : quick();
  }

  const state = h("p", {class: "note"});
  replace(
    legend, t("sweep.words"), term("median"), t("list.comma"), term("interval"), t("list.comma"), term("cold"),
    t("list.comma"), term("hot"), t("list.comma"), term("peak"), t("list.comma"), term("sector"), t("punct.stop"));
  replace(
    root, h("div", {class: "head sweep-head"}, h("div", {}, heading, under, state), acts), progress.node,
    h("section", {class: "choices-row"}, choices), charts,
    h("section", {class: "panel table-panel"}, table.node, barPlace, legend));
  drawNow();
  closing.push(
    watchLive(live => {
      if (live.me !== me) {
        me = live.me;
        draw();
      }
      /* When the sweep ends depends on other owners' experiments, too. */
      if (live.queue !== queue && sweep.running) sweep.catchUp();
      queue = live.queue;
    }),
    onChange(event => sweep.seen(event)));
  sweep.readRest().catch(() => {});
  if (sweep.running) sweep.again();
  const timer = setInterval(() => sweep.running ? sweep.again() : draw(), 15000);
  closing.push(() => clearInterval(timer));
  return () => closing.forEach(close => close());
}

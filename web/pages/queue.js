/* /ui/queue: who waits for which devices, in order; one's own with their places, to be cancelled; pause and resume for
 * admins. */
import {blockedBy, DRAWN_MOST, devicesTable, heldBy, heldText, productOf, refusalBox} from "../devices.js";
import {link} from "../api.js";
import {cancelAsked} from "../bulk/cancel.js";
import {h, redraw, replace} from "../dom.js";
import {count, duration} from "../format.js";
import {atMost, mayRun, watchLive} from "../live.js";
import {ago, asked, askedText, button, experimentLink, headCell, headUnseen, labelMarks, spareCell, spareHead, table} from "../parts.js";
import {lineName, linesOf, queueTable, runsOn, steadyRows} from "../waiting.js";
import {noValue, reasonSaid, t} from "../words.js";
import "../lab/queue_words.js";

const REDRAW_MS = 250, OWN = 20;

export const title = () => t("queue.title");

function headingOf(queue) {
  if (queue.paused) return queue.paused_by ? t("queue.all_paused_by", {who: queue.paused_by}) : t("queue.all_paused");
  const blocked = blockedBy(queue), why = blocked ?? reasonSaid(queue.refuses);
  if (blocked && queue.queued && !queue.running)
    return t("queue.blocked", {n: count(queue.queued), words: queue.queued, why});
  if (why && !queue.queued && !queue.running) return t("wait.nothing", {why});
  if (!queue.queued)
    return queue.running ? t("queue.runs_alone", {n: count(queue.running), words: queue.running}) : t("lab.idle");
  return t(
    "queue.waits", {n: count(queue.queued), words: queue.queued, running: count(queue.running), runs: queue.running});
}

/* Drain or pause, and the reverse. */
const holdButton = (api, held, path, names, small, showFailure) => button(
  t(held ? names[1] : names[0]), () => showFailure(api.post(`${path}/${held ? "resume" : names[2]}`)),
  {key: path, small});

/* The user's own experiments in the order in which they begin, at most OWN. Without tokens: those without an
   owner. */
const ownOf = (queue, me) => (queue.experiments ?? []).filter(one => one.owner === (me?.name ?? null)).slice(0, OWN);

/* True if the user has more waiting than is shown. An experiment that several devices may run is counted at each. */
const leftOut = (queue, me, shown) => {
  const counts = queue.devices.flatMap(one => one.owners).filter(one => one.owner === (me?.name ?? null));
  return Math.max(0, ...counts.map(one => one.queued)) > shown.filter(one => one.state === "queued").length;
};

/* cancel: false where the user may not. */
function ownRow(one, cancel) {
  const place = () => one.waits_for                     ? reasonSaid(one.waits_for) :
    one.position === null || one.position === undefined ? noValue(t("queue.no_time")) :
    one.state === "running"                             ? t("state.running") :
    one.position === 0                                  ? t("queue.next") :
                                                          t("queue.ahead", {n: count(one.position)});
  const ends = typeof one.eta_seconds === "number" ? duration(one.eta_seconds) : null;
  return h(
    "tr", {},
    h("th", {scope: "row"}, experimentLink(one.id, asked(one)), " ", labelMarks(one.request.labels),
      h("span", {class: "phone quiet"}, t("punct.comma"), place(),
        ends && [t("punct.comma"), t("queue.ends_in"), " ", ends])),
    h("td", {class: "spare"}, place()), spareCell(ends ?? noValue(t("queue.no_time"))),
    h("td", {class: "number quiet spare"}, t("lab.ago_cell", {time: ago(one.submitted_at)})),
    h("td", {class: "number act"},
      cancel && button(t("queue.cancel"), cancel, {
        small: true,
        key: `own ${one.id}`,
        label: t("queue.cancel_one", {what: `${one.entry ?? one.request.kernel} ${askedText(one.request)}`})
      })));
}

export function open(root, params, {api, announce, signal}) {
  const heading = h("h1", {class: "heading"}, "…"), act = h("div", {}), lines = h("div", {class: "stack"}),
        ownPlace = h("div", {class: "stack"}), problem = h("p", {class: "wrong", role: "alert", hidden: true});
  let state = {};
  /* Shows an error where redraws do not remove it. */
  const showFailure = async promise => {
    problem.hidden = true;
    await promise.catch(error => {
      problem.hidden = false;
      problem.textContent = error.message;
    });
  };

  const draw = atMost(REDRAW_MS, () => {
    const {me, devices, queue} = state;
    if (signal.aborted) return;
    if (!queue) {
      if (me?.role === "metrics") heading.textContent = t("queue.metrics", {name: me.name});
      return;
    }
    const text = headingOf(queue), yours = me ? ownOf(queue, me) : [], further = leftOut(queue, me, yours);
    if (heading.textContent !== text) {
      heading.textContent = text;
      announce(text);
    }
    redraw(
      act,
      me?.role === "admin" &&
        holdButton(api, queue.paused, "/v1/queue", ["queue.pause", "queue.resume_all", "pause"], false, showFailure));
    const all = linesOf(queue).filter(line => line.owners.length || queue.devices.length === 1),
          more = all.length - DRAWN_MOST;
    redraw(
      lines, refusalBox(queue, text), all.slice(0, DRAWN_MOST).map(line => linePanel(line, queue)),
      more > 0 && h("p", {class: "note"}, t("queue.more", {n: count(more), words: more})),
      queue.devices.length > 1 && devices &&
        h("section", {class: "panel"}, h("header", {}, h("h2", {}, t("device.all"))),
          devicesTable(
            devices, queue, device => runsOn(queue, device, me),
            me?.role === "admin" ? ({index, device_name: name}) =>
                                     drainButton(queue, queue.devices.find(one => one.device === index), name) :
                                   null)));
    redraw(
      ownPlace,
      yours.length ?
        h("section", {class: "panel"},
          h("header", {},
            h("h2", {}, t(`queue.${me?.name ? "yours" : "nobodys"}${further ? "_first" : ""}`, {n: yours.length})),
            further &&
              h("a", {href: link(`experiments?state=queued${me?.name ? `&owner=${encodeURIComponent(me.name)}` : ""}`)},
                t(me?.name ? "queue.all_yours" : "queue.all_waiting"))),
          table(
            t(me?.name ? "queue.yours" : "queue.nobodys"),
            [
              headCell(t("queue.asks")), h("th", {scope: "col", class: "spare"}, t("queue.place")),
              spareHead(t("queue.ends_in")), spareHead(t("queue.since")), headUnseen(t("lists.acts"))
            ],
            yours.map(
              one => ownRow(one, mayRun(me) && (() => showFailure(cancelAsked(one.links.self, me, signal))))))) :
        null);
  });
  const rowsOf = steadyRows(lines, draw);

  const drainButton = (queue, one, name) => one &&
    holdButton(api, one.paused, `/v1/devices/${name}`, ["queue.drain", "queue.resume_device", "drain"],
               queue.devices.length > 1, showFailure);

  function linePanel(line, queue) {
    const {me, devices} = state, alone = queue.devices.length === 1 ? queue.devices[0] : null,
               held = alone ? heldBy(queue, alone.device) :
      queue.paused          ? queue :
                              null,
               rows = rowsOf(queue, line),
               gone = alone && devices?.some(one => one.index === alone.device && !one.in_list);
    return h(
      "section", {class: "panel"},
      h("header", {},
        h("h2", {}, lineName(line), " ",
          h("span", {class: "quiet"}, alone && devices?.length ? productOf(devices[0]) : "")),
        alone && me?.role === "admin" && h("span", {}, drainButton(queue, alone, alone.device_name))),
      held && (gone ? h("p", {class: "box"}, t("device.gone_text")) : h("p", {class: "box warn-box"}, heldText(held))),
      /* Between two runs, too: else all that is below would move up and down. */
      alone && (alone.running || rows.length > 0 && !held) &&
        h("p", {}, t("queue.runs_now"), " ", runsOn(queue, {index: alone.device}, me) ?? noValue(t("queue.no_run"))),
      rows.length ? queueTable(rows, me, showFailure) : !alone.running && h("p", {class: "note"}, t("lab.idle")));
  }

  replace(root, h("div", {class: "head"}, heading, act), problem, lines, ownPlace);
  return watchLive(now => {
    state = now;
    draw();
  }, OWN);
}

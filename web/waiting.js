/* What waits for devices, as the lab and the queue's page show it: each owner's, in the order in which they begin.

   experimentOf(queue, id) is what the queue says of an experiment that runs or is next; null: nothing. linesOf(queue)
   are the queues: devices for which the same waits share one, {devices, owners}; lineName(line) are its devices as
   links. steadyRows(node, changed) gives a function of (queue, line), the rows of its table: {owner, queued, next,
   begins, ends, request, sweep, place, key}; they stay where they are while the pointer or the focus is in one of the
   node's tables; queueTable(rows, me) draws them with their times as bars; shares(queue, me) who had the devices;
   runsOn(queue, device, me) what runs on one. A row's button cancels the next of an owner's, or the sweep that it is
   of. */
import * as api from "./api.js";
import {cancelAsked} from "./bulk/cancel.js";
import {DRAWN_MOST, deviceLink, queueOf} from "./devices.js";
import {h} from "./dom.js";
import {count, duration, percent} from "./format.js";
import {asked, button, cell, headCell, headUnseen, labelMarks, numberCell, ownerColour, ownerMark, ownerName, placeLink, spareCell, spareHead, table} from "./parts.js";
import {noValue, t} from "./words.js";
import "./lab/queue_words.js";

export const experimentOf = (queue, id) => queue.experiments?.find(one => one.id === id) ?? null;

export const sweepOf = experiment => experiment?.links?.sweep ?? null;

const soonest = (a, b) => (a ?? Infinity) - (b ?? Infinity);

/* One of a person's that may run on several of them is told of each. */
export function linesOf({devices}) {
  const lines = new Map();
  for (const one of devices) {
    const waits = one.owners.filter(owner => owner.queued),
          key = JSON.stringify(waits.map(({owner, queued, next}) => [owner, queued, next]).sort());
    const line = lines.get(key);
    if (!line)
      lines.set(key, {devices: [one], owners: waits.map(owner => ({...owner}))});
    else {
      line.devices.push(one);
      for (const [i, owner] of line.owners.entries()) {
        const same = waits.find(other => other.owner === owner.owner),
              [begins] = [owner.begins_seconds, same.begins_seconds].sort(soonest);
        line.owners[i] = {
          ...owner,
          begins_seconds: begins,
          ends_seconds: owner.ends_seconds === null ? same.ends_seconds :
                                                      Math.max(owner.ends_seconds, same.ends_seconds)
        };
      }
    }
  }
  return [...lines.values()].sort((a, b) => b.owners.length - a.owners.length);
}

export function lineName({devices}) {
  const rest = devices.length - DRAWN_MOST;
  return [
    devices.slice(0, DRAWN_MOST).flatMap((one, i) => [i > 0 && t("list.comma"), deviceLink(one)]),
    rest > 0 && ` ${t("queue.more", {n: count(rest), words: rest})}`
  ];
}

/* The experiment that runs on the device, with its owner; null: none. */
export function runsOn(queue, device, me) {
  const own = queueOf(queue, device.index), id = own?.running, experiment = experimentOf(queue, id);
  const owner = own?.owners.find(one => one.running)?.owner ?? null;
  return id && [
    owner !== null && [ownerName(owner, me), " "],
    placeLink(`runs ${device.index}`, id, experiment ? asked(experiment) : t("queue.one_run"))
  ];
}

const rowsOf = (queue, line) => line.owners.filter(one => one.queued)
                                  .map(one => {
                                    const experiment = experimentOf(queue, one.next);
                                    return {
                                      key: `${line.devices[0].device} ${one.owner}`,
                                      owner: one.owner,
                                      queued: one.queued,
                                      overrides: one.overrides,
                                      next: one.next,
                                      begins: one.begins_seconds,
                                      ends: one.ends_seconds,
                                      request: experiment?.request ?? null,
                                      sweep: sweepOf(experiment)
                                    };
                                  })
                                  .sort((a, b) => soonest(a.begins, b.begins))
                                  .map((row, i) => ({...row, place: i + 1}));

/* Two owners whose experiments run in turn change places with every end: not under the hand of who is about to cancel.
 * New rows come last. */
export function steadyRows(node, changed) {
  const shown = new Map();
  for (const name of ["pointerout", "focusout"]) node.addEventListener(name, changed);
  return (queue, line) => {
    const rows = rowsOf(queue, line), name = String(line.devices.map(one => one.device)),
          before = node.querySelector(".scroll:hover, .scroll:focus-within") ? shown.get(name) ?? [] : [],
          at = row => before.includes(row.owner) ? before.indexOf(row.owner) : before.length;
    rows.sort((a, b) => at(a) - at(b));
    shown.set(name, rows.map(row => row.owner));
    return rows;
  };
}

const about = seconds => seconds === null ? noValue(t("queue.no_time")) : duration(seconds);

function spanBar(row, last) {
  const fill = h("i", {});
  fill.style.left = `${row.begins / last * 100}%`;
  fill.style.width = `${Math.max(0.5, (row.ends - row.begins) / last * 100)}%`;
  return h("span", {class: "bar span", "aria-hidden": "true"}, fill);
}

const mayCancel = (row, me) => me && (me.role === "admin" || (me.role === "run" && row.owner === me.name));

/* What else its owner has waiting there is not all of the same sweep. */
function what(row, me) {
  const more = row.queued - 1, whose = row.owner === null ? "" : row.owner === me?.name ? "_yours" : "_theirs";
  return [
    row.request ?
      h("a", {class: "row-link", href: api.link((row.sweep ?? `/v1/experiments/${row.next}`).slice("/v1/".length))},
        asked(row)) :
      h("span", {class: "quiet"}, "…"),
    row.sweep && h("span", {class: "quiet"}, ` …\u2060${row.sweep.slice(-6)}`), " ", labelMarks(row.request?.labels),
    " ",
    more > 0 &&
      h("a", {
        class: "quiet",
        href: api.link(`experiments?state=queued${row.owner === null ? "" : `&owner=${encodeURIComponent(row.owner)}`}`)
      },
        t(`queue.waits_too${whose}`, {n: count(more), words: more, who: row.owner})),
    row.ends !== null &&
      h("span", {class: "phone quiet"}, t("punct.comma"), t("queue.begins"), " ", about(row.begins), t("punct.comma"),
        t("queue.ends_in"), " ", duration(row.ends))
  ];
}

/* showFailure(promise) shows why a cancellation failed; without it the button does. */
export function queueTable(rows, me, showFailure = promise => promise) {
  const last = Math.max(...rows.map(row => row.ends ?? 0));
  const drawn = rows.map(
    row => h(
      "tr", {class: me && row.owner === me.name && me.name !== null ? "mine" : null, data: {next: row.next}},
      h("td", {class: "number quiet"}, String(row.place)),
      h("th", {scope: "row"}, ownerMark(row.owner, me), ownerName(row.owner, me)),
      cell(
        what(row, me),
        row.overrides > 0 && h("span", {class: "quiet"}, " ", t("queue.overrides", {n: count(row.overrides)}))),
      h("td", {class: "bars when"}, last > 0 && row.ends !== null ? spanBar(row, last) : null),
      spareCell(about(row.begins)), spareCell(about(row.ends)),
      h("td", {class: "number act"},
        mayCancel(row, me) &&
          (row.request ?
             button(
               t(row.sweep        ? "queue.cancel_whole" :
                   row.queued > 1 ? "queue.cancel_first" :
                                    "queue.cancel"),
               () => showFailure(cancelAsked(row.sweep ?? `/v1/experiments/${row.next}`, me)), {
                 small: true,
                 key: `cancel ${row.key}`,
                 label: t(row.sweep ? "queue.cancel_sweep" : "queue.cancel_one", {what: row.request.kernel ?? row.next})
               }) :
             h("span", {tabindex: "-1", data: {key: `cancel ${row.key}`}}, "…")))));
  return table(
    t("queue.caption"),
    [
      headCell("#", true), headCell(t("queue.owner")), headCell(t("queue.asks")),
      h("th", {scope: "col", class: "when"},
        last > 0 ? [h("span", {}, t("queue.now")), h("span", {}, t("queue.in", {time: duration(last)}))] :
                   t("queue.when")),
      spareHead(t("queue.begins")), spareHead(t("queue.all_end")),
      h("th", {scope: "col"}, h("span", {class: "unseen"}, t("queue.cancel")))
    ],
    drawn);
}

/* ---- shares ---- */

function shareBar(owners, me, rest) {
  const piece = (share, kind) => {
    const node = h("i", {class: kind});
    node.style.flexGrow = String(share);
    return node;
  };
  return h(
    "div", {class: "shares", "aria-hidden": "true"},
    owners.filter(one => one.share > 0).map(one => piece(one.share, ownerColour(one.owner, me))),
    rest > 0.0005 && piece(rest, "rest"));
}

/* Shares are of the time of all devices. How many of a person's wait is known of one device alone: elsewhere they may
 * be the same. The next begins soonest; while it is paused nobody knows when, and the service's order says who. */
export function shares({devices, shares: lately = []}, me) {
  const known = new Map(lately.map(one => [one.owner, {...one, queued: 0}])), alone = devices.length === 1;
  for (const one of devices.flatMap(device => device.owners))
    known.set(one.owner, {...one, runs: (known.get(one.owner)?.runs ?? 0) + (one.running ? 1 : 0)});
  const owners = [...known.values()].sort((a, b) => b.share - a.share);
  const used = owners.reduce((sum, one) => sum + one.share, 0), rest = Math.max(0, 1 - used);
  const [next] = alone ?
    devices[0].owners.filter(one => one.queued).sort((a, b) => soonest(a.begins_seconds, b.begins_seconds)) :
    [];
  const does = one => !alone  ? one.runs ? t("queue.runs", {n: count(one.runs), words: one.runs}) : "" :
    one.running               ? t("queue.and_one") :
    one.owner === next?.owner ? t("queue.goes_next") :
                                "";
  const rows = owners.map(
    one =>
      h("tr", {}, h("th", {scope: "row"}, ownerMark(one.owner, me), ownerName(one.owner, me)),
        numberCell(percent(one.share, 1)), alone && numberCell(count(one.queued)),
        cell(h("span", {class: "quiet"}, does(one)))));
  if (used > 0 && rest > 0.0005)
    rows.push(
      h("tr", {},
        h("th", {scope: "row"}, h("i", {class: "square rest", "aria-hidden": "true"}),
          h("span", {class: "quiet"}, t("queue.others"))),
        numberCell(percent(rest, 1)), alone && numberCell("0"), cell()));
  return [
    used > 0 && shareBar(owners, me, rest),
    table(
      t("queue.shares"),
      [
        headCell(t("queue.owner")), headCell(t("queue.share"), true), alone && headCell(t("queue.waiting"), true),
        headUnseen(t("queue.now"))
      ].filter(Boolean),
      rows)
  ];
}

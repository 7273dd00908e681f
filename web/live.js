/* Owns the page's stream of events, and says how the devices are and what waits: asked for once, for all who show it.

   watchLive(f, most) calls f({devices, queue, me, at}) at once with what is known (null: not asked yet) and whenever it
   changes; returns a function that ends it. With `most` queue.experiments are those that run or are next, and the first
   `most` of one's own, as they are at the same moment. `at` is when it was read, as Date.now(). The queue follows the
   service's events, at most once a second, and is read again every 2 s while something waits or runs; readings of
   the devices are asked for at most every 5 s. onChange(f) is told of each event, for who shows more than this.
   devicesListed(signal) promises the list alone. forRunners(button(...), signal) is a button for who may run
   experiments, heldNote(index, signal) a line beside it while nothing begins; mayRun(me), and readerSaid(me) why not.
 */
import * as api from "./api.js";
import {blockedBy, DRAWN_MOST, heldBy, heldText} from "./devices.js";
import {h} from "./dom.js";
import {reasonSaid, t} from "./words.js";

const QUEUE_MS = 1000, WAITS_MS = 2000, READINGS_MS = 5000, STREAMED_READINGS_MS = 15000;

const state = {
  devices: null,
  queue: null,
  me: null,
  at: null
};
const watchers = new Map(), listeners = new Set(); /* f and its `most`, or undefined */
let running = null, queueRead = null;

function watchersCall() {
  for (const f of [...watchers.keys()]) f(state);
}

/* What a `device` event tells of it; throttling and limits stay what was read last. True: it is another than it was, to
 * be read anew. */
function deviceEventApply(data) {
  const device = state.devices?.find(one => one.index === data.device);
  if (!device || data.reason !== device.status.reason) return true;
  if (device.live?.status !== "measured") return false;
  const known = Object.entries(data).filter(([name, value]) => name in device.live && value !== null);
  device.live = {...device.live, ...Object.fromEntries(known)};
  state.at = Date.now();
  watchersCall();
  return false;
}

/* Runs f at once, then no more often than every `ms`, the last call never lost. */
export function atMost(ms, f) {
  let last = -Infinity, timer = null;
  return () => {
    if (timer) return;
    timer = setTimeout(() => {
      timer = null;
      last = performance.now();
      f();
    }, Math.max(0, last + ms - performance.now()));
  };
}

const moving = () => state.devices?.some(device => device.readiness !== "ready");

let listed = null; /* a promise of the last answer */

/* Promises the devices as they were listed last, without readings. */
export function devicesListed(signal) {
  const ask = () => api.get("/v1/devices", {signal});
  return (listed?.catch(ask) ?? ask()).then(({devices}) => devices);
}

async function devicesRead(signal) {
  listed = api.get("/v1/devices", {signal});
  const {devices} = await listed;
  /* A device by itself comes with its readings; of many, nobody shows them. */
  state.devices = devices.length > DRAWN_MOST ?
    devices :
    await Promise.all(devices.map(device => api.get(device.links.self, {signal}).catch(() => device)));
  state.at = Date.now();
}

function begin() {
  const own = new AbortController(), {signal} = own;
  const quietly = f => () => !document.hidden && f().then(watchersCall, () => {});
  const queue = atMost(QUEUE_MS, quietly(async () => {
                         const most = [...watchers.values()].filter(Number.isInteger);
                         state.queue = await api.get(
                           `/v1/queue${most.length ? `?experiments=${Math.max(...most)}` : ""}`, {signal});
                       }));
  let streaming = false, opened = 0;
  const devices = atMost(READINGS_MS, quietly(() => devicesRead(signal)));
  const meRead = () => api.get("/v1/whoami", {signal}).then(me => {
    /* The page shows what the old role allowed. If a job keeps it from being loaded anew, it follows as far as it can.
     */
    if (state.me?.name === me.name && state.me.role !== me.role) location.reload();
    state.me = me;
    watchersCall();
  }, () => {});
  const endIdentity = api.onIdentity(() => {
    state.me = state.queue = state.devices = null;
    watchersCall();
    meRead();
    queue();
    devices();
  });
  meRead();
  queueRead = queue;
  queue();
  devices();
  api.events("/v1/events", {
    signal,
    onEvent: event => {
      streaming = event.event !== "poll";
      if (event.event === "device") {
        if (deviceEventApply(event.data)) devices();
      } else if (event.event !== "progress") {
        queue();
        /* The service ends the event stream when the token's role changes, so the role is read again when a stream
         * opens, and at each poll where there is no stream. */
        if ((event.event === "open" || event.event === "poll") && opened++) meRead();
        if (moving()) devices(); /* what was submitted may start one */
      }
      for (const f of listeners) f(event);
    }
  });
  const timer = setInterval(() => {
    if (!streaming || moving() || Date.now() - state.at >= STREAMED_READINGS_MS) devices();
  }, READINGS_MS);
  /* Waiting times change without an event, and an end that cannot be stored sends none. */
  const waits = setInterval(() => {
    if (state.queue?.queued || state.queue?.running || state.queue?.refuses || blockedBy(state.queue)) queue();
  }, WAITS_MS);
  const seen = () => {
    queue();
    devices();
  };
  document.addEventListener("visibilitychange", seen);
  return () => {
    own.abort();
    endIdentity();
    clearInterval(timer);
    clearInterval(waits);
    document.removeEventListener("visibilitychange", seen);
  };
}

export function watchLive(f, most) {
  watchers.set(f, most);
  running ??= begin();
  if (most !== undefined && !state.queue?.experiments) queueRead();
  f(state);
  return () => {
    watchers.delete(f);
    if (watchers.size === 0) {
      running?.();
      running = null;
    }
  };
}

/* A note that is visible while nothing new starts: the device with that index, or the queue, is paused, or nothing can
   be submitted. */
export function heldNote(index, signal) {
  const node = h("p", {class: "note", role: "status", hidden: true});
  const end = watchLive(({queue}) => {
    const held = heldBy(queue, index), why = held ? heldText(held) : reasonSaid(queue?.refuses);
    node.hidden = !why;
    node.textContent = why ?? "";
  });
  signal.addEventListener("abort", end);
  return node;
}

/* False for roles that cannot run experiments; true while the role is not known. */
export const mayRun = me => !["read", "metrics"].includes(me?.role);

export const readerSaid = me => t("shell.reader", {name: me.name, role: me.role});

/* Takes a button that runs something from who may not, with the reason in the element behind it, until the signal is
   aborted. */
export function forRunners([node, said], signal) {
  let taken = false;
  const end = watchLive(({me}) => {
    if (mayRun(me) !== taken) return;
    taken = !taken;
    node.disabled = taken;
    said.textContent = taken ? ` ${readerSaid(me)}` : "";
  });
  signal.addEventListener("abort", end);
  return [node, said];
}

export function onChange(f) {
  listeners.add(f);
  return () => listeners.delete(f);
}

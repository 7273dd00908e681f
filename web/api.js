/* The service, as pages ask it.

   get(path), post(path, body), del(path), put as send(method, path, body): JSON, or an ApiError with `status`,
   `problem` and `errors` (a list of {pointer, detail}), whose
   sentences are a page's (service_text.js). `text(path)` and postText(path, body) give a text. Paths are
   those of links ("/v1/queue"); they are taken relative to where the page lies, so that a proxy's prefix holds.
   Options: {signal, headers, wait: seconds}. A reply of 401 asks for a token in the page and tries again. Where the
   service cannot be reached each call waits and tries again until its signal is aborted; a submission carries a key, so
   that it is made once. watchConnection(f) is told of it. events(path, {onEvent, signal}) reads server-sent events and
   resumes them; where there are none it calls onEvent({event: "poll"}) every 5 s. After "open" comes what the service
   sends, as {event, id, data} with data parsed; "end" is the last one. link("experiments/x") is the address of a page.
 */
import {plainText} from "./service_text.js";
import {language} from "./words.js";

export const BASE = new URL("../", import.meta.url);    /* of the pages */
export const ROOT = new URL("../../", import.meta.url); /* of the service */
const POLL_MS = 5000, RETRY_MS = [500, 1000, 2000, 5000];

export const link = path => BASE.pathname + path;
export const resolve = path => new URL(path.replace(/^\//, ""), ROOT).href;

export class ApiError extends Error {
  constructor(status, problem) {
    super(plainText(problem.detail ?? problem.title ?? `status ${status}`));
    this.status = status;
    this.problem = problem;
    this.errors = (problem.errors ?? []).map(one => ({...one, detail: plainText(one.detail)}));
  }
}

/* ---- questions ---- */

/* Returns a function that calls once(), which returns a promise, and does not call it again until that promise is
   settled. However often it is called meanwhile, once() is then called one more time. */
export function oneAtATime(once, signal) {
  let asking = false, again = false;
  return async function ask() {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    do {
      again = false;
      await once().catch(error => {
        if (!signal.aborted) console.error(error);
      });
    } while (again && !signal.aborted);
    asking = false;
  };
}

/* ---- the token ---- */

let askToken = () => Promise.reject(new ApiError(401, {title: "no token"}));
let asking = null;

/* f(detail, presented, signal) shows a field in the page, until the signal is aborted, and promises the token. */
export function onToken(f) {
  askToken = f;
}

export const token = () => sessionStorage.getItem("token");

/* Tabs of one service share a token for as long as one of them is open, and nothing is stored beyond them: a tab that
   is asked for one asks the others, and a token that the service took is told to those that ask. */
const TABS_MS = 200;
const tabs = new BroadcastChannel(`coalesced ${ROOT.pathname}`);
let taken = null, tokenCame = () => {}; /* taken: the one that the service took */
let revoked = false;                    /* the service took one before, and takes it no longer */
const identities = new Set();

/* Calls f() when this tab's requests begin to use another token, and when the service no longer takes theirs. Returns a
   function that stops this. */
export function onIdentity(f) {
  identities.add(f);
  return () => identities.delete(f);
}

tabs.onmessage = ({data}) => {
  if (data.token)
    tokenCame(data.token);
  else if (data.forget) {
    sessionStorage.removeItem("token");
    location.reload(); /* what it let one see is on the page */
  } else if (taken !== null && taken === token())
    tabs.postMessage({token: taken});
};

export const wasRevoked = () => revoked;

function tokenTaken(presented) {
  if (presented === taken) return;
  if (revoked) location.reload(); /* what the revoked one let one see is on the page */
  const before = taken;
  taken = presented;
  if (taken !== null) tabs.postMessage({token: taken});
  if (before !== null && presented !== null)
    for (const f of identities) f();
}

/* In all tabs. */
export function forgetToken() {
  sessionStorage.removeItem("token");
  tabs.postMessage({forget: true});
}

async function tokenFind(detail, presented) {
  const own = new AbortController();
  const others = new Promise(done => {
    tokenCame = found => found !== presented && done(found);
  });
  tabs.postMessage({});
  const found = await Promise.race([others, pause(TABS_MS).then(() => null)]) ??
    await Promise.race([others, askToken(detail, presented !== null, own.signal)]);
  own.abort();
  return found;
}

/* One question for all calls that wait for it. */
async function tokenAsked(detail, presented) {
  if (token() !== presented) return; /* it was answered meanwhile */
  asking ??= tokenFind(detail, presented).finally(() => {
    asking = null;
  });
  sessionStorage.setItem("token", await asking);
}

/* ---- the connection ---- */

let lostSince = null, lostWhy = null;
const watchers = new Set();

/* f(since, why): milliseconds of Date.now(), or null while all is well. Returns a function that ends it. */
export function watchConnection(f) {
  watchers.add(f);
  f(lostSince, lostWhy);
  return () => watchers.delete(f);
}

function connectionIs(lost, why = null) {
  if (lost ? lostSince !== null && lostWhy === why : lostSince === null) return;
  lostSince = lost ? lostSince ?? Date.now() : null;
  lostWhy = why;
  for (const f of watchers) f(lostSince, lostWhy);
}

export function pause(ms, signal) {
  return new Promise((done, failed) => {
    if (signal?.aborted) return failed(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      failed(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      done();
    }, ms);
    signal?.addEventListener("abort", stop, {once: true});
  });
}

/* A name that nobody else makes; randomUUID() is only there on secure origins. */
export function nonce() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, "0")).join("");
}

/* ---- asking ---- */

export let serverName = null; /* "coalesced/0.1.0"; watchConnection()'s are told */

function serverNamed(name) {
  if (!name || name === serverName) return;
  serverName = name;
  for (const f of watchers) f(lostSince, lostWhy);
}

/* The reply, whatever its status but 401; and 503 to a read, which is tried again. */
async function ask(method, path, {body, headers = {}, signal} = {}) {
  for (let tries = 0;; tries++) {
    const presented = token();
    const all = {
      Accept: "application/json",
      "Accept-Language": language(),
      ...headers,
      ...(presented && {Authorization: `Bearer ${presented}`})
    };
    let reply = null;
    try {
      reply = await fetch(resolve(path), {method, headers: all, body, signal, cache: "no-cache"});
    } catch (error) {
      if (signal?.aborted) throw error;
    }
    if (reply?.status === 401) {
      const problem = await reply.json().catch(() => ({}));
      if (presented !== null && presented === taken) {
        tokenTaken(null);
        revoked = true;
        for (const f of identities) f();
      }
      await tokenAsked(problem.detail ?? "", presented);
      continue;
    }
    if (reply?.ok) tokenTaken(presented);
    const later = !reply || reply.status === 502 || reply.status === 504 || (reply.status === 503 && method === "GET");
    if (!later) {
      connectionIs(false);
      serverNamed(reply.headers.get("Server"));
      return reply;
    }
    const problem = reply ? await reply.json().catch(() => ({})) : {};
    connectionIs(true, problem.detail ?? null);
    await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)], signal);
  }
}

async function fail(reply) {
  throw new ApiError(reply.status, await reply.json().catch(() => ({title: `${reply.status} ${reply.statusText}`})));
}

/* {status, headers, json} */
/* Of localStorage: how often this browser has submitted something. */
export const RAN_HERE = "ran here";

export async function send(method, path, body, {headers, wait, signal} = {}) {
  const all = {...headers, ...(wait && {Prefer: `wait=${wait}`})};
  if (body !== undefined) all["Content-Type"] = "application/json";
  if (method === "POST" && /\/v1\/(experiments|sweeps)$/.test(path)) all["Idempotency-Key"] ??= nonce();
  const reply =
    await ask(method, path, {body: body === undefined ? undefined : JSON.stringify(body), headers: all, signal});
  if (!reply.ok) await fail(reply);
  if (all["Idempotency-Key"]) localStorage.setItem(RAN_HERE, Number(localStorage.getItem(RAN_HERE)) + 1);
  return {status: reply.status, headers: reply.headers, json: reply.status === 204 ? null : await reply.json()};
}

export const get = async (path, options) => (await send("GET", path, undefined, options)).json;
export const post = async (path, body, options) => (await send("POST", path, body, options)).json;
export const del = async (path, options) => (await send("DELETE", path, undefined, options)).json;

export async function text(path, {headers, signal} = {}) {
  const reply = await ask("GET", path, {headers: {Accept: "text/csv, text/plain, */*", ...headers}, signal});
  if (!reply.ok) await fail(reply);
  return reply.text();
}

/* A table as the answer to a question. */
export async function postText(path, body, {signal} = {}) {
  const reply = await ask(
    "POST", path,
    {headers: {Accept: "text/csv", "Content-Type": "application/json"}, body: JSON.stringify(body), signal});
  if (!reply.ok) await fail(reply);
  return reply.text();
}

/* ---- events ---- */

/* The events of a stream's text, as it comes in pieces: push(piece) calls f({id, event, data}). */
export function eventReader(f) {
  let rest = "", event = {};
  const line = text => {
    if (text === "") {
      if (event.data !== undefined) f({event: "message", ...event, data: JSON.parse(event.data)});
      event = {};
      return;
    }
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(text);
    if (name === "data")
      event.data = event.data === undefined ? value : `${event.data}\n${value}`;
    else if (name === "id" || name === "event")
      event[name] = value;
  };
  return piece => {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop();
    lines.forEach(line);
  };
}

async function poll(onEvent, signal) {
  for (;;) {
    if (!document.hidden) onEvent({event: "poll"});
    await pause(POLL_MS, signal);
  }
}

/* Browsers open some six connections to one origin, so a tab that nobody sees gives its own back. */
const HIDDEN_MS = 5000;

function seen(signal) {
  return new Promise((done, failed) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener("visibilitychange", look);
      signal.aborted ? failed(signal.reason) : done();
    };
    document.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look, {once: true});
    look();
  });
}

/* Aborted with `signal`, when the tab has been hidden for a while, and when the page is left: what a browser keeps of
   it for the way back would keep the connection, too. */
function whileSeen(signal) {
  const own = new AbortController();
  let timer = null;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => own.abort(), HIDDEN_MS);
  };
  const stop = () => own.abort();
  document.addEventListener("visibilitychange", look);
  addEventListener("pagehide", stop);
  signal.addEventListener("abort", stop);
  own.signal.addEventListener("abort", () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
    removeEventListener("pagehide", stop);
    signal.removeEventListener("abort", stop);
  });
  return own;
}

async function follow(path, onEvent, whole) {
  let last = null, ended = false;
  for (let tries = 0; !ended; tries++) {
    await seen(whole);
    const own = whileSeen(whole), {signal} = own;
    try {
      const reply =
        await ask("GET", path, {headers: {Accept: "text/event-stream", ...(last && {"Last-Event-ID": last})}, signal});
      if (!reply.ok || !reply.headers.get("Content-Type")?.startsWith("text/event-stream")) {
        reply.body?.cancel();
        own.abort();
        if (reply.status !== 403) return await poll(onEvent, whole);
        onEvent({event: "poll"}); /* the role metrics may not read them; asks again, as it may change */
        await pause(POLL_MS, whole);
        continue;
      }
      onEvent({event: "open"});
      const push = eventReader(event => {
        if (whole.aborted) return; /* a piece that was read before the abort may come after it */
        last = event.id ?? last;
        tries = 0;
        ended ||= event.event === "end";
        onEvent(event);
      });
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece; !(piece = await reader.read()).done;) push(piece.value);
    } catch (error) {
      if (whole.aborted) return;
    } finally {
      own.abort();
    }
    if (!ended) await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)], whole);
  }
}

/* Returns a function that ends it. */
export function events(path, {onEvent, signal}) {
  const own = new AbortController();
  signal?.addEventListener("abort", () => own.abort(), {once: true});
  follow(path, onEvent, own.signal).catch(() => {}); /* ended while it waited */
  return () => own.abort();
}

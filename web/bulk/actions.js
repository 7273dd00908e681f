/* The actions on chosen rows that lists and tables share, as bar.js takes them. cancelling, removing and running give
   one each; requestsRun(requests, ...) submits sweeps and says where they are. */
import {link, send} from "../api.js";
import {count} from "../format.js";
import {deletesAtOnce, removedTogether} from "../removals.js";
import {t} from "../words.js";
import {othersSaid} from "./cancel.js";
import {removalQuestion} from "./removal.js";
import {jobRun} from "./jobs.js";
import "./words.js";

const call = (method, path, signal) => send(method, path, undefined, {signal});

/* why, name: of a row; paths(item): of its experiments, or its own; runs(item): how many end with it, 1 unless given;
   owner(item): whose it is; me as in live.js. */
export const cancelling = ({why, name, paths, runs = () => 1, owner, me}) => ({
  verb: "cancel",
  words: "bulk.cancel",
  yes: "bulk.cancel_all",
  why,
  ask: items => {
    const n = items.reduce((all, item) => all + runs(item), 0), owners = items.map(owner);
    return n > 1 || owners.some(one => one !== me.name) ?
      t("bulk.cancel_ask", {n: count(n), words: n}) + othersSaid(owners, me) :
      null;
  },
  start: (items, left) => jobRun({
    items,
    left,
    name,
    verb: "cancel",
    each: async (item, signal) => {
      for (const path of paths(item)) await call("DELETE", path, signal);
    }
  })
});

/* ask(items): a question, or null. */
export const removing = ({why, name, paths, ask}) => ({
  verb: "remove",
  words: "bulk.remove",
  why,
  ask: items => deletesAtOnce() ? removalQuestion(ask(items) ?? t("removals.ask")) : ask(items),
  start: async (items, left) => {
    const gone = [];
    const job = await jobRun({
      items,
      left,
      name,
      verb: "remove",
      quiet: true,
      each: async (item, signal) => {
        for (const path of paths(item)) {
          await call("DELETE", `${path}?remove=true`, signal);
          gone.push(path);
        }
      }
    });
    await removedTogether(gone);
    return job;
  }
});

/* The link to what was submitted: an experiment or a sweep. */
const placeOf = ({json}) => ({href: link(json.links.self.replace(/^\/v1\//, "")), words: `…${json.id.slice(-6)}`});

/* request(item, signal) promises [path, body] of what is submitted for it. */
export const running = ({why, name, request}) => ({
  verb: "run",
  words: "bulk.again",
  why,
  start: (items, left) => jobRun({
    items,
    left,
    name,
    verb: "run",
    seen: placeOf,
    each: async (item, signal) => {
      const [path, body] = await request(item, signal);
      return send("POST", path, body, {signal});
    }
  })
});

/* requests: of sweeps, as merged() of requests.js gives them, {request, items, count}; the job's items are these. size
 * and at_once as of jobRun(). */
export const requestsRun =
  (requests, {name, left = [], each = () => {}, size = one => one.items?.length ?? 1, at_once}) => jobRun({
    items: requests,
    left,
    name,
    size,
    at_once,
    verb: "run",
    seen: placeOf,
    each: async (one, signal) => {
      const reply = await send("POST", "/v1/sweeps", one.request, {signal});
      each(one, reply.json);
      return reply;
    }
  });

export const experimentsAsked = (n, owners, me) => t("bulk.remove_ask", {n: count(n)}) + othersSaid(owners, me);

/* Cancels one experiment, or a whole sweep: cancelAsked(path, me, signal), the path as in links, me as in live.js.
   Where that ends more than one run, or somebody else's, it asks first, with how many of whom; then it says what
   happened. Promises whether it was done. othersSaid(owners, me): a sentence with the others among owners, or "". */
import {del, get} from "../api.js";
import {count} from "../format.js";
import {askedText} from "../parts.js";
import {t} from "../words.js";
import {askFirst, told} from "./jobs.js";
import "./words.js";

const isSweep = path => path.startsWith("/v1/sweeps/");

/* "read_offset offset 5, block 256", or of a sweep "read_offset …7S4793": an owner may have several of a kernel. */
const oneName = ({entry, kernel, request}) => `${entry ?? kernel ?? request.kernel} ${askedText(request)}`;
const sweepName = ({id, kernel, recipe, request}) =>
  `${recipe ?? [kernel ?? request?.kernel].flat().join(", ")} …\u2060${id.slice(-6)}`;

/* "your sweep of copy", "bob's copy". */
function nameOf(of, sweep, me) {
  const form = of.owner === null ? me?.name ? "nobodys" : "unnamed" : of.owner === me?.name ? "yours" : "theirs";
  return t(`cancel.${sweep ? "sweep" : "one"}_${form}`, {who: of.owner, what: sweep ? sweepName(of) : oneName(of)});
}

export function othersSaid(owners, me) {
  const who = [...new Set(owners)].filter(owner => owner && owner !== me?.name);
  return who.length ? t("punct.space") + t("bulk.of_others", {who: who.join(t("list.comma"))}) : "";
}

/* Returns a function that finds the link of the table row which is then in the place of the row that has the focus
   now. */
function rowHere() {
  const row = document.activeElement?.closest("tbody tr"), label = row?.closest(".scroll")?.ariaLabel,
        at = row ? [...row.parentNode.children].indexOf(row) : -1;
  return () => {
    const table = [...document.querySelectorAll(".scroll")].find(one => label && one.ariaLabel === label),
          rows = table?.querySelectorAll("tbody tr") ?? [];
    return rows[Math.min(at, rows.length - 1)]?.querySelector("a") ?? null;
  };
}

export async function cancelAsked(path, me, signal) {
  const from = document.activeElement?.dataset.key, place = rowHere(); /* its button is off from here on */
  const sweep = isSweep(path), look = () => get(sweep ? `${path}?page_size=1` : path, {signal});
  let before = await look(), asking = true;
  const name = () => nameOf(before, sweep, me), ends = sweep ? before.queued + before.running : 1;
  const ended = () => told(() => t("cancel.ended", {name: name()}), place);
  const fresh = async () => {
    const now = await look();
    if (!asking) return true; /* it was answered meanwhile */
    before = now;
    const goes_on =
      sweep ? before.queued + before.running > 0 : before.state === "queued" || before.state === "running";
    if (!goes_on) ended();
    return goes_on;
  };
  const question = () => sweep ?
    t("cancel.ask_sweep",
      {n: count(before.queued + before.running), words: before.queued + before.running, name: name()}) :
    t("cancel.ask_one", {name: name()});
  const agreed = ends < 2 && before.owner === (me?.name ?? null) ||
    await askFirst({question, yes: () => t("cancel.yes", {words: ends}), no: () => t("cancel.no"), from, fresh});
  asking = false;
  if (!agreed) return false;
  const after = await del(path, {signal}).catch(error => {
    if (error.status !== 409) throw error;
    ended();
  });
  if (!after) return false;
  told(() => {
    if (!sweep) return t("cancel.did_one", {name: name()});
    const n = after.cancelled - before.cancelled;
    return [
      t("cancel.did_sweep",
        {n: count(n), words: n, name: name(), measured: count(after.succeeded), of: count(after.total)}),
      after.running > 0 && t("cancel.still_running", {n: count(after.running), words: after.running})
    ].filter(Boolean)
      .join(" ");
  }, place);
  return true;
}

/* Removing the experiment or sweep that a page is of, and bringing it back. removeAndLeave(path, list, go, options)
   removes it and opens that list, with the filters that it had if the user came from it, or the sweep that the user
   came from; options: {signal, asked: the page has asked already}. restoreOffer(error, go) is a button for the page of
   what was removed, for who may restore it. removalQuestion(question) adds to a question that nothing can be restored
   if the service deletes at once. */
import {del, get, link, send} from "../api.js";
import {h} from "../dom.js";
import {button} from "../parts.js";
import {asking, deletesAtOnce, focusUnder, removalsKnown, removalsRead, removedHere, removedHereKeep, removedTogether} from "../removals.js";
import {t} from "../words.js";
import {askFirst, jobRun} from "./jobs.js";
import "./words.js";

export const removalQuestion = question =>
  deletesAtOnce() ? `${question}${t("punct.space")}${t("removals.no_undo")}` : question;

const removalAsked = () => askFirst({
  question: () => removalQuestion(t("removals.ask")),
  yes: () => t("result.remove"),
  no: () => t("removals.keep"),
  from: "remove"
});

export async function removeAndLeave(path, list, go, options) {
  await removalsKnown();
  if (deletesAtOnce() && !options.asked && !await removalAsked()) return;
  const {from} = history.state ?? {};
  await asking([path], () => del(`${path}?remove=true`, options));
  await removedTogether([path]);
  const listed = from?.split("?")[0] === link(list) || from?.startsWith(link("sweeps/"));
  await go(listed ? from : list);
  document.querySelector(".removals button")?.focus({preventScroll: true});
}

const shows = paths => ["", "experiments", "sweeps"].map(link).includes(location.pathname) ||
  location.pathname.startsWith(link("sweeps/")) || paths.some(path => location.pathname === link(path.slice(4)));

/* Brings back what was removed at these paths, and draws the page anew if it shows them. */
export async function restore(paths, go) {
  const name = path => `…${path.slice(-6)}`;
  const {done} = await jobRun({
    items: paths,
    name,
    verb: "restore",
    seen: path => paths.length > 1 ? null : {href: link(path.slice(4)), words: name(path)},
    each: (path, signal) => asking([path], () => send("POST", `${path}/restore`, undefined, {signal})).then(() => path)
  });
  const back = new Set(done.map(({value}) => value));
  removedHereKeep(removedHere().map(batch => ({paths: batch.paths.filter(path => !back.has(path))})));
  await removalsRead();
  if (shows(paths)) {
    const top = scrollY;
    await go(location.pathname + location.search);
    scrollTo(0, top);
    if (document.activeElement.matches("h1")) document.activeElement.blur(); /* it got the focus from go() */
  }
  focusUnder();
}

/* On the page of what was removed, where the service's answer says so: brings it back, for whom it lets do that. */
export function restoreOffer({problem}, go) {
  const [path] = /\/v1\/(?:sweeps|experiments)\/\w+(?=\/restore)/.exec(problem.detail ?? "") ?? [];
  const back = async () => {
    await asking([path], () => send("POST", `${path}/restore`));
    await removalsRead();
    await go(location.pathname + location.search);
  };
  if (!path) return null;
  /* Where there are tokens, it says for whom. */
  const limited = /, for (?:(\S+) or )?an admin$|之前，(?:(\S+) 或)?管理员可用/.exec(problem.detail),
        node = h("p", {hidden: Boolean(limited)}, button(t("removals.undo"), back, {key: `restore ${path}`}));
  if (limited)
    get("/v1/whoami").then(({name, role}) => {
      node.hidden = role !== "admin" && (role !== "run" || name !== (limited[1] ?? limited[2]));
    }, () => {});
  return node;
}

/* One action on many rows: a few requests at a time, a bar on every page that says how far it is, and at its end how
   many were done, and of each of the others why not. It goes on when another page of this window is opened; a window
   that is closed meanwhile asks first.

   jobRun({items, left, name, size, each, verb, seen, quiet, at_once}) promises {done: [{item, value}], refused: [{item,
   why}]}. left: [{item, why}] that are refused without being asked for; name(item): a text; size(item): how many it
   counts for; each(item, signal) promises a value, or throws; verb: cancel, remove, run or restore; seen(value): {href,
   words} of what came of it, or null; quiet: nothing is said at the end where nothing was refused; at_once: how many
   requests are under way together, 1: in the order of the items.

   In the same place one is asked before something else, and told what came of it: askFirst({question, yes, no, from,
   fresh}) promises whether it was answered with yes, the three are functions that give texts, from is the data-key of
   what has the focus afterwards; fresh(), each second, promises whether there is still something to ask, and the
   question is drawn anew; told(words, place), functions: the nodes, and what gets the focus if nothing has it, not
   given: the button that closes them. */
import {h, headingFocus, redraw} from "../dom.js";
import {count} from "../format.js";
import {button} from "../parts.js";
import {jobsPlace} from "../removals.js";
import {t} from "../words.js";
import "./words.js";

/* FOCUS_MS: until then the button that was pressed may have gone from the page, and the focus with it. */
const AT_ONCE = 4, LINKS_MOST = 5, REDRAW_MS = 100, FOCUS_MS = 500, FRESH_MS = 1000;

const jobs = [];

const sum = (list, size) => list.reduce((all, {item}) => all + size(item), 0);

function linksOf({done, seen}) {
  const found = done.map(({value}) => seen(value)).filter(Boolean), rest = found.length - LINKS_MOST;
  return [
    found.slice(0, LINKS_MOST).map(({href, words}) => [" ", h("a", {href}, t("bulk.see", {what: words}))]),
    rest > 0 && ` ${t("bulk.see_more", {n: count(rest)})}`
  ];
}

function refusedList({refused, name, size, verb}) {
  if (!refused.length) return null;
  const said = refused.map(({item, why}) => [`${name(item)} ${why}`, {what: name(item), why}]),
        reasons = [...new Map(said).values()];
  return h(
    "details", {open: true, class: "refused"}, h("summary", {}, t(`bulk.not_${verb}`, {n: count(sum(refused, size))})),
    h("ul", {}, reasons.map(({what, why}) => h("li", {}, h("strong", {}, what), " ", why))));
}

function questionDraw({question, yes, no, answer, number}) {
  return h(
    "div", {class: "job"},
    h("p", {
      class: "confirm-line",
      role: "group",
      "aria-label": question(),
      onkeydown: ({key}) => key === "Escape" && answer(false)
    },
      h("span", {}, question()), " ", button(no(), () => answer(false), {key: `no ${number}`}), " ",
      button(yes(), () => answer(true), {key: `yes ${number}`})));
}

function jobDraw(job) {
  if (job.question) return questionDraw(job);
  const of = count(sum([...job.waits, ...job.asked, ...job.done, ...job.refused], job.size)),
        n = count(sum(job.done, job.size));
  if (!job.ended)
    return h(
      "div", {class: "job"},
      h("p", {}, h("span", {"aria-live": "off"}, t(`bulk.now_${job.verb}`, {n, of})), " ",
        button(t("bulk.stop"), () => job.stop.abort(), {small: true, key: `stop ${job.number}`})));
  const close = () => {
    jobs.splice(jobs.indexOf(job), 1);
    draw();
    setTimeout(() => document.activeElement === document.body && headingFocus());
  };
  return h(
    "div", {class: "job"},
    h("p", {}, h("span", {}, job.words?.() ?? [t(`bulk.did_${job.verb}`, {n, of}), linksOf(job)]), " ",
      button(t("bulk.close"), close, {small: true, key: `close ${job.number}`})),
    refusedList(job));
}

function draw() {
  jobsPlace.hidden = !jobs.length;
  redraw(jobsPlace, jobs.map(jobDraw));
}

document.addEventListener("redrawn", draw); /* in another language */
/* What went well need not be closed by hand: another page has no use for it. */
document.addEventListener("opened", () => {
  for (const job of jobs.filter(one => one.ended && !one.refused.length && one.page !== location.pathname))
    jobs.splice(jobs.indexOf(job), 1);
  draw();
});
addEventListener("beforeunload", event => {
  if (jobs.some(job => job.asked && !job.ended)) event.preventDefault();
});

async function worker(job) {
  const {signal} = job.stop;
  for (let next; !signal.aborted && (next = job.waits.shift());) {
    job.asked.push(next);
    try {
      job.done.push({...next, value: await job.each(next.item, signal)});
    } catch (error) {
      job.refused.push({...next, why: signal.aborted ? t("bulk.stopped") : error.message});
    }
    job.asked.splice(job.asked.indexOf(next), 1);
  }
}

let numbers = 0;

const keyed = key => [...document.querySelectorAll("[data-key]")].find(one => one.dataset.key === key);

/* One at a time: the next one answers the one before with no. */
export function askFirst({question, yes, no, from, fresh = null}) {
  const number = numbers++;
  jobs.find(one => one.question)?.answer(false);
  return new Promise(answered => {
    const look = async () => {
      if (await fresh().catch(() => true))
        draw();
      else
        answer(false);
    };
    const timer = fresh && setInterval(look, FRESH_MS);
    const answer = agreed => {
      clearInterval(timer);
      if (!jobs.some(one => one.number === number)) return;
      jobs.splice(jobs.findIndex(one => one.number === number), 1);
      draw();
      answered(agreed);
      setTimeout(() => keyed(from)?.focus({preventScroll: true})); /* it is off until its own call has ended */
    };
    jobs.push({question, yes, no, answer, number});
    draw();
    keyed(`no ${number}`).focus({preventScroll: true});
    keyed(`no ${number}`).scrollIntoView({block: "nearest"});
  });
}

const endedDrop = () => {
  for (const old of jobs.filter(one => one.ended)) jobs.splice(jobs.indexOf(old), 1);
};

/* place: an element, or null. */
export function told(words, place = () => null) {
  const number = numbers++;
  endedDrop();
  jobs.push({words, number, page: location.pathname, waits: [], asked: [], done: [], refused: [], ended: true});
  draw();
  setTimeout(
    () => document.activeElement === document.body && (place() ?? keyed(`close ${number}`))?.focus(), FOCUS_MS);
}

export async function jobRun(
  {items, left = [], name, size = () => 1, each, verb, seen = () => null, quiet = false, at_once = AT_ONCE}) {
  const job = {
    name,
    size,
    each,
    verb,
    seen,
    number: numbers++,
    page: location.pathname,
    waits: items.map(item => ({item})),
    asked: [],
    done: [],
    refused: [...left],
    ended: false,
    stop: new AbortController()
  };
  endedDrop();
  jobs.push(job);
  draw();
  const timer = setInterval(draw, REDRAW_MS);
  await Promise.all(Array.from({length: at_once}, () => worker(job)));
  clearInterval(timer);
  for (const one of job.waits.splice(0)) job.refused.push({...one, why: t("bulk.stopped")});
  job.ended = true;
  if (quiet && !job.refused.length) jobs.splice(jobs.indexOf(job), 1);
  draw();
  return job;
}

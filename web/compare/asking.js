/* Asking for more runs of what a comparison cannot tell: askingMore({now, begun, joined, focusBack, signal}) gives
   {needsCell, undecidedAgain, news}. now() is {sources, comparison, me} as they are, sources as in more.js;
   begun(sweep, request) is told of each sweep that was submitted, joined({a, b}) of all of them, to make them part of
   their side; focusBack(key) gives the focus back to the button of that data-key, which may be gone by then.
   needsCell(point) is a cell with a button for one point, undecidedAgain() a button for all of them or null;
   news(running) says what was asked for, as long as it runs, with a button that cancels all of it; running: the sweeps
   that have not ended, {id, owner, request, mine}, mine: asked for here. */
import {del, link, nonce} from "../api.js";
import {requestsRun} from "../bulk/actions.js";
import {roleRuns, whyNotOwn} from "../bulk/bar.js";
import {askFirst} from "../bulk/jobs.js";
import {h, tip} from "../dom.js";
import {count} from "../format.js";
import {button, cell, TURNS} from "../parts.js";
import {reasonSaid, t} from "../words.js";
import {MOST, allRequests, isOver, moreRequest, pooledField, roundsOf} from "./more.js";
import {LETTERS} from "./sides.js";
import "./words.js";

/* ABBAABBA: what drifts in a straight line while they run adds the same to both sides, and there are at most 8 sweeps
   of a point. More than RUNS_UNASKED runs are asked for after a question. An address may be 8000 characters long. */
const ROUNDS = 4, RUNS_UNASKED = 100, ADDRESS_MOST = 7000, ID_LENGTH = 27;

export function askingMore({now, begun, joined, focusBack, signal}) {
  const asked_for = {a: [], b: []};
  let turns = "";

  const runsOf = wanted => wanted.reduce((sum, {items, request}) => sum + items.length * request.repeat, 0);
  /* Submits them, {letter, request, ...}, in turns, and makes what comes of each a part of the side that it is of. */
  async function more(wanted) {
    const came = {a: [], b: []}, runs = runsOf(wanted), from = document.activeElement?.dataset.key;
    if (runs > RUNS_UNASKED && !await askFirst({
          question: () => t("compare.ask_more", {n: count(runs)}),
          yes: () => t("compare.ask_yes"),
          no: () => t("compare.ask_no"),
          from
        }))
      return;
    const most = Math.floor((ADDRESS_MOST - location.href.length) / ID_LENGTH / wanted.length);
    turns = nonce().slice(0, 12);
    const named =
      wanted.map(one => ({...one, request: {...one.request, labels: {...one.request.labels, [TURNS]: turns}}}));
    const {done} = await requestsRun(roundsOf(named, Math.min(ROUNDS, most)), {
      name: ({letter, of}) => `${letter.toUpperCase()} × ${count(of)}`,
      size: ({items, runs}) => items.length * runs,
      at_once: 1,
      each: ({letter, request}, sweep) => {
        begun(sweep, request);
        came[letter].push(sweep);
      }
    });
    if (!done.length || signal.aborted) return;
    for (const letter of LETTERS) asked_for[letter].push(...came[letter]);
    joined(came);
    focusBack(from);
  }
  function news(running) {
    if (!running.some(({mine}) => mine))
      for (const letter of LETTERS) asked_for[letter] = [];
    const said = LETTERS.filter(letter => asked_for[letter].length).map(letter => {
      const sweeps = asked_for[letter], runs = sweeps.reduce((sum, sweep) => sum + sweep.total, 0);
      return h(
        "p", {class: "note"}, t("compare.asked_more", {letter: letter.toUpperCase(), n: count(runs), words: runs}), " ",
        h("a", {href: link(sweeps.length < 2 ? `sweeps/${sweeps[0].id}` : `sweeps?label=${TURNS}:${turns}`)},
          t("compare.see_sweep")));
    });
    const {me} = now(), further = ({mine, request}) => mine || request?.labels?.[TURNS],
          own = roleRuns(me) ? running.filter(one => further(one) && !whyNotOwn(me, one.owner)) : [];
    return [
      said,
      own.length > 0 &&
        h("p", {class: "acts again"}, button(t("compare.cancel"), () => cancelAll(own), {key: "cancel runs"}))
    ];
  }
  async function cancelAll(sweeps) {
    const from = document.activeElement?.dataset.key;
    const agreed = await askFirst({
      question: () => t("compare.cancel_ask", {n: count(sweeps.length), words: sweeps.length}),
      yes: () => t("bulk.cancel_all"),
      no: () => t("cancel.no"),
      from
    });
    const hasEnded = error => {
      if (error.status !== 409) throw error;
    };
    if (agreed) await Promise.all(sweeps.map(({id}) => del(`/v1/sweeps/${id}`).catch(hasEnded)));
  }

  const moreText = (letter, n) => t("compare.more_runs", {n: count(n), letter: letter.toUpperCase(), words: n});
  /* The number of further runs is an estimate, except in two cases where more may be needed: when it is MOST, the
     largest that the service gives, and when there are too few runs to estimate from. Then it is the number that
     reaches the fewest runs of a verdict, after which an estimate follows. */
  function pointText({needs}) {
    const often = n => n >= MOST ? "most" : needs.code !== "wide" ? "first" : "about";
    if (needs.a && needs.a === needs.b) return t(`compare.${often(needs.a)}_each`, {n: count(needs.a)});
    return needsOf({needs})
      .map(letter => t(`compare.${often(needs[letter])}_runs`, {n: count(needs[letter]), letter: letter.toUpperCase()}))
      .join(t("list.comma"));
  }
  const needsOf = ({needs}) => LETTERS.filter(letter => needs[letter] > 0);
  /* Why further runs of these sides would not join them as they are: a sentence, or null. A side whose time is over
     takes none, and without its runs the sides would not have equal turns. */
  function hindrance(letters) {
    const {sources, comparison} = now(), over = LETTERS.find(letter => isOver(sources[letter].parts));
    if (over) return t("compare.over", {letter: over.toUpperCase(), until: String(sources[over].parts.members.until)});
    const pooled = letters.map(letter => ({letter: letter.toUpperCase(), field: pooledField(letter, comparison)}))
                     .find(({field}) => field);
    return pooled ? t("compare.pooled", pooled) : null;
  }
  function needsCell(point) {
    if (!point.needs) return cell();
    const letters = needsOf(point), words = pointText(point), hindered = hindrance(letters);
    if (hindered) return cell(tip(h("span", {class: "quiet"}, words), hindered));
    if (!letters.length || !roleRuns(now().me))
      return cell(tip(h("span", {class: "quiet"}, words || t("compare.wide")), reasonSaid(point.needs.reason)));
    const act = button(words, () => {
      const {sources, comparison} = now();
      return more(letters.map(letter => ({
                                letter,
                                items: [point],
                                request: moreRequest(letter, sources[letter], comparison, point, point.needs[letter])
                              })));
    }, {small: true, key: `more ${JSON.stringify(point.values)}`});
    tip(act[0], reasonSaid(point.needs.reason));
    return cell(act);
  }
  /* What all points need that cannot be told, at once. */
  function undecidedAgain() {
    const {sources, comparison} = now(),
                    untold = comparison.points.filter(point => point.needs && needsOf(point).length);
    if (untold.length < 2 || !roleRuns(now().me) || hindrance(LETTERS)) return null;
    const wanted = allRequests(comparison, sources);
    const runs = LETTERS
                   .map(
                     letter =>
                       [letter,
                        wanted.filter(one => one.letter === letter)
                          .reduce((sum, one) => sum + one.points * one.request.repeat, 0)])
                   .filter(([, n]) => n > 0)
                   .map(
                     ([letter, n]) => untold.some(point => point.needs[letter] >= MOST) ?
                       t("compare.least_runs", {n: count(n), letter: letter.toUpperCase()}) :
                       moreText(letter, n))
                   .join(t("list.comma"));
    return button(
      t("compare.all_undecided", {points: count(untold.length), runs}), () => more(wanted), {key: "all undecided"});
  }
  return {needsCell, undecidedAgain, news};
}

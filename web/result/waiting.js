/* An experiment that has not ended: its place and time in words, or what is being done; one that ended without a
   result; and the runs of one that were lost: lostPanel(experiment, nameOf), false where there are none; nameOf(number)
   is a device's name. */
import {h, replace} from "../dom.js";
import {count, duration, moment} from "../format.js";
import {phaseName} from "../lab/phase_words.js";
import {cell, headCell, numberCell, panel, table} from "../parts.js";
import {DICTIONARY, language, reasonSaid, t} from "../words.js";
import "./words.js";

const placeWords = (position, eta) => position === null || position === undefined ? t("wait.queued") :
  position === 0 ? eta === null ? t("wait.next") : t("wait.next_eta", {eta: duration(eta)}) :
  eta === null   ? t("wait.place", {n: count(position)}) :
                   t("wait.place_eta", {n: count(position), eta: duration(eta)});

function waitingWords({state, position, eta_seconds: eta, paused, cancelling, unwritten, waits_for: why}, progress) {
  if (unwritten) return reasonSaid(why).replace(/^./, letter => letter.toUpperCase());
  if (cancelling) return t("wait.cancelling");
  if (state === "running" || progress) {
    const phase = progress && phaseName(progress.phase);
    if (!phase) return t("wait.running");
    return progress.samples ? t("wait.phase_samples", {phase, n: count(progress.samples)}) : t("wait.phase", {phase});
  }
  if (why) return t("wait.for", {why: reasonSaid(why)});
  return paused ? t("wait.paused") : placeWords(position, eta);
}

/* {node, show(experiment, progress)}; announce is told what changed. */
export function waitingPart({announce}) {
  const heading = h("h1", {class: "headline"}), lead = h("p", {class: "lead"}),
        track = h("div", {class: "stripes-track", "aria-hidden": "true"}, h("i", {}));
  const node = h("div", {class: "waiting"}, heading, lead, track);
  let last = "", announced = "";
  return {
    node,
    show(experiment, progress) {
      const words = waitingWords(experiment, progress), running = experiment.state === "running" || Boolean(progress),
            place = !running && experiment.waits_for && experiment.position > 0 ?
        t("wait.place", {n: count(experiment.position)}) + t("punct.stop") :
        "";
      lead.textContent = place +
        (experiment.unwritten ? t("wait.unwritten_text") :
           running            ? t("wait.running_text") :
                                t("wait.queued_text"));
      if (words === last) return;
      last = words;
      heading.textContent = words;
      track.classList.toggle("running", running && !experiment.unwritten);
      /* A screen reader is not told that only time has passed. */
      const news = waitingWords({...experiment, eta_seconds: null}, progress);
      if (news !== announced) announce(words);
      announced = news;
    }
  };
}

/* `why`: the failure's sentence where it is known in the page's language. */
export function failedPart(experiment, mismatch, why) {
  const {failure, state} = experiment, said = why ?? reasonSaid(failure?.detail), cancelled = state === "cancelled";
  const kind = experiment.faults?.length ? t("failure.fault") :
    failure ? (`failure.${failure.kind}` in DICTIONARY ? t(`failure.${failure.kind}`) : failure.kind) :
              t("failure.cancelled");
  const heading = h("h1", {class: "headline failed"}, cancelled ? t("failure.cancelled") : `✕\u00a0${kind}`);
  return replace(
    h("div", {}), heading, h("p", {class: "lead"}, mismatch ?? said ?? ""),
    mismatch && failure?.detail && h("p", {class: "note"}, said));
}

export function lostPanel({lost}, nameOf) {
  return lost.length > 0 &&
    panel(t("lost.title"), t("lost.text"),
          table(
            t("lost.title"),
            [
              headCell(t("lost.attempt"), true), headCell(t("device.name")), headCell(t("device.when")),
              headCell(t("lost.why"))
            ],
            lost.map(
              one =>
                h("tr", {}, numberCell(count(one.attempt)), cell(nameOf(one.device)), cell(moment(one.at, language())),
                  cell(reasonSaid(one.why))))));
}

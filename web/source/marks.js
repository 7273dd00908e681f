/* What stands at the lines of a source: what they cost, and what is wrong with them, as the service has it, with its
   lines from 1 on. */
import {h} from "../dom.js";
import {count, percent} from "../format.js";
import {language, t} from "../words.js";
import "./words.js";

/* The wasted part of a bar is an element of its own, because the stylesheet gives it stripes. */
const costBar = efficiency =>
  h("i", {class: "cost-bar"}, h("i", {class: "used", style: {width: `${efficiency}%`}}),
    h("i", {class: "hatch", style: {width: `${100 - efficiency}%`}}));

/* As multiple of the turns that the banks would take without conflicts: accesses of 8 and 16 bytes have several. */
const bankTurns = line => line.shared_wavefronts / (line.shared_wavefronts - line.bank_conflicts);

/* What a line costs, in words. */
function costSaid(line) {
  return [
    line.requests > 0 && t("source.cost", {
      n: count(line.requests),
      transactions: count(line.transactions),
      percent: line.efficiency_pct === null ? t("no_value") : percent(line.efficiency_pct / 100)
    }),
    line.traffic_pct !== null && line.requests > 0 &&
      t("source.cost_share", {percent: percent(line.traffic_pct / 100)}),
    line.shared_requests > 0 &&
      t("source.cost_shared",
        {n: count(line.shared_requests), turns: count(line.shared_wavefronts), conflicts: count(line.bank_conflicts)})
  ].filter(Boolean)
    .join(t("punct.semicolon"));
}

/* What accesses of no line cost, in a sentence; null: each has a line. */
export function movedSaid(lines) {
  const row = lines.find(one => one.line === null);
  if (!row) return null;
  const arrays = row.accesses.map(({array, joined_lines: joined}) => {
    const name = array ?? t("source.shared_memory");
    return joined ? t("source.joined", {array: name, first: joined[0], second: joined[1]}) : name;
  });
  return t("source.moved", {arrays: [...new Set(arrays)].join(t("list.comma")), cost: costSaid(row)});
}

/* What a line costs, for the margin: how much of what it moves is used, or how often its lanes wait for a bank, where
   that is the trouble; null: it accesses nothing, or shared memory without a conflict. */
export function costMark(line) {
  const efficiency = line.requests > 0 ? line.efficiency_pct : null, conflicts = line.bank_conflicts > 0,
        low = efficiency !== null && efficiency < 99.5;
  if (efficiency === null && !conflicts) return null;
  return h(
    "span", {class: "cost", title: costSaid(line)}, efficiency !== null && !conflicts && costBar(efficiency),
    efficiency !== null && (low || !conflicts) && h("b", {class: low ? "low" : null}, percent(efficiency / 100)),
    conflicts && h("b", {class: "low"}, `△\u00a0×${Number(bankTurns(line).toFixed(1))}`));
}

const SIGNS = {
  fault: "✕",
  also: "↔",
  note: "○"
};

/* Of a mark: for the margin, null where it is no fault, and for below the line. */
export const signOf = mark =>
  mark.kind === "note" ? null : h("b", {class: `sign ${mark.kind}`, title: detailIn(mark)}, SIGNS[mark.kind]);
export const noteOf = mark => h("p", {class: `line-note ${mark.kind}`}, `${SIGNS[mark.kind]} `, detailOf(mark));

/* In the language of the page; and without the line that a sentence begins with: it stands there. */
export const detailIn = fault => language() === "zh" && fault.zh?.detail || fault.detail;
export const detailOf = fault => detailIn(fault).replace(/^(?:line \d+: |第\s*\d+\s*行：)/, "");

/* The other line that a sentence of the service names: of a race, or where a thread waits instead. */
function otherLine(fault) {
  const [, english, chinese] = /\bline (\d+)|第\s*(\d+)\s*行/.exec(detailOf(fault)) ?? [],
                    other = Number(english ?? chinese);
  return other && other !== fault.line ? other : null;
}

/* [{line, column, kind: fault, note or also, detail}]: `also` is the other line of a fault. */
export function marksOf(faults, notes) {
  const marks = [...faults.map(one => ({...one, kind: "fault"})), ...notes.map(one => ({...one, kind: "note"}))].filter(
    one => one.line);
  const others = [...new Map(marks.map(one => [otherLine(one), one]))].filter(
    ([line]) => line && !marks.some(one => one.line === line));
  return [...marks, ...others.map(([line, one]) => ({line, kind: "also", detail: t("source.also", {line: one.line})}))];
}

/* What a comparison says as a whole: its heading, how many points have each verdict, and what it leaves out. */
import "./words.js";
import {h} from "../dom.js";
import {count} from "../format.js";
import {t} from "../words.js";
import {sign} from "./forest.js";
import {LETTERS} from "./sides.js";
import {valueText} from "./table.js";

const VERDICTS = ["better", "same", "worse", "cannot_tell", "under_way"];

/* 0.005 is "0.5". */
export const shortPercent = part => String(Number((part * 100).toFixed(4)));

/* `name`: what side A is called. */
export function headingOf(comparison, name) {
  const {points, verdicts: {under_way}} = comparison, all = {a: name, n: count(points.length), words: points.length};
  const none = LETTERS.filter(letter => comparison[letter].experiments && !comparison[letter].runs)
                 .map(letter => letter.toUpperCase());
  if (!points.length)
    return none.length > 1 ? t("compare.no_runs_both") :
      none.length          ? t("compare.no_runs", {side: none[0]}) :
                             t("compare.nothing_common");
  if (under_way === points.length) return t("compare.all_under_way", all);
  const said = toldOf(comparison, name);
  return under_way ? t("compare.some_under_way", {said, n: count(under_way)}) : said;
}

/* Of the points that have all of their runs. */
function toldOf({verdicts, points}, name) {
  const told = points.length - verdicts.under_way, n = count(told);
  if (verdicts.cannot_tell === told) return t("compare.nothing_told", {a: name, n, words: told});
  if (verdicts.same === told) return t("compare.all_same", {a: name, n, words: told});
  const said =
    {a: name, better: count(verdicts.better), n, words: told, same: count(verdicts.same), worse: count(verdicts.worse)};
  return verdicts.cannot_tell ? t("compare.heading_open", {...said, open: count(verdicts.cannot_tell)}) :
                                t("compare.heading", said);
}

export function countsRow({verdicts, same_within}) {
  return h(
    "ul", {class: "verdicts"},
    VERDICTS.filter(verdict => verdict !== "under_way" || verdicts.under_way)
      .map(
        verdict =>
          h("li", {}, sign(verdict), h("b", {}, count(verdicts[verdict])),
            h("span", {}, t(`compare.${verdict}_count`, {percent: shortPercent(same_within)})))));
}

/* Returns sentences: why there is nothing to compare, or less than there could be. */
export function leftOut(comparison) {
  const said = [];
  for (const letter of LETTERS) {
    const side = comparison[letter],
          reasons = Object.entries(side.left_out).filter(([, n]) => n > 0).map(([why, n]) => t(`compare.left_${why}`, {
                                                                                 n: count(n)
                                                                               }));
    if (!side.experiments)
      said.push(t("compare.side_empty", {letter: letter.toUpperCase()}));
    else if (reasons.length)
      said.push(t("compare.side_left_out", {letter: letter.toUpperCase(), reasons: reasons.join(t("list.comma"))}));
    if (side.only_here.count)
      said.push(t("compare.only_here", {
        letter: letter.toUpperCase(),
        n: count(side.only_here.count),
        words: side.only_here.count,
        first: Object.entries(side.only_here.values[0] ?? {})
                 .map(([name, value]) => `${name} ${valueText(value)}`)
                 .join(t("list.comma"))
      }));
  }
  return said;
}

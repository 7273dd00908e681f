/* moreButton(sweep, {spec, relative}, {signal, go}): a button that submits the sweep again, with as many runs of each
   point as are likely to decide what the charts leave undecided (sure.js); null where nothing is undecided, or a sweep
   may not have more runs. spec and relative are the specifications of the two charts. */
import {send} from "../api.js";
import {count} from "../format.js";
import {askFirst} from "../bulk/jobs.js";
import {button} from "../parts.js";
import {t} from "../words.js";
import {moreRuns} from "./charts.js";
import {RUNS_LEAST} from "./sure.js";
import "./words.js";

/* Before more than RUNS_UNASKED runs are submitted, the user is asked to confirm it. */
const REPEAT_MOST = 1000, RUNS_MOST = 10000, RUNS_UNASKED = 200;

export function moreButton({head, running, points}, {spec, relative}, {signal, go}) {
  const more = spec && !running ? moreRuns(spec, relative) : 0,
        measured = Math.min(head.repeat, ...points.map(point => point.succeeded).filter(Boolean)),
        repeat = Math.max(RUNS_LEAST, measured + more), runs = repeat * head.point_count;
  if (!more || repeat > REPEAT_MOST || runs > RUNS_MOST) return null;
  return button(t("sure.ask", {n: count(repeat)}), async () => {
    if (runs > RUNS_UNASKED && !await askFirst({
          question: () => t("sure.ask_first", {n: count(runs)}),
          yes: () => t("sure.ask_yes"),
          no: () => t("sure.ask_no"),
          from: "more runs"
        }))
      return;
    const {json} = await send("POST", "/v1/sweeps", {...head.request, repeat}, {signal});
    await go(`sweeps/${json.id}`);
  }, {key: "more runs"});
}

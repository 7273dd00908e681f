/* moreButton(sweep, {spec, relative}, {signal, go}): a button that submits the sweep again, with as many runs of each
   point as are likely to decide what the charts leave undecided (sure.js); null where nothing is undecided, or a sweep
   may not have more runs. spec and relative are the specifications of the two charts. */
import {send} from "../api.js";
import {count} from "../format.js";
import {button} from "../parts.js";
import {t} from "../words.js";
import {moreRuns} from "./charts.js";
import {RUNS_LEAST} from "./sure.js";
import "./words.js";

const REPEAT_MOST = 1000, RUNS_MOST = 10000;

export function moreButton({head, running}, {spec, relative}, {signal, go}) {
  const more = spec && !running ? moreRuns(spec, relative) : 0, repeat = Math.max(RUNS_LEAST, head.repeat + more);
  if (!more || repeat > REPEAT_MOST || repeat * head.point_count > RUNS_MOST) return null;
  return button(t("sure.ask", {n: count(repeat)}), async () => {
    const {json} = await send("POST", "/v1/sweeps", {...head.request, repeat}, {signal});
    await go(`sweeps/${json.id}`);
  }, {key: "more runs"});
}

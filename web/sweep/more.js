/* moreButton(sweep, {spec, relative}, {signal, go}): a button that submits the sweep again, with as many runs of each
   point as are likely to decide what the charts leave undecided (sure.js); null where nothing is undecided, or a sweep
   may not have more runs. spec and relative are the specifications of the two charts. */
import {get, send} from "../api.js";
import {count, duration} from "../format.js";
import {askFirst} from "../bulk/jobs.js";
import {button} from "../parts.js";
import {t} from "../words.js";
import {moreRuns} from "./charts.js";
import {RUNS_LEAST} from "./sure.js";
import "./words.js";

/* Before more than RUNS_UNASKED runs are submitted, the user is asked to confirm it. */
const REPEAT_MOST = 1000, RUNS_MOST = 10000, RUNS_UNASKED = 200;

/* What a run takes lately on the slowest of the sweep's devices; null: that is not known. */
async function secondsOfOne(head, signal) {
  const {devices} = await get("/v1/queue", {signal}), own = new Set(head.devices?.map(({device}) => device)),
        known = devices.filter(({device, mean_seconds}) => own.has(device) && mean_seconds);
  return known.length ? Math.max(...known.map(({mean_seconds}) => mean_seconds)) : null;
}

const takesText = (runs, each_s) =>
  each_s ? t("sure.takes", {each: duration(each_s), all: duration(runs * each_s)}) : "";

export function moreButton({head, running, points}, {spec, relative}, {signal, go}) {
  const more = spec && !running ? moreRuns(spec, relative) : 0,
        measured = Math.min(head.repeat, ...points.map(point => point.succeeded).filter(Boolean)),
        repeat = Math.max(RUNS_LEAST, measured + more), runs = repeat * head.point_count;
  if (!more || repeat > REPEAT_MOST || runs > RUNS_MOST) return null;
  return button(t("sure.ask", {n: count(repeat)}), async () => {
    const each_s = runs > RUNS_UNASKED ? await secondsOfOne(head, signal) : null;
    if (runs > RUNS_UNASKED && !await askFirst({
          question: () => t("sure.ask_first", {n: count(runs), takes: takesText(runs, each_s)}),
          yes: () => t("sure.ask_yes"),
          no: () => t("sure.ask_no"),
          from: "more runs"
        }))
      return;
    const {json} = await send("POST", "/v1/sweeps", {...head.request, repeat}, {signal});
    await go(json.id);
  }, {key: "more runs"});
}

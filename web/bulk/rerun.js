/* The buttons that run the failed or the cancelled points of a sweep again. rerunButtons(sweep) returns a button for
   each of these two states that points have; null while the sweep runs. The code that submits the runs is loaded when a
   button is pressed. */
import {count} from "../format.js";
import {button} from "../parts.js";
import {t} from "../words.js";
import "./words.js";

export function rerunButtons(sweep) {
  if (sweep.running || sweep.read !== sweep.head.point_count) return null;
  return ["failed", "cancelled"].flatMap(state => {
    const points = sweep.rows.filter(point => point.state === state && !point.refused),
          runs = point => Math.max(1, point.runs.filter(run => run.state === state).length);
    const again = async () => {
      const {pointsRun} = await import("./points.js");
      return pointsRun(sweep, points, runs);
    };
    return points.length ?
      button(
        t(`bulk.${state}_again`, {n: count(points.length), words: points.length}), again, {key: `${state} again`}) :
      [];
  });
}

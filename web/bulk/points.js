/* The chosen points of a sweep: what can be done with them. pointsBar({sweep, chosen, me, again}) is their bar
   (bar.js), again(): after something was done. A point is one of sweep/data.js; of one that was run several times all
   runs are meant. */
import {count} from "../format.js";
import {hasEnded} from "../sweep/data.js";
import {pointText} from "../sweep/names.js";
import {t} from "../words.js";
import {cancelling, experimentsAsked, removing, requestsRun} from "./actions.js";
import {chosenBar, roleRuns, whyNotOwn} from "./bar.js";
import {merged, pointRequest, requestText} from "./requests.js";
import {compareNodes, experimentsSide, fieldsShared} from "./sides.js";
import "./words.js";

const idsOf = (point, wanted) => [...new Set(point.runs.filter(run => run.id && wanted(run)).map(run => run.id))];
const stillThere = point => idsOf(point, run => run.state !== "removed");
const pathsOf = ids => ids.map(id => `/v1/experiments/${id}`);

/* Of the axes alone: what a sweep that is spread ran on is none. */
const valuesOf = (sweep, point) =>
  sweep.factor ? Object.fromEntries(Object.entries(point.values).filter(([name]) => name !== "device")) : point.values;

/* times(point): how often each is run. */
const requestsOf = (sweep, points, times) => merged(
  points.map(point => {
    const n = times(point), request = {...pointRequest(sweep.head.request, valuesOf(sweep, point)), repeat: n};
    if (n === 1) delete request.repeat;
    return {item: point, request};
  }),
  sweep.axes.filter(axis => !axis.factor).map(axis => axis.name));

const nameIn = sweep => one => requestText(one, sweep.axes.map(axis => axis.name)) || sweep.head.request.kernel;

/* All points that have one value of an axis are told by it, and need no ids. */
function sideOf(sweep, points) {
  const {kernel} = sweep.head.request,
        fields = fieldsShared(points.map(point => ({...(kernel && {kernel}), ...valuesOf(sweep, point)})));
  const known = sweep.read === sweep.head.point_count, all = sweep.rows;
  const words = `${sweep.head.recipe ?? [
    sweep.head.request.kernel
  ].flat().join(", ")}, ${t("compare.points", {n: count(points.length), words: points.length})}`;
  if (known && points.length === all.length) return {text: `sweep:${sweep.id}`, words, fields};
  const axis = known &&
    sweep.axes.find(
      ({name, values, factor}) => !factor && values.length > 1 && name in fields && fields[name] !== null &&
        all.filter(point => point.values[name] === fields[name]).length === points.length);
  if (axis)
    return {
      text: `sweep:${sweep.id},where.${axis.name}:${fields[axis.name]}`,
      words: `${words}, ${axis.name} ${fields[axis.name]}`,
      fields
    };
  const side = experimentsSide(points.flatMap(stillThere), []);
  return side && {...side, words, fields};
}

function actionsOf(sweep, me) {
  if (!roleRuns(me)) return [];
  const {owner} = sweep.head, name = pointText;
  const own = why => point => whyNotOwn(me, owner) ?? why(point);
  const ended = point =>
    hasEnded(point.state) && point.runs.every(run => hasEnded(run.state)) ? null : t("bulk.not_ended");
  const waiting = point => idsOf(point, run => !hasEnded(run.state));
  return [
    cancelling({
      name,
      why: own(point => waiting(point).length ? null : t("bulk.has_ended")),
      paths: point => pathsOf(waiting(point)),
      runs: point => waiting(point).length,
      owner: () => owner,
      me
    }),
    {
      verb: "run",
      words: "bulk.again",
      why: ended,
      start: (points, left) => requestsRun(requestsOf(sweep, points, point => point.asked), {
        left: left.map(({item, why}) => ({item: {items: [item], text: name(item)}, why})),
        name: one => one.text ?? nameIn(sweep)(one)
      })
    },
    removing({
      name,
      why: own(
        point =>
          ended(point) ?? (stillThere(point).length ? null : t(point.refused ? "bulk.is_refused" : "bulk.is_removed"))),
      paths: point => pathsOf(stillThere(point)),
      ask: points => {
        const n = new Set(points.flatMap(stillThere)).size;
        return n > 1 ? experimentsAsked(n, [owner], me) : null;
      }
    })
  ];
}

export const pointsBar = ({sweep, chosen, me, again}) => chosenBar({
  chosen,
  actions: () => actionsOf(sweep, me()),
  more: () => compareNodes(chosen, points => sideOf(sweep, points), {pair: "in order"}),
  again
});

/* Runs these points again, each runs(point) times. */
export const pointsRun = (sweep, points, runs) => requestsRun(requestsOf(sweep, points, runs), {name: nameIn(sweep)});

/* More runs of one side of a comparison, each with its arrays placed anew: moreRequest(...) is the sweep that asks for
   a point again, n times; allRequests(...) are the sweeps, {letter, request, items, points}, that ask for what all
   points that cannot be told need, of both sides; roundsOf(wanted, most) are the sweeps that run them so that the sides
   take turns; pooledField(letter, comparison) keeps a side from being asked for more; runsOut(request, point): may a
   sweep that asks for that run the point? */
import {merged, single} from "../bulk/requests.js";
import {rangeValues} from "../creation/fields.js";
import {LETTERS} from "./sides.js";

/* What that side asks for at this point, as far as the comparison says. */
function fieldsOf(letter, parts, comparison, point) {
  const own = comparison.differs.filter(({field}) => field.startsWith("request."))
                .map(({field, [letter]: values}) => [field.slice(8), values])
                .filter(([, values]) => values.length === 1)
                .map(([name, [{value}]]) => [name, value]);
  return {...comparison.common, ...point.values, ...Object.fromEntries(own), ...parts.where};
}

const PRIORITY_MOST = 100; /* of users who are no admins */

const isAxis = value => Array.isArray(value) || typeof value === "string" && value.includes("..");

/* Returns the request of a sweep that repeats an experiment. A priority that only an admin may give is left out. */
const sweepRequest = ({request: {priority, ...request}}) => ({
  ...Object.fromEntries(Object.entries(request).map(([name, value]) => [name, single(name, value)])),
  ...(priority && priority <= PRIORITY_MOST && {priority})
});

/* Returns a request for n more runs of this point, for one side. head: the side's sweep, or null; experiments: those
 * that the side names or chooses. The request repeats the sweep or an experiment that measured the point; if none is
 * known, it is made from the values in the comparison. If the points differ in their device, the request names the
 * point's device. */
export function moreRequest(letter, {parts, head: sweep, experiments}, comparison, point, n) {
  const fields = fieldsOf(letter, parts, comparison, point), again = {repeat: n, placement: "new"};
  const device = {
    ...("device" in parts.members && {device: parts.members.device}),
    ...("device" in point.values && {device: point.values.device})
  };
  const asked = {values: {...comparison.common, ...point.values, ...parts.where}},
        one = experiments.find(({request}) => runsOut(request, asked));
  const repeated = sweep && runsOut(sweep.request, asked) ? sweep.request : one && sweepRequest(one);
  if (repeated) {
    const base = {...repeated};
    for (const [name, value] of Object.entries(fields))
      if (isAxis(base[name]) || (base.recipe && name !== "grid" && name in point.values))
        base[name] = single(name, value);
    return {...base, ...device, ...again};
  }
  const wanted = Object.fromEntries(Object.entries(fields)
                                      .filter(([name, value]) => name !== "grid" && value !== null)
                                      .map(([name, value]) => [name, single(name, value)]));
  return {...wanted, ...device, ...(Object.keys(parts.labels).length && {labels: parts.labels}), ...again};
}

/* Returns the field of which the side has several values at one point, as it can where the sides may differ in it; or
 * null. Further runs would all have one of these values, and move the side's median towards it. */
export const pooledField = (letter, {differs, but_for}) =>
  differs.filter(({field, [letter]: values}) => field.startsWith("request.") && values.length > 1)
    .map(({field}) => field.slice("request.".length))
    .find(name => but_for.includes(name)) ??
  null;

/* Whether the side ends at a time that is past. A day alone begins at midnight UTC, as for the service. */
export const isOver = ({members: {until}}) => until !== undefined && new Date(until) <= new Date();

/* The service counts up to so many. */
export const MOST = 1000;

/* sources: by letter what moreRequest() takes, {parts, head, experiments}. */
export function allRequests(comparison, sources) {
  return LETTERS.flatMap(letter => {
    const asks =
      comparison.points.filter(point => point.needs?.[letter] > 0)
        .map(
          point =>
            ({item: point, request: moreRequest(letter, sources[letter], comparison, point, point.needs[letter])}));
    const names = new Set(comparison.points.flatMap(point => Object.keys(point.values)));
    names.delete("device");
    return merged(asks, names).map(one => ({...one, letter}));
  });
}

/* What drifts meanwhile must touch both sides alike: a sweep of each for a round, and every other round the other side
 * begins. With more than `most` rounds each is of several runs. */
export function roundsOf(wanted, most) {
  const rounds = Math.min(Math.max(1, most), Math.max(...wanted.map(({request}) => request.repeat)));
  return Array
    .from(
      {length: rounds},
      (_, round) => {
        const turn = wanted
                       .map(one => {
                         const {repeat, ...request} = one.request, upTo = k => Math.floor(repeat * k / rounds),
                                        n = upTo(round + 1) - upTo(round);
                         return {...one, of: repeat, runs: n, request: n > 1 ? {...request, repeat: n} : request};
                       })
                       .filter(({runs}) => runs > 0);
        return round % 2 ? turn.reverse() : turn;
      })
    .flat();
}

/* A value as a text: 64 and [64, 1, 1] are the same. */
export const plain = value => JSON.stringify(
  Array.isArray(value) ? value.filter((one, i) => i === 0 || value.slice(i).some(n => n !== 1)) : [value]);

export const runsOut = (request, {values}) => Object.entries(values).every(([name, value]) => {
  const asked = request[name];
  if (asked === undefined || asked === null || name === "grid" || name === "device") return true;
  return plain(asked) === plain(value) ||
    (Array.isArray(asked) ? asked : rangeValues(String(asked)) ?? []).some(one => plain(one) === plain(value));
});

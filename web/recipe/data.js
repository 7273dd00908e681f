/* A recipe beside one's device, point by point, out of what the service knows of it.

   pointsPredicted(name, arch, signal) is {table, points} before anything was run: what its points share of what was
   published, {device, marks, notes, ...} or null, and [{values, published, predicted: {published_arch, device_arch}}];
   pointsRead(id, signal) the same of a sweep, as far as it is, with the sweep and each point's {state, failure, cold,
   efficiency, transfers, runs, row}, where row is what the table of the sweep says of its first run. timesOf(recipe,
   signal) has the predicted times, without a run. newestSweep(name, signal) is the last sweep of that recipe, or null.
 */
import {get, text} from "../api.js";
import {rowsOf} from "../table.js";
import {language} from "../words.js";

const PAGES = 4, PAGE = 500;
const isShape = (name, value) => name === "size" && value.length === 2; /* of the kernels with two dimensions */

/* A recipe with its texts in the reader's language, where it has them. */
export function recipeTold(recipe) {
  const {zh, published} = recipe;
  if (language() !== "zh" || !zh) return recipe;
  return {
    ...recipe,
    title: zh.title,
    text: zh.text,
    ...(
      published && {published: {...published, device: {...published.device, name: zh.device ?? published.device.name}}})
  };
}

/* A page asks twice where its device is of the architecture that is shipped, or is a CPU: the answer is shared. */
let last = {};
function predictionsGet(name, arch, signal) {
  const path = `/v1/recipes/${encodeURIComponent(name)}/predictions?arch=${arch}`;
  if (last.path !== path || last.signal !== signal) last = {path, signal, answer: get(path, {signal})};
  return last.answer;
}

export async function pointsPredicted(name, arch, signal) {
  const {published: table, points} = await predictionsGet(name, arch, signal);
  return {
    table,
    points: points.map(
      ({values, published, predicted, prediction, failure}) =>
        ({values, published, predicted: {...predicted, device_arch: prediction, reason: failure?.detail}}))
  };
}

/* What a device whose constants are shipped would take for each point, by what its axes are: a Map of timeKey(recipe,
 * values) to {request, time}. */
const SHIPPED_ARCH = "sm_90";
export const timeKey = ({sweep}, {device, ...values}) =>
  JSON.stringify(Object.entries(values).filter(([name]) => !isShape(name, sweep[name] ?? [])).sort());
export async function timesOf(recipe, signal) {
  const {points} = await predictionsGet(recipe.name, SHIPPED_ARCH, signal);
  return new Map(points.map(({values, request, prediction, failure}) => [timeKey(recipe, values), {
                              request,
                              time: prediction?.time ??
                                {
                                  status: "unavailable", reason: failure?.detail ?? ""
                                }
                            }]));
}

export async function newestSweep(name, signal) {
  for (let page = 0, token = ""; page < PAGES && token !== null; page++) {
    const {sweeps, next_page_token} =
      await get(`/v1/sweeps?page_size=${PAGE}${token && `&page_token=${token}`}`, {signal});
    const found = sweeps.find(sweep => sweep.recipe === name && sweep.succeeded > 0) ??
      sweeps.find(sweep => sweep.recipe === name && sweep.state === "running");
    if (found) return found.id;
    token = next_page_token;
  }
  return null;
}

/* Adds to the points of a sweep those of its recipe that the sweep does not have. Where the sweep's settings differ
   from the recipe's, its size for example, the added points have no prediction, because that would be of other
   settings. */
export function pointsJoined(recipe, own, all) {
  const keyOf = ({values}) => timeKey(recipe, values), known = new Set(all.map(keyOf)),
        differs = own.some(({published}) => Object.keys(published?.differs ?? {}).length > 0);
  const joined = all.flatMap(point => {
    const found = own.filter(one => keyOf(one) === keyOf(point));
    return found.length ? found : differs ? {values: point.values, published: point.published} : point;
  });
  return [...joined, ...own.filter(one => !known.has(keyOf(one)))];
}

export async function pointsRead(id, signal) {
  const points = [];
  let sweep = null;
  for (let token = ""; token !== null;) {
    sweep = await get(`/v1/sweeps/${id}?view=summary&page_size=${PAGE}${token && `&page_token=${token}`}`, {signal});
    points.push(...sweep.points);
    token = sweep.next_page_token;
  }
  const rows = new Map(rowsOf(await text(`/v1/sweeps/${id}.csv`, {signal})).map(row => [row.id, row]));
  for (const point of points) {
    point.row = rows.get(point.runs.ids[0]) ?? null;
    if (sweep.spread && point.device_name) point.values = {...point.values, device: point.device_name};
  }
  return {sweep, table: sweep.published, points};
}

/* A recipe beside one's device, point by point, out of what the service knows of it.

   pointsOf(recipe) are its points before anything was run: [{values, published}]; pointsRead(id, signal) those of a
   sweep, as far as it is: {sweep, points: [{values, published, predicted: {published_arch, device_arch}, state,
   failure, cold, runs, row}]}, where row is what the table of the sweep says of its first run. timesOf(recipe, signal)
   has the predicted times, without a run. newestSweep(name, signal) is the last sweep of that recipe, or null. */
import {get, post, text} from "../api.js";
import {rowsOf} from "../table.js";
import {language} from "../words.js";

const PAGES = 4, PAGE = 500;
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const isShape = (name, value) => name === "size" && value.length === 2; /* of the kernels with two dimensions */

/* A recipe with its texts in the reader's language, where it has them. */
export function recipeTold(recipe) {
  const {zh, published} = recipe;
  if (language() !== "zh" || !zh) return recipe;
  return {
    ...recipe,
    title: zh.title,
    text: zh.text,
    ...(published && {
      published: {
        ...published,
        notes: zh.notes ?? published.notes,
        device: {...published.device, name: zh.device ?? published.device.name}
      }
    })
  };
}

export function pointsOf({sweep, published}) {
  const axes = Object.entries(sweep).filter(([name, value]) => Array.isArray(value) && !isShape(name, value));
  let all = [{}];
  for (const [name, list] of axes) all = all.flatMap(values => list.map(value => ({...values, [name]: value})));
  return all.map(values => ({values, published: publishedOf(published, values), predicted: null}));
}

function publishedOf(published, values) {
  const row = published?.rows.find(
    cells => published.columns.every((name, k) => !(name in values) || same(cells[k], values[name])));
  if (!row) return null;
  const own =
    Object.fromEntries(published.columns.map((name, k) => [name, row[k]]).filter(([name]) => !(name in values)));
  const off =
    Object.fromEntries((published.off ?? [])
                         .filter(one => Object.entries(one.where).every(([name, value]) => same(values[name], value)))
                         .map(one => [one.column, one.why]));
  return {...own, off};
}

/* For the chip that was published for, and for this device; each point that can be predicted gets `predicted`. */
export async function predict({sweep, published}, points, deviceArch, signal) {
  const ask = async (request, arch, l1) => {
    const {predictions} =
      await post("/v1/predictions", {...request, arch, ...(typeof l1 === "boolean" && {l1})}, {signal});
    return predictions[0];
  };
  const {transfers, measure, counters, ...plain} = sweep;
  await Promise.all(points.map(async point => {
    const request = {...plain, ...point.values};
    const arch = published?.device.arch, refused = error => {
      if (signal.aborted) throw error;
      return {reason: error.message};
    };
    const [published_arch, device_arch] = await Promise.all(
      [arch && ask(request, arch, published.l1).catch(refused), ask(request, deviceArch).catch(refused)]);
    point.predicted = {published_arch, device_arch};
  }));
}

/* What a device whose constants are shipped would take for each point, by what its axes are: a Map of timeKey(recipe,
 * values) to {request, time}. */
const SHIPPED_ARCH = "sm_90";
export const timeKey = ({sweep}, {device, ...values}) =>
  JSON.stringify(Object.entries(values).filter(([name]) => !isShape(name, sweep[name] ?? [])).sort());
export async function timesOf(recipe, signal) {
  const {points} =
    await get(`/v1/recipes/${encodeURIComponent(recipe.name)}/predictions?arch=${SHIPPED_ARCH}`, {signal});
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
  return {sweep, points};
}

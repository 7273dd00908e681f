/* Sweeps that ask for some points of others again, in as few requests as their points allow. pointRequest(base, values)
   is the sweep of one point: base with each of the values (texts of a table, null: the default) in place of an axis.
   merged(asks), of [{request, item}] with requests of one point each, are {request, items, points}: those that differ
   in one field alone become a list there, again and again, as long as a sweep may have as many runs. requestText(one,
   names) are its values of these fields. */
const RUNS_MOST = 10000; /* of a sweep: api/openapi.yaml */
const SHAPED = new Set(["block", "grid", "size"]);
const SHAPE = /^\d+x\d+(x\d+)?$/;

const isAxis = value => Array.isArray(value) || typeof value === "string" && value.includes("..");

/* A value as an axis that has it alone: a flat list would be an axis of numbers. */
export const single = (name, value) => SHAPED.has(name) && Array.isArray(value) ? [value] :
  SHAPED.has(name) && SHAPE.test(value)                                         ? [value.split("x").map(Number)] :
                                                                                  value;

export function pointRequest(base, values) {
  const request = {...base};
  for (const [name, value] of Object.entries(values)) {
    if (!isAxis(base[name]) && !base.recipe) continue;
    if (value !== null)
      request[name] = single(name, value);
    else if (!base.recipe)
      delete request[name];
  }
  return request;
}

const listOf = value => Array.isArray(value) ? value : [value];
const pointsOf = (request, names) => [...names].reduce(
  (all, name) => all * (Array.isArray(request[name]) ? request[name].length : 1), 1);

const distinct = values => [...new Map(values.map(one => [JSON.stringify(one), one])).values()];

/* Those that differ in this field alone become one. names: the fields that may be a list. */
function joined(asks, name, names) {
  const groups = new Map(), full = [];
  for (const ask of asks) {
    const {[name]: value, ...rest} = ask.request, key = JSON.stringify([rest, value === undefined]),
                          group = groups.get(key),
                          values = distinct([...listOf(group?.request[name] ?? []), ...listOf(value ?? [])]);
    const request = value === undefined             ? ask.request :
      values.length > 1 || Array.isArray(values[0]) ? {...ask.request, [name]: values} :
                                                      ask.request;
    const fits = pointsOf(request, names) * (request.repeat ?? 1) <= RUNS_MOST;
    if (group && !fits) full.push(group);
    groups.set(key, group && fits ? {request, items: [...group.items, ...ask.items]} : ask);
  }
  return [...full, ...groups.values()];
}

export function merged(asks, names) {
  let all = asks.map(({request, item}) => ({request, items: [item]}));
  for (const name of names) all = joined(all, name, names);
  return all.map(one => ({...one, points: pointsOf(one.request, names)}));
}

const written = value =>
  Array.isArray(value) ? value.map(one => Array.isArray(one) ? one.join("x") : one).join(", ") : value;

export const requestText = ({request}, names) => [...names]
                                                   .filter(name => request[name] !== undefined)
                                                   .map(name => `${name} ${written(request[name])}`)
                                                   .join("; ");

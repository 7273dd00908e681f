/* More runs of one side of a comparison: moreRequest(...) is the sweep that asks for a point again, n times, each with
   its arrays placed anew; wholeRequest(...) the same of all points of a side that is a sweep. */

/* A flat list in block or grid would be an axis. */
const single = (name, value) => (name === "block" || name === "grid") && Array.isArray(value) ? [value] : value;

/* What that side asks for at this point, as far as the comparison says. */
function fieldsOf(letter, parts, comparison, point) {
  const own = comparison.differs.filter(({field}) => field.startsWith("request."))
                .map(({field, [letter]: values}) => [field.slice(8), values])
                .filter(([, values]) => values.length === 1)
                .map(([name, [{value}]]) => [name, value]);
  return {...comparison.common, ...point.values, ...Object.fromEntries(own), ...parts.where};
}

const isAxis = value => Array.isArray(value) || typeof value === "string" && value.includes("..");

/* head: of the side's sweep, or null. */
export function moreRequest(letter, parts, head, comparison, point, n) {
  const fields = fieldsOf(letter, parts, comparison, point), again = {repeat: n, placement: "new"};
  if (head) {
    const base = {...head.request};
    for (const [name, value] of Object.entries(fields))
      if (isAxis(base[name]) || (base.recipe && name !== "grid" && name in point.values))
        base[name] = single(name, value);
    return {...base, ...again};
  }
  const wanted = Object.fromEntries(Object.entries(fields)
                                      .filter(([name, value]) => name !== "grid" && value !== null)
                                      .map(([name, value]) => [name, single(name, value)]));
  return {
    ...wanted,
    ...("device" in parts.members && {device: parts.members.device}),
    ...(Object.keys(parts.labels).length && {labels: parts.labels}),
    ...again
  };
}

export const wholeRequest = (head, n) => ({...head.request, repeat: n, placement: "new"});

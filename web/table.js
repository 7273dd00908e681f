/* Tables of the service (text/csv) as lists of objects by column: rowsOf(text). Numbers and truth are read as such, an
 * empty cell is null. */

/* By RFC 4180; without a quote, as most of them are, a table of thousands of rows is cut in one go. */
function cellsOf(text) {
  if (!text.includes('"'))
    return text.split("\n")
      .map(line => line.endsWith("\r") ? line.slice(0, -1) : line)
      .filter(Boolean)
      .map(line => line.split(","));
  const rows = [];
  let row = [], cell = "", quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      if (c !== '"')
        cell += c;
      else if (text[i + 1] === '"')
        cell += text[++i];
      else
        quoted = false;
    } else if (c === '"')
      quoted = true;
    else if (c === ",") {
      row.push(cell);
      cell = "";
    } else if (c === "\n") {
      rows.push([...row, cell]);
      row = [];
      cell = "";
    } else if (c !== "\r")
      cell += c;
  }
  return row.length || cell ? [...rows, [...row, cell]] : rows;
}

function valueOf(text) {
  if (text === "") return null;
  if (text === "true" || text === "false") return text === "true";
  return /^-?[\d.]+(e[-+]?\d+)?$/i.test(text) ? Number(text) : text;
}

export function rowsOf(text) {
  const [names, ...rows] = cellsOf(text);
  return rows.map(row => Object.fromEntries(names.map((name, i) => [name, valueOf(row[i])])));
}

/* Of the numbers among them; null: there is none. */
export const medianOf = values => {
  const sorted = values.filter(value => typeof value === "number").sort((a, b) => a - b);
  return sorted.length ?
    (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2 :
    null;
};

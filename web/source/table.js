/* What lines cost, as a table, for who does not see the margin. */
import {h, replace} from "../dom.js";
import {count, percent} from "../format.js";
import {noValue, t, term} from "../words.js";
import "./words.js";

const part = value => value === null ? noValue() : percent(value / 100, 1);

/* {node, show(lines)} */
export function linesTable() {
  const body = h("tbody", {});
  const heads = [
    t("source.col_line"), t("source.col_text"), term("request", "requests"), term("transaction", "transactions"),
    term("efficiency"), t("source.col_share"), t("source.col_shared"), term("bank conflict", "bank conflicts")
  ];
  const node =
    h("details", {class: "panel lines-table", hidden: true}, h("summary", {}, t("source.table")),
      h("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": t("source.table")},
        h("table", {},
          h("thead", {},
            h("tr", {}, heads.map((head, k) => h("th", {scope: "col", class: k > 1 ? "number" : null}, head)))),
          body)));
  const row = line =>
    h("tr", {}, h("th", {scope: "row"}, line.line ?? t("source.no_line")), h("td", {class: "mono"}, line.text), [
      count(line.requests), count(line.transactions), part(line.efficiency_pct), part(line.traffic_pct),
      count(line.shared_requests), count(line.bank_conflicts)
    ].map(cell => h("td", {class: "number"}, cell)));
  return {
    node,
    show(lines) {
      node.hidden = !lines.length;
      replace(body, lines.map(row));
    }
  };
}

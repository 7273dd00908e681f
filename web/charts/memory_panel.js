/* The panel with the memory chart: a step to any warp, the drawing at the panel's real width, its table for who does
   not see it.

   memoryPanel({onWarp, onChip}) gives {node, show({explain, before, after, chips}), stale(bool), close()}. onWarp(n)
   gets the warp of the launch, from 0 on, that is wanted; onChip(name) the architecture in whose units it is, which is
   one of `chips`. */
import {h, redraw, replace} from "../dom.js";
import {count} from "../format.js";
import {reasonSaid, t, term} from "../words.js";
import {architectureName} from "./architectures.js";
import {hasBanks, memory_draw, memory_moves, memory_rows, warp_number, ACCESSES_DRAWN} from "./memory.js";
import "./words.js";

/* What is hatched: bytes of global memory, or words of banks. */
function legendOf(explain) {
  const all = explain.accesses.every(access => access.banks);
  return [
    h("span", {class: "key used"}), t("memory.used"), h("span", {class: "key waste"}),
    all && hasBanks(explain) ? null : t("memory.waste"), !all && hasBanks(explain) && t("punct.semicolon"),
    hasBanks(explain) && t("memory.waits")
  ];
}

function table(explain) {
  const heads = [
    t("memory.head_access"), term("lane", "lanes"), term("request", "requests"), term("transaction", "transactions"),
    term("sector", "sectors"), term("line", "lines"), t("memory.head_used"), t("memory.head_moved"), term("efficiency"),
    ...(hasBanks(explain) ? [t("memory.head_turns"), t("memory.head_conflicts")] : [])
  ];
  const row = cells =>
    h("tr", {}, h("th", {scope: "row", class: "mono"}, cells[0]),
      cells.slice(1).map(cell => h("td", {class: "number"}, cell)));
  return h(
    "div", {class: "scroll", tabindex: "0", role: "group", "aria-label": t("chart.table")},
    h("table", {},
      h("thead", {}, h("tr", {}, heads.map((head, k) => h("th", {scope: "col", class: k ? "number" : null}, head)))),
      h("tbody", {}, memory_rows(explain, {say: t, number: count}).map(row))));
}

export function memoryPanel({onWarp, onChip}) {
  const at = h("input", {class: "warp-number", inputmode: "numeric", "aria-label": t("memory.warp_number")});
  const of = h("span", {});
  const step = (by, sign, label) =>
    h("button", {type: "button", class: "plain step", "aria-label": t(label), onclick: () => wanted(warp + by)}, sign);
  const earlier = step(-1, "‹", "memory.warp_before"), later = step(1, "›", "memory.warp_after");
  const steps = h("span", {class: "warp-steps note"}, earlier, term("warp"), " ", at, " ", of, later);
  const place = h("div", {class: "memory-place"}), more = h("div", {class: "memory-more"});
  const rowsPlace = h("div", {}),
        rows = h("details", {class: "memory-table"}, h("summary", {}, t("chart.table")), rowsPlace);
  const chip = h("span", {class: "memory-chip note"}), legend = h("p", {class: "memory-legend note"});
  const node = h(
    "section", {class: "panel memory-panel"},
    h("header", {}, h("div", {class: "row"}, h("h2", {}, t("memory.title")), chip, steps), legend), place, more, rows);
  let shown = null, drawing = null, warp = 0, all = false, width = 0;

  function wanted(number) {
    if (!shown) return;
    const within = Math.max(0, Math.min(shown.explain.warps - 1, number));
    if (within !== warp)
      onWarp(within);
    else
      at.value = count(warp + 1);
  }
  at.addEventListener("change", () => wanted((Number.parseInt(at.value.replaceAll(",", ""), 10) || 1) - 1));
  at.addEventListener("keydown", event => {
    const by = {ArrowUp: 1, ArrowDown: -1, PageUp: 32, PageDown: -32}[event.key];
    if (by) {
      event.preventDefault();
      wanted(warp + by * (event.shiftKey ? 8 : 1));
    }
  });

  function draw(moves) {
    if (!shown || !width) return;
    const next = memory_draw(
      shown.explain, {width, say: t, number: count, all, before: shown.before, after: shown.after, grid: shown.grid});
    replace(place, next);
    if (moves) memory_moves(drawing, next);
    drawing = next;
  }

  function moreShow() {
    const {accesses, accesses_left_out: left} = shown.explain, hidden = accesses.length - ACCESSES_DRAWN;
    replace(
      more,
      hidden > 0 &&
        h("button", {
          type: "button",
          class: "plain",
          onclick: () => {
            all = !all;
            draw(false);
            moreShow();
          }
        },
          t(all        ? "memory.fewer" :
              left > 0 ? "memory.some" :
                         "memory.all",
            {n: count(accesses.length), of: count(accesses.length + left)})),
      left > 0 && h("p", {class: "note"}, t("memory.cut", {n: count(left)})),
      shown.explain.line && !accesses.length &&
        h("p", {class: "note"}, t("memory.idle_line", {n: count(shown.explain.line)})),
      shown.explain.note && h("p", {class: "note"}, reasonSaid(shown.explain.note)));
  }

  /* In whose units: one of the chips that are shown, or the only one. */
  function chipShow({explain, chips = []}) {
    if (!explain.arch) return replace(chip);
    const label = arch => architectureName(arch) === arch ? arch : `${architectureName(arch)} (${arch})`;
    const select = onChip && chips.length > 1 &&
      h("select", {
                    "aria-label": t("memory.chip_choose"),
                    data: {key: "chip", of: explain.arch},
                    value: explain.arch,
                    onchange: ({target}) => onChip(target.value)
                   },
        chips.map(arch => h("option", {value: arch}, label(arch))));
    redraw(chip, t("memory.chip"), " ", select || label(explain.arch));
  }

  function show(answer) {
    shown = answer;
    chipShow(answer);
    warp = warp_number(answer.explain, answer.grid);
    if (document.activeElement !== at || Number.parseInt(at.value.replaceAll(",", ""), 10) !== warp + 1)
      at.value = count(warp + 1);
    at.style.width = `${Math.max(2, at.value.length) + 1.5}ch`;
    of.textContent = t("memory.of_warps", {n: count(answer.explain.warps)});
    earlier.disabled = warp === 0;
    later.disabled = warp + 1 >= answer.explain.warps;
    replace(legend, legendOf(answer.explain));
    draw(true);
    moreShow();
    if (rows.open) replace(rowsPlace, table(answer.explain));
  }
  rows.addEventListener("toggle", () => {
    if (rows.open && shown) replace(rowsPlace, table(shown.explain));
  });

  const watcher = new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now === width) return;
    width = now;
    draw(false);
  });
  watcher.observe(place);
  return {node, show, stale: is => node.classList.toggle("stale", is), close: () => watcher.disconnect()};
}

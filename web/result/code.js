/* The kernel's source, and what is known of its machine code: how many instructions of each kind a warp executes, for
   which architecture. codePanel() is {node, source(text or node), beside(nodes below the source, or null),
   sourceAlone(), code(rows, arch)}: rows are a prediction's for one or more architectures, of which the first with
   machine code is shown; arch is the device's. */
import {h, replace} from "../dom.js";
import {count} from "../format.js";
import {headCell, numberCell, spanPanel as panel, table} from "../parts.js";
import {reasonSaid, t} from "../words.js";
import "./words.js";

const KINDS = ["global_loads", "float64", "barriers"];

/* What a warp executes once: [{name, all, global_loads, float64, barriers, waits, cycles}]. */
function partsOf({straight, loop}) {
  const passes = (loop?.passes ?? []).map(pass => ({
                                            ...pass,
                                            name: t("code.pass", {n: count(pass.iterations)}),
                                            global_loads: loop.global_loads * pass.iterations,
                                            barriers: loop.barriers * pass.iterations
                                          }));
  return [{...straight, name: t(loop ? "code.outside" : "code.straight")}, ...passes];
}

function countsTable(instructions) {
  const parts = partsOf(instructions);
  const others = part => part.all - KINDS.reduce((sum, kind) => sum + part[kind], 0);
  const row = (name, value) =>
    h("tr", {}, h("th", {scope: "row"}, t(name)), parts.map(part => numberCell(count(value(part)))));
  return table(t("code.counts"), [h("td", {}), parts.map(part => headCell(part.name, true))], [
    row("code.all", part => part.all), ...KINDS.map(kind => row(`code.${kind}`, part => part[kind])),
    row("code.others", others), row("code.waits", part => part.waits), row("code.cycles", part => part.cycles)
  ]);
}

export function codePanel() {
  const source = h("pre", {class: "source", tabindex: "0", "aria-label": t("code.source")}), counts = h("div", {}),
        beside = h("div", {}), machine = h("div", {}, h("h3", {}, t("code.machine")), counts);
  const node = panel(7, t("code.title"), null, h("h3", {}, t("code.source")), source, beside, machine);
  return {
    node,
    source: text => replace(source, text),
    beside: nodes => replace(beside, nodes),
    sourceAlone: () => {
      machine.hidden = true;
    },
    code(rows, arch) {
      const known = rows.find(row => row.code && !row.code.status), missing = rows[0]?.code;
      if (!known)
        return replace(
          counts, h("p", {class: "note"}, t("code.missing", {why: reasonSaid(missing?.reason ?? t("no_value"))})));
      const {code} = known;
      const facts = [
        t("occ.registers", {n: count(code.registers_per_thread)}),
        code.local_bytes_per_thread > 0 && t("occ.spill", {n: count(code.local_bytes_per_thread)}),
        code.constant_bytes > 0 && t("code.constant", {n: count(code.constant_bytes)})
      ];
      replace(
        counts,
        h("p", {class: "note"},
          t(known.arch === arch       ? "code.for" :
              arch?.startsWith("sm_") ? "code.for_other" :
                                        "code.for_cpu",
            {arch: known.arch, own: arch})),
        countsTable(code.instructions), h("p", {class: "note"}, facts.filter(Boolean).join("; ")),
        h("p", {class: "note"}, t("code.no_text")));
    }
  };
}

/* Beside the editor: how the kernel is launched. launchForm({typed, onTyped, foot}) gives {node, show(parameters,
   derived), launched({block, grid}), wrong({name: sentence}), clear(), archIs(name), has(name)}. `typed` holds what is
   typed, as text, and is changed in place: its members block, grid, threads, arch, entry, shared_bytes, arguments,
   constants, reference, reference_launch, check, and in `scalars` one for each scalar parameter, whose names and types
   show() gets. questionOf(typed, source) is the request that follows, {wrong} where it is no JSON. */
import {h, replace} from "../dom.js";
import {shape} from "../format.js";
import {t} from "../words.js";
import {ARCHITECTURES, architectureName} from "../charts/architectures.js";
import {integerOf, isGroupedAlone, shapeOf} from "../creation/values.js";
import "./words.js";

const MAIN = ["block", "grid", "threads"], MORE = ["entry", "shared_bytes"], JSONS = ["arguments", "constants"];

const mentions = (source, name) => new RegExp(`\\b${name}\\b`).test(source);
const numberOf = text => text !== "" && Number.isFinite(Number(text)) ? Number(text) : integerOf(text);

function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/* A scalar that the source does not name any more is kept, and not sent. */
export function questionOf(typed, source) {
  const question = {source}, wrong = {}, has = name => (typed[name] ?? "").trim();
  for (const name of ["block", "grid"])
    if (has(name)) question[name] = shapeOf(has(name));
  if (has("threads")) {
    const parts =
      isGroupedAlone(has("threads")) ? [integerOf(has("threads"))] : has("threads").split(/\s*,\s*/).map(integerOf);
    question.threads = parts.length > 1 ? parts : parts[0];
  }
  if (has("entry")) question.entry = has("entry");
  if (has("shared_bytes")) question.shared_bytes = integerOf(has("shared_bytes"));
  for (const name of JSONS) {
    const value = has(name) ? jsonOf(has(name)) : null;
    if (value === undefined)
      wrong[name] = t("source.no_json");
    else if (value !== null)
      question[name] = value;
  }
  if (typed.check) question.check = true;
  for (const [name, text] of Object.entries(typed.scalars))
    if (text.trim() && mentions(source, name)) question[name] = numberOf(text.trim());
  return Object.keys(wrong).length ? {wrong} : question;
}

/* launch: what the reference has of its own, after a result's Change. */
const referenceNote =
  launch => [t("source.note.reference"),
             ...Object.entries(launch ?? {}).map(([name, value]) => `${name} ${[value].flat().join("x")}`)]
              .join(t("list.comma"));

export function launchForm({typed, onTyped, foot}) {
  const rows = new Map();

  function row(name, input, {label = t(`source.field.${name}`), note = null, mono = false} = {}) {
    const wrong = h("p", {class: "wrong note", id: `wrong-${name}`, hidden: true});
    input.id = `field-${name}`;
    input.setAttribute("aria-describedby", `wrong-${name}`);
    const head = h("div", {class: "field-head"}, h("label", {for: input.id, class: mono ? "mono" : null}, label),
      note instanceof Node ? note : note && h("span", {class: "note"}, note));
      const node = h("div", {class: "form-field", data: {field: name}}, head, input, wrong);
      rows.set(name, {node, input, wrong});
      return node;
  }
  const text = (name, options = {}, into = typed) => {
      const input = h(options.lines ? "textarea" : "input", {
        rows: options.lines,
        class: options.lines ? "mono" : null,
        autocomplete: "off",
        spellcheck: "false",
        value: into[name] ?? "",
        oninput: () => {
          into[name] = input.value;
          onTyped();
        }
      });
      return row(name, input, options);
  };

  const arch = h("select", {
    value: typed.arch,
    onchange: () => {
      typed.arch = arch.value;
      onTyped();
    }
  },
    ARCHITECTURES.map(one => h("option", {value: one}, `${architectureName(one)} (${one})`)));
  const check = h("input", {
    type: "checkbox",
    id: "field-check",
    checked: Boolean(typed.check),
    onchange: () => {
      typed.check = check.checked;
      onTyped();
    }
  });
  const scalars = h("div", {}), derived = h("div", {class: "derived note"});
  const node = h(
    "form", {class: "panel launch", "aria-label": t("source.launch"), onsubmit: event => event.preventDefault()},
    h("header", {}, h("h2", {}, t("source.launch"))), scalars,
    MAIN.map(name => text(name, {note: t(`source.note.${name}`)})), row("arch", arch),
    h("details", {class: "more", open: Boolean(typed.reference?.trim())}, h("summary", {}, t("source.more")),
      text("arguments", {note: t("source.note.arguments"), lines: 5}), derived,
      text("constants", {note: t("source.note.constants"), lines: 2}), MORE.map(name => text(name)),
      h("label", {class: "choice"}, check, t("source.check")),
      text("reference", {note: referenceNote(typed.reference_launch), lines: 3})),
    foot);

  /* Fields that stay are not touched: somebody may be typing in one. */
  let shown = new Map();
  function scalarsShow(parameters) {
      const now = new Map(parameters.map(({name}) => [name, shown.get(name) ?? scalarRow(name)]));
      for (const [name, {node: old}] of shown)
        if (!now.has(name)) {
          old.remove();
          rows.delete(name);
        }
      let before = null;
      for (const {node: field} of now.values()) {
        const place = before ? before.nextSibling : scalars.firstChild;
        if (field !== place) scalars.insertBefore(field, place);
        before = field;
      }
      /* What is left empty has a value, too. */
      parameters.forEach(({name, type, value}) => {
        now.get(name).type.textContent = type ?? "";
        rows.get(name).input.placeholder = value ?? "";
      });
      shown = now;
  }

  function scalarRow(name) {
      const type = h("span", {class: "note"});
      return {type, node: text(name, {label: name, note: type, mono: true}, typed.scalars)};
  }

  return {
    node,
    /* What fields that are left empty stand for; without arguments it is not known. */
    launched(values = {}) {
      for (const name of ["block", "grid"]) rows.get(name).input.placeholder = values[name] ? shape(values[name]) : "";
    },
    show(parameters, found) {
      scalarsShow(parameters);
      replace(derived, found && !typed.arguments?.trim() && [
        t("source.derived"), h("pre", {class: "mono"}, found),
        h("button", {
          type: "button",
          class: "plain underlined",
          onclick: () => {
            rows.get("arguments").input.value = typed.arguments = found;
            onTyped();
          }
        },
          t("source.edit_derived"))
      ]);
    },
    wrong(sentences) {
      for (const [name, {node: field, input, wrong}] of rows) {
        wrong.textContent = sentences[name] ?? "";
        wrong.hidden = !sentences[name];
        field.classList.toggle("is-wrong", !wrong.hidden);
        input.setAttribute("aria-invalid", String(!wrong.hidden));
        if (sentences[name]) field.closest("details")?.setAttribute("open", "");
      }
    },
    /* All but the architecture as where nothing is typed. */
    clear() {
      for (const name of [...MAIN, ...MORE, ...JSONS]) rows.get(name).input.value = typed[name] = "";
      for (const name of Object.keys(typed.scalars)) {
        typed.scalars[name] = "";
        if (rows.has(name)) rows.get(name).input.value = "";
      }
    },
    archIs(name) {
      arch.value = typed.arch = name;
    },
    has: name => rows.has(name),
    /* Its label, without what a note adds. */
    nameOf: name => rows.get(name).node.querySelector("label").textContent.split(/, |（/)[0]
  };
  }

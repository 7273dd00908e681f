/* The form of /ui/new: a field for each of fieldsOf(), as its kind wants it. What is typed is told to onTyped(name,
 * text) at once. */
import {h} from "../dom.js";
import {bytes, count} from "../format.js";
import {DICTIONARY, t} from "../words.js";
import {read, RUNS_MAX} from "./fields.js";
import {elementBytes, isGrouped} from "./values.js";
import "./words.js";

const word = (key, otherwise) => key in DICTIONARY ? t(key) : otherwise;
export const titleOf = name => word(`field.${name}`, name);
export const choiceWord = (name, one) => word(`choice.${name}.${one}`, null);
const unitOf = field => field.unit ? word(`unit.${field.unit}`, field.unit) : "";
const LONG = 28;
const POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/* What a field's value means, at its right end. */
function hint(field, text, typed, fields) {
  const {value, values} = read(field, text), dtype = fields.find(one => one.name === "dtype"),
                bytesEach = elementBytes(read(dtype, typed.dtype ?? dtype.initial).value);
  const wrong = field.kind === "integer" || field.kind === "size" ? values?.find(one => typeof one === "string") : null;
  if (wrong) return t("new.no_number", {text: wrong});
  if (values && field.kind === "size" && isGrouped(text.trim()))
    return t("new.values_or", {n: count(values.length), number: text.trim().replaceAll(",", "")});
  if (values?.length > RUNS_MAX) return t("new.values", {n: `> ${count(RUNS_MAX)}`});
  if (values) return t("new.values", {n: count(values.length)});
  if (field.kind === "size") {
    const n = (Array.isArray(value) ? value : [value]).reduce((product, one) => product * one, 1);
    if (!Number.isFinite(n) || n < 1 || Array.isArray(value) && !field.initial.includes("x")) return "";
    const power = Math.log2(n),
          short = Number.isInteger(power) && !Array.isArray(value) ?
      `2${[...String(power)].map(digit => POWERS[digit]).join("")} · ` :
      "";
    return t("new.an_array", {size: short + bytes(n * bytesEach)});
  }
  if (field.unit === "elements of shared memory") return t("new.banks");
  if (field.unit === "elements" && field.place === "hand")
    return t("new.sector_is", {sector: 32 / bytesEach, line: 128 / bytesEach});
  return "";
}

const grouped = text => /^\d{5,}$/.test(text) ?
  count(Number(text)) :
  text.replace(/^(\d+)x(\d+)(?:x(\d+))?$/, (_, a, b, c) => [a, b, c].filter(Boolean).join(" × "));

/* A text field with its hint; numbers are written with separators while nobody types in them. */
function textField(field, form) {
  const note = h("span", {class: "hint"});
  const input = h("input", {
    id: `field-${field.name}`,
    name: field.name,
    autocomplete: "off",
    spellcheck: "false",
    placeholder: field.initial || null,
    inputmode: field.kind === "integer" && field.single ? "numeric" : null,
    "aria-describedby": `wrong-${field.name}`,
    oninput: () => form.type(field.name, input.value),
    onfocus: () => {
      input.value = form.text(field);
      input.select(); /* setting the value has lost the selection that Tab makes */
    },
    onblur: () => update()
  });
  const update = () => {
    const text = form.text(field);
    if (document.activeElement !== input) input.value = grouped(text);
    /* The hint goes below where both find no room; what is longer than the field is told whole. */
    input.style.flexBasis = `${Math.max(8, input.value.length + 4)}ch`;
    input.title = input.value.length > LONG ? input.value : "";
    note.textContent = hint(field, text, form.typed, form.fields);
  };
  return {node: h("div", {class: "text-field"}, input, note), update, input};
}

function slider(field, form) {
  const high = field.max === "size" ? 128 : Math.min(field.max, 1024), low = field.min;
  const range = h("input", {
    type: "range",
    min: low,
    max: high,
    step: 1,
    "aria-label": t("new.slider", {name: titleOf(field.name)}),
    oninput: () => {
      /* A touch leaves the focus in the text field, which then would not show the new value. */
      range.focus({preventScroll: true});
      form.type(field.name, range.value);
    }
  });
  range.addEventListener("keydown", event => {
    const by = {ArrowRight: 8, ArrowUp: 8, ArrowLeft: -8, ArrowDown: -8}[event.key];
    if (!by || !event.shiftKey) return;
    event.preventDefault();
    range.value = Number(range.value) + by;
    form.type(field.name, range.value);
  });
  const ticks = [0, 1, 2, 3, 4].map(k => h("span", {}, count(Math.round(low + (high - low) * k / 4))));
  const update = () => {
    const {value, values} = read(field, form.text(field));
    range.disabled = Boolean(values); /* several typed values are not replaced by one */
    if (Number.isFinite(value)) range.value = value;
    range.style.setProperty("--part", `${Math.max(0, Math.min(100, 100 * (range.value - low) / (high - low)))}%`);
  };
  return {node: h("div", {class: "slider"}, range, h("div", {class: "ticks", "aria-hidden": "true"}, ticks)), update};
}

/* A few choices side by side; what is typed as several values, or is none of them, has a text field instead. */
function segments(field, form, choices) {
  const free = textField(field, form);
  const other = field.kind === "shape" &&
    h("button", {
                  type: "button",
                  onclick: () => {
                    opened = true;
                    update();
                    free.input.focus();
                  }
                },
      t("new.other"));
  /* Where nothing else can be typed, several of the choices: then a press adds one or takes it out. */
  const many = field.kind === "choice" && choices.length > 1 &&
    h("button", {
                 type: "button",
                 onclick: () => {
                   several = !several;
                   update();
                 }
               },
      t("new.several"));
  const buttons = choices.map(
    choice =>
      h("button", {type: "button", data: {choice}, onclick: event => press(choice, event)},
        choiceWord(field.name, choice) ?? choice.replaceAll("x", field.kind === "shape" ? "×" : "x")));
  const node = h("div", {class: "segments", role: "group", "aria-label": titleOf(field.name)}, buttons, other, many);
  let opened = false, several = false;
  function press(choice, event) {
    opened = false;
    const now = form.text(field).split(",").map(part => part.trim());
    form.type(
      field.name,
      several || event.shiftKey || event.ctrlKey || event.metaKey ?
        (now.includes(choice) ? now.filter(one => one !== choice) : [...now, choice]).join(", ") :
        choice);
  }
  const update = () => {
    const now = form.text(field).split(",").map(part => part.trim().replaceAll("×", "x"));
    for (const button of buttons) button.setAttribute("aria-pressed", String(now.includes(button.dataset.choice)));
    opened ||= free.node.contains(document.activeElement); /* it stays where somebody types */
    const shown = opened || now.some(one => one !== "" && !choices.includes(one));
    if (other) other.setAttribute("aria-pressed", String(shown));
    if (many) many.setAttribute("aria-pressed", String(several));
    free.node.hidden = !shown && now.length < 2;
    free.update();
  };
  return {node: h("div", {}, node, free.node), update};
}

function selection(field, form) {
  const free = textField(field, form), SEVERAL = "\u0000";
  const choice = h(
    "select", {
      id: `field-${field.name}`,
      onchange: () =>
        form.type(field.name, choice.value === SEVERAL ? (field.several ?? field.choices).join(", ") : choice.value)
    },
    field.choices.map(
      one => h(
        "option", {value: one}, [one, choiceWord(field.name, one) ?? field.about?.[one]].filter(Boolean).join(" · "))),
    h("option", {value: SEVERAL}, t("new.several")));
  free.input.id = `field-${field.name}-several`;
  const update = () => {
    const text = form.text(field), one = field.choices.includes(text) && !free.node.contains(document.activeElement);
    choice.value = one ? text : SEVERAL;
    free.node.hidden = one;
    free.update();
  };
  return {node: h("div", {}, choice, free.node), update};
}

function switchField(field, form) {
  const input = h("input", {
    type: "checkbox",
    role: "switch",
    class: "switch",
    id: `field-${field.name}`,
    onchange: () => form.type(field.name, String(input.checked))
  });
  const note = h("span", {class: "note"}, t(`field.${field.name}_text`));
  const node = h("label", {class: "switch-row", for: `field-${field.name}`}, input, h("span", {}, h("b", {}, t(`field.${field.name}`)), note));
    return {
      node,
      update: () => {
        input.checked = form.text(field) === "true";
      },
      /* What is on can be turned off. */
      unavailable: reason => {
        input.disabled = Boolean(reason) && !input.checked;
        note.textContent = reason ?? t(`field.${field.name}_text`);
      },
      whole: true
    };
}

function control(field, form) {
    if (field.kind === "switch") return switchField(field, form);
    if (field.kind === "device") return selection(field, form);
    if (field.kind === "choice")
      return field.choices.join("").length > 26 || field.name === "load" ? selection(field, form) :
                                                                           segments(field, form, field.choices);
    if (field.kind === "shape" && field.offered) return segments(field, form, field.offered);
    const text = textField(field, form);
    if (field.kind !== "integer" || field.place === "more" || !Number.isFinite(field.min)) return text;
    const slide = slider(field, form);
    return {
      node: h("div", {}, text.node, slide.node),
      update: () => {
        text.update();
        slide.update();
      }
    };
}

/* {hand, main, more: nodes, update(), wrong({name: sentence}), wrongFocus(), unavailable(name, reason or null)}: a switch
 * that cannot be turned on. `typed` is what is not as it is by default; onTyped() follows each change. */
export function formOf(fields, typed, onTyped) {
    const initial = field => field.initial;
    const form = {
      fields,
      typed,
      text: field => typed[field.name] ?? initial(field),
      type(name, text) {
        const field = fields.find(one => one.name === name);
        if (text.trim() === initial(field) || (text.trim() === "" && initial(field) === ""))
          delete typed[name];
        else
          typed[name] = text;
        /* What a size or an offset means depends on the dtype alone. */
        if (name === "dtype")
          update();
        else
          rows.find(row => row.field.name === name).made.update();
        onTyped(name);
      }
    };
    const rows = fields.map(field => {
      const made = control(field, form), wrong = h("p", {class: "wrong note", id: `wrong-${field.name}`, hidden: true});
      const head = made.whole ? null : h("div", {class: "field-head"}, h("label", {for: `field-${field.name}`, title: field.text || null
                                         }, titleOf(field.name)), h("span", {class: "note"}, unitOf(field)));
      return {
        field,
        made,
        wrong,
        node: h("div", {class: "form-field", data: {field: field.name}}, head, made.node, wrong)
      };
    });
    function update() {
      for (const row of rows) row.made.update();
    }
    function wrong(sentences) {
      for (const {field, wrong: place, node} of rows) {
        place.textContent = sentences[field.name] ?? "";
        place.hidden = !sentences[field.name];
        node.classList.toggle("is-wrong", !place.hidden);
        for (const input of node.querySelectorAll("input, select"))
          input.setAttribute("aria-invalid", String(!place.hidden));
      }
      const more = rows.some(row => row.field.place === "more" && sentences[row.field.name]);
      if (more) rows.find(row => row.field.place === "more").node.closest("details")?.setAttribute("open", "");
    }
    /* Takes the reader to the first field that is wrong: {name, detail}; null: none is. */
    function wrongFocus() {
      const row = rows.find(one => !one.wrong.hidden);
      if (!row) return null;
      const section = row.node.closest("details");
      if (section) section.open = true;
      row.node.scrollIntoView({block: "center"});
      ["input, select", "[aria-pressed=true]"]
        .flatMap(fields => [...row.node.querySelectorAll(fields)])
        .find(one => one.checkVisibility())
        ?.focus({preventScroll: true});
      return {name: titleOf(row.field.name), detail: row.wrong.textContent};
    }
    update();
    const of = place => rows.filter(row => row.field.place === place).map(row => row.node);
    return {
      hand: of("hand"),
      main: of("main"),
      more: of("more"),
      update,
      wrong,
      wrongFocus,
      unavailable: (name, reason) => rows.find(row => row.field.name === name).made.unavailable(reason),
      names: new Set(fields.map(field => field.name))
    };
}

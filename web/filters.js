/* Filters of a list, kept in the address. filtersOf(query, names) are those that are set; filterForm(path, filters,
   fields, go, list) a form whose fields are {name, options (none: a text), word: of a value, read: of what is typed,
   hint, time: a moment, as the reader's clock has it, and in the address of UTC}, with a link that skips it to the
   list, an element that may have the focus; TIMES are those of when it was submitted, folded, since a browser stops at
   each part of a date; pagesLine(path, filters, after, next) leads to the newest and the older ones. The words of both
   lists are here, too. */
import {link} from "./api.js";
import {h} from "./dom.js";
import {count} from "./format.js";
import {t, wordsAdd} from "./words.js";

// clang-format off
wordsAdd({
  "lists.submitted_ago": ["submitted, ago", "提交于"],
  "lists.none": ["There are no experiments", "没有实验"],
  "lists.none_fits": ["Nothing fits these filters", "没有符合条件的结果"],
  "lists.some": ["Experiments that fit", "符合条件的实验"],
  "lists.all": ["Experiments, newest first", "实验，最新在前"],
  "lists.no_sweeps": ["There are no sweeps", "没有扫描"],
  "lists.sweeps_running": ["{n} {words|sweep runs|sweeps run}", "{n} 个扫描在运行"],
  "lists.sweeps_queued": ["{n} {words|sweep waits|sweeps wait}", "{n} 个扫描在排队"],
  "lists.sweeps_drained": ["{n} {words|sweep is paused|sweeps are paused}", "{n} 个扫描已暂停"],
  "lists.sweeps_of_these": ["Of these {n}: ", "这 {n} 个中："],
  "lists.sweeps_some": ["Sweeps, newest first", "扫描，最新在前"],
  "lists.sweeps_ended": ["Sweeps, newest first: all have ended", "扫描，最新在前：均已结束"],
  "lists.not_ended": ["not ended", "未结束"],
  "lists.label_hint": ["name=value", "名称=值"],
  "lists.labels": ["labels", "标签"],
  "lists.progress": ["runs", "运行次数"],
  "lists.done": ["{n} of {of}", "{n} / {of}"],
  "lists.failed": ["{n} failed", "{n} 个失败"],
  "lists.cancelled": ["{n} cancelled", "{n} 个已取消"],
  "lists.recipe": ["recipe", "配方"],
  "lists.any": ["any", "任意"],
  "lists.by_kernel": ["kernel", "内核"],
  "lists.by_state": ["state", "状态"],
  "lists.by_device": ["device", "设备"],
  "lists.by_owner": ["owner", "所有者"],
  "lists.by_label": ["label", "标签"],
  "lists.by_since": ["from", "从"],
  "lists.by_until": ["until", "到"],
  "lists.times": ["submitted", "提交时间"],
  "lists.filters": ["Filters", "筛选"],
  "lists.filters_used": ["Filters ({n} in use)", "筛选（已用 {n} 项）"],
  "lists.skip": ["Skip to the list", "跳到列表"],
  "lists.clear": ["Clear", "清除"],
  "lists.pages": ["Pages", "翻页"],
  "lists.newest": ["Newest", "最新"],
  "lists.older": ["Older", "更早"],
});
// clang-format on

export function filtersOf(query, names) {
  return new URLSearchParams(names.filter(name => query.get(name)).map(name => [name, query.get(name)]));
}

/* The owner. The lists show "nobody" in the page's language for experiments that were submitted without a token, and
   that word is accepted here. */
export const OWNER = {
  name: "owner",
  read: text => text.trim() === t("nobody") ? "nobody" : text.trim(),
  word: one => one === "nobody" ? t("nobody") : one
};
/* A label, typed as the lists show it, lesson=offsets, or as it stands in an address, lesson:offsets. */
export const LABEL = {
  name: "label",
  hint: "lists.label_hint",
  read: text => text.trim().replace(/^([^:=]*)[:=]/, "$1:").replace(/^([^:]*):$/, "$1"),
  word: one => one.replace(":", "=")
};
export const TIMES = [{name: "since", time: true}, {name: "until", time: true}];

/* "2026-02-03T04:05" of the reader's clock, and "2026-02-03T03:05:00Z". */
function clockOf(moment) {
  const at = new Date(moment);
  return Number.isNaN(at.getTime()) ? "" : new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}
const TYPING_MS = 700;
const momentOf = clock => new Date(clock).toISOString().replace(".000Z", "Z");

/* Where the fields find no room in a line they are folded, as the style has it; `unfolded`: by hand. */
const narrow = matchMedia("(max-width: 900px)");
let unfolded = false;
const foldSet = fold => {
  fold.open = !narrow.matches || unfolded;
};
narrow.addEventListener("change", () => document.querySelectorAll("details.fold").forEach(foldSet));

const addressOf = (path, filters) => filters.toString() ? `${path}?${filters}` : path;

export function filterForm(path, filters, fields, go, list) {
  const used = new URLSearchParams(filters);
  /* In a closed list each arrow key is a change, so the focus returns to the field for the next key. */
  let later = null;
  const send = async event => {
    event?.preventDefault();
    clearTimeout(later);
    const {id} = document.activeElement;
    await go(addressOf(path, used));
    if (id) document.getElementById(id)?.focus({preventScroll: true});
  };
  const take = (name, text) => text ? used.set(name, text) : used.delete(name);
  const change = (name, read = text => text.trim()) => ({target: {value}}) => {
    take(name, value && read(value));
    send();
  };
  /* A date field fires `change` after each digit. What is typed is applied on Enter, or when the field loses the focus;
     then only after the next field has got it. A date picked by mouse is applied at once. */
  function timeInput(id, name, value) {
    const was = value && clockOf(value), put = change(name, momentOf);
    let typing = false;
    return h("input", {
      id,
      value: was,
      type: "datetime-local",
      onkeydown: event => {
        typing = event.key !== "Enter";
        if (typing) return;
        event.preventDefault();
        put(event);
      },
      onchange: event => typing || put(event),
      onpointerdown: () => {
        typing = false;
      },
      /* Not where it is gone with its page. */
      onblur: event => typing && event.target.value !== was && setTimeout(() => event.target.isConnected && put(event))
    });
  }
  /* Each typed letter and each arrow key fires `change`. The list is loaded again only after a pause of TYPING_MS. */
  function selectInput(id, name, value, options) {
    let key = -Infinity;
    return h(
      "select", {
        id,
        value,
        onkeydown: () => {
          key = performance.now();
        },
        onchange: ({target}) => {
          take(name, target.value);
          clearTimeout(later);
          if (performance.now() - key > TYPING_MS) return void send();
          later = setTimeout(() => target.isConnected && send(), TYPING_MS);
        }
      },
      options);
  }
  const field = ({name, options, word = one => one, time, read, hint}) => {
    const id = `filter-${name}`, value = filters.get(name) ?? "";
    const input = time ?
      timeInput(id, name, value) :
      options ?
      selectInput(
        id, name, value,
        [h("option", {value: ""}, t("lists.any")), options.map(one => h("option", {value: one}, word(one)))]) :
      h("input", {
        id,
        value: word(value),
        placeholder: hint ? t(hint) : null,
        type: "text",
        size: "12",
        spellcheck: "false",
        onchange: change(name, read)
      });
    return h("span", {class: "field"}, h("label", {for: id
             }, t(`lists.by_${name}`)), input);
  };
  const hidden = [...filters]
                   .filter(([name]) => !fields.some(one => one.name === name))
                   .map(([name, value]) => h("span", {class: "field quiet"}, `${name} ${value}`));
  const times = fields.filter(({time}) => time), in_use = [...filters].length;
  const fold =
    h("details", {
      class: "fold",
      ontoggle: () => {
        if (narrow.matches) unfolded = fold.open;
      }
    },
      h("summary", {}, in_use ? t("lists.filters_used", {n: count(in_use)}) : t("lists.filters")),
      h("div", {class: "filters"}, fields.filter(({time}) => !time).map(field),
        h("details", {open: times.some(({name}) => filters.has(name))}, h("summary", {}, t("lists.times")),
          h("div", {class: "filters"}, times.map(field))),
        hidden, filters.toString() && h("a", {href: link(path)}, t("lists.clear"))));
  foldSet(fold);
  list.id = "list";
  const skip = event => {
    event.preventDefault();
    list.focus();
  };
  return h(
    "form", {role: "search", onsubmit: send}, h("a", {class: "skip", href: "#list", onclick: skip}, t("lists.skip")),
    fold);
}

export function pagesLine(path, filters, after, next) {
  const older = new URLSearchParams(filters);
  if (next) older.set("page_token", next);
  return (after || next) &&
    h("nav", {class: "pages", "aria-label": t("lists.pages")},
      after && h("a", {href: link(addressOf(path, filters))}, t("lists.newest")),
      next && h("a", {href: link(addressOf(path, older))}, t("lists.older")));
}

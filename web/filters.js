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
  "lists.further_hidden": ["Further runs that a comparison asked for are not in this list.", "列表中不含比较所追加的运行。"],
  "lists.further_show": ["Show them", "显示"],
  "lists.further_shown": ["With further runs that comparisons asked for.", "含比较所追加的运行。"],
  "lists.further_hide": ["Leave them out", "不显示"],
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
  "lists.refused": ["{n} refused", "{n} 个被拒绝"],
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

/* Typed text is applied on Enter or when the focus leaves the form; a choice, and a date that was picked by mouse, at
   once. So the list does not reload while the user fills in the next field. */
export function filterForm(path, filters, fields, go, list) {
  const used = new URLSearchParams(filters), inputs = new Map(); /* {node, was, read} by name */
  let later = null, focused = null, form = null;
  const collect = () => inputs.forEach(({node, was, read}, name) => {
    const value = node.value === was ? filters.get(name) : node.value && read(node.value);
    return value ? used.set(name, value) : used.delete(name);
  });
  async function send() {
    clearTimeout(later);
    collect();
    const sent = new Map([...inputs.values()].map(({node}) => [node, node.value]));
    await go(addressOf(path, used));
    if (location.pathname !== link(path)) return;
    for (const [node, value] of sent) /* typed while the list was loading */
      if (node.value !== value) document.getElementById(node.id).value = node.value;
    document.getElementById(focused ?? "list")?.focus({preventScroll: true});
  }
  const left = () => {
    if (!form.isConnected || form.contains(document.activeElement)) return;
    focused = null;
    collect();
    if (used.toString() !== filters.toString()) send();
  };
  /* A date field fires `change` after each digit. */
  function timeInput(id, value) {
    let typing = false;
    return h("input", {
      id,
      value,
      type: "datetime-local",
      onkeydown: ({key}) => {
        typing = key !== "Enter";
      },
      onchange: () => typing || send(),
      onpointerdown: () => {
        typing = false;
      }
    });
  }
  /* In a closed list each typed letter and each arrow key fires `change`. The list is loaded again only after a pause
     of TYPING_MS. */
  function selectInput(id, value, options) {
    let key = -Infinity;
    return h(
      "select", {
        id,
        value,
        onkeydown: () => {
          key = performance.now();
        },
        onchange: ({target}) => {
          clearTimeout(later);
          if (performance.now() - key > TYPING_MS) return void send();
          const isLeft = () => target !== document.activeElement && form.contains(document.activeElement);
          later = setTimeout(() => target.isConnected && !isLeft() && send(), TYPING_MS);
        }
      },
      options);
  }
  const field = ({name, options, word = one => one, time, read = text => text.trim(), hint}) => {
    const id = `filter-${name}`, value = filters.get(name) ?? "",
          was = time ? value && clockOf(value) :
      options        ? value :
                       word(value);
    const node = time ?
      timeInput(id, was) :
      options ?
      selectInput(
        id, value,
        [h("option", {value: ""}, t("lists.any")), options.map(one => h("option", {value: one}, word(one)))]) :
      h("input", {id, value: was, placeholder: hint ? t(hint) : null, type: "text", size: "12", spellcheck: "false"});
    inputs.set(name, {node, was: node.value, read: time ? momentOf : read});
    return h("span", {class: "field"}, h("label", {for: id
             }, t(`lists.by_${name}`)), node);
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
  form =
    h("form", {
      role: "search",
      /* Browsers do not submit a form on Enter if it has several fields and no button. */
      onkeydown: event => {
        if (event.key !== "Enter" || event.isComposing || !event.target.matches("input")) return;
        event.preventDefault();
        send();
      },
      onfocusin: ({target}) => {
        focused = target.id || null;
      },
      onfocusout: () => setTimeout(left)
    },
      h("a", {class: "skip", href: "#list", onclick: skip}, t("lists.skip")), fold);
  return form;
}

export function pagesLine(path, filters, after, next) {
  const older = new URLSearchParams(filters);
  if (next) older.set("page_token", next);
  return (after || next) &&
    h("nav", {class: "pages", "aria-label": t("lists.pages")},
      after && h("a", {href: link(addressOf(path, filters))}, t("lists.newest")),
      next && h("a", {href: link(addressOf(path, older))}, t("lists.older")));
}

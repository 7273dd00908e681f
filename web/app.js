/* The frame around all pages: the table of pages, the address, the top bar, the token's field, the lost connection.

   A page is a module web/pages/<name>.js with
     title(params)                 what the window is called, a text of words.js
     open(root, params, context)   fills `root`, may be async; returns a function that closes it (or nothing)
   and a line in `pages` below. `params` holds what {...} in its path stood for. `context`:
     api, words     the modules of that name
     go(path)       another page, as "experiments/01M..."; what links do by themselves
     query          URLSearchParams of the address when it was opened
     setQuery(o)    writes {name: value} into the address without opening anew; null or "" takes a name away
     announce(text) to a reader of the screen, at most every 5 s
     signal         aborted when the page is closed: for api calls */
import * as api from "./api.js";
import {h, headingFocus, replace} from "./dom.js";
import * as words from "./words.js";
import {duration} from "./format.js";
import {ownerColoursClear} from "./parts.js";
import {entryPush, entryRead, stepped} from "./places.js";
import {removalsBar, removalsDraw} from "./removals.js";
import {topState} from "./top.js";

const {t} = words;
const {link} = api;

/* Path below /ui/, module, whether the bar names it, and the stylesheets besides those of all pages. */
const pages = [
  {path: "", module: "lab", nav: "nav.lab", styles: ["sweep"]},
  {path: "new", module: "new", nav: "nav.new", styles: ["creation"]},
  {path: "source", module: "source", nav: "nav.source", styles: ["codemirror", "source", "creation"]},
  {path: "experiments", module: "experiments", nav: "nav.experiments", styles: ["sweep"]},
  {path: "experiments/{id}", module: "experiment", styles: ["sweep", "source"]},
  {path: "sweeps", module: "sweeps", nav: "nav.sweeps", styles: ["sweep"]},
  {path: "sweeps/{id}", module: "sweep", styles: ["sweep"]},
  {path: "compare", module: "compare", nav: "nav.compare", styles: ["sweep"]},
  {path: "queue", module: "queue", styles: ["sweep"]},
  {path: "devices", module: "devices", styles: ["sweep"]},
  {path: "devices/{name}", module: "device", styles: ["sweep"]},
  {path: "recipes", module: "recipes", nav: "nav.recipes", styles: ["sweep", "learning"]},
  {path: "recipes/{name}", module: "recipe", styles: ["sweep", "learning"]},
  {path: "lessons", module: "lessons", nav: "nav.lessons", styles: ["sweep", "learning"]},
  {path: "lessons/{name}", module: "lesson", styles: ["sweep", "learning"]},
];

/* ---- the page that is open ---- */

let closing = () => {};
let main, live, nav;

function found(path) {
  for (const page of pages) {
    const names = [];
    const pattern = page.path.replace(/\{(\w+)\}/g, (_, name) => {
      names.push(name);
      return "([^/]+)";
    });
    const match = new RegExp(`^${pattern}$`).exec(path);
    if (match)
      return {page, params: Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(match[i + 1])]))};
  }
  return null;
}

const pathNow = () => location.pathname.slice(api.BASE.pathname.length).replace(/\/$/, "");

let saidAt = -Infinity, saying = null;
function announce(text) {
  clearTimeout(saying);
  saying = setTimeout(() => {
    saidAt = performance.now();
    live.textContent = text;
  }, Math.max(0, saidAt + 5000 - performance.now()));
}

function setQuery(values) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values))
    if (value === null || value === undefined || value === "")
      query.delete(name);
    else
      query.set(name, value);
  const text = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  history.replaceState(history.state, "", location.pathname + (text ? `?${text}` : "") + location.hash);
}

function showMissing(root) {
  const home = h("a", {href: link("")}, t("shell.home"));
  replace(root, h("h1", {class: "heading"}, t("shell.missing")), h("p", {}, words.parts("shell.missing_text", {home})));
  document.title = `${t("shell.missing")} · coalesced`;
}

/* Opens the page again when the connection is back, if `node` is still shown then. */
function reopenLater(node) {
  let lost = false;
  const again = () => {
    if (node.isConnected) open();
  };
  addEventListener("online", again, {once: true});
  const end = api.watchConnection(since => {
    if (lost && since === null) {
      end();
      again();
    }
    lost = since !== null;
  });
}

/* Whether a module could not be loaded, as browsers say it, each in its own words. */
const isUnread = error => error instanceof TypeError && /imported module|importing a module/i.test(error.message);

function showFailed(root, error) {
  console.error(error);
  const unread = isUnread(error),
        detail = h("p", {class: "detail", role: "alert"}, unread ? t("shell.unread") : error.message);
  replace(
    root, h("h1", {class: "heading"}, t("shell.failed")), detail,
    h("p", {class: "acts"}, h("button", {class: "button", type: "button", onclick: () => open()}, t("shell.reload")),
      error.status === 400 && location.search &&
        h("a", {class: "button", href: location.pathname}, t("shell.unfiltered"))));
  if (unread) reopenLater(detail);
}

function navShow() {
  const here = pathNow();
  for (const a of nav.querySelectorAll("a")) {
    const path = a.dataset.path;
    const current = path === "" ? here === "" : here === path || here.startsWith(`${path}/`);
    if (current)
      a.setAttribute("aria-current", "page");
    else
      a.removeAttribute("aria-current");
  }
}

const sheets = new Map();

/* Promises that the stylesheet is there, or cannot be had now. */
function styleLoad(name) {
  const load = done => {
    const failed = () => {
      sheets.delete(name);
      sheet.remove();
      done();
    };
    const sheet = h("link", {rel: "stylesheet", href: link(`assets/${name}.css`), onload: done, onerror: failed});
    document.head.append(sheet);
  };
  if (!sheets.has(name)) sheets.set(name, new Promise(load));
  return sheets.get(name);
}

async function open({focus = false} = {}) {
  closing();
  const own = new AbortController();
  const root = h("div", {class: "page"});
  let closed = false, close = null;
  closing = () => {
    closed = true;
    own.abort();
    close?.();
  };
  replace(main, root);
  ownerColoursClear();
  navShow();
  removalsDraw();
  document.dispatchEvent(new Event("opened"));
  const match = found(pathNow());
  if (!match) return showMissing(root);
  try {
    const [module] =
      await Promise.all([import(`./pages/${match.page.module}.js`), ...match.page.styles.map(styleLoad)]);
    if (closed) return;
    document.title = `${module.title(match.params)} · coalesced`;
    root.classList.add(`page-${match.page.module}`);
    const endWaiting = api.watchConnection(since => {
      if (since !== null && !closed && !root.hasChildNodes()) replace(root, h("p", {class: "quiet"}, t("shell.waits")));
    });
    let result = null;
    try {
      result = await module.open(
        root, match.params,
        {api, words, go, setQuery, announce, signal: own.signal, query: new URLSearchParams(location.search)});
    } finally {
      endWaiting();
    }
    close = typeof result === "function" ? result : null;
    if (closed) close?.();
  } catch (error) {
    if (!closed) showFailed(root, error);
  }
  if (focus && !closed) headingFocus(root);
}

export function go(path) {
  entryPush(path.startsWith("/") ? path : link(path));
  return open({focus: true});
}

function linkClicked(event) {
  const a = event.target.closest?.("a[href]");
  if (!a || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const to = new URL(a.href);
  if (
    a.target || a.hasAttribute("download") || to.origin !== location.origin ||
    !to.pathname.startsWith(api.BASE.pathname))
    return;
  if (to.hash && to.pathname === location.pathname) return;
  event.preventDefault();
  go(to.pathname + to.search + to.hash);
}

/* ---- what stands above all pages ---- */

function lostNotice() {
  const notice = h("div", {class: "notice lost", role: "status", hidden: true});
  let since = null, why = null;
  const show = () => {
    notice.hidden = since === null;
    if (since === null) return;
    const ago = duration(Math.max(1, (Date.now() - since) / 1000));
    notice.textContent = why ? t("shell.lost_why", {ago, why}) : t("shell.lost", {ago});
  };
  api.watchConnection((at, reason) => {
    since = at;
    why = reason;
    show();
  });
  setInterval(show, 1000);
  return notice;
}

/* Shows a form for the token in `place`, and promises what is typed there. Aborting the signal removes the form. */
function tokenAsk(place, detail, wrong, signal) {
  return new Promise(done => {
    signal.addEventListener("abort", () => replace(place));
    const field = h("input", {
      id: "token",
      type: "password",
      autocomplete: "off",
      required: true,
      spellcheck: "false",
      "aria-describedby": "token-detail",
      "aria-invalid": wrong ? "true" : null
    });
    const submit = event => {
      event.preventDefault();
      replace(place);
      main.focus();
      done(field.value.trim());
    };
    replace(
      place,
      h("form", {class: "notice token", onsubmit: submit}, h("h2", {}, t("shell.token_heading")),
        h("p", {id: "token-detail"}, wrong ? h("span", {class: "wrong"}, detail) : t("shell.token_text")),
        h("div", {class: "row"}, h("label", {for: "token"
          }, t("shell.token")), field, h("button", {class: "button primary"}, t("shell.token_use")))));
    field.focus();
  });
}

function mark() {
  const square = i => h("i", {});
  return h("span", {class: "mark", "aria-hidden": "true"}, [0, 1, 2, 3].map(square), h("b", {}));
}

function languageChoice(redraw) {
  const choice = (name, text, full) =>
    h("button", {
      type: "button",
      class: "plain",
      lang: name === "zh" ? "zh-CN" : "en",
      "aria-label": full, /* what is seen stands in it: who speaks to a computer says that */
      "aria-pressed": String(words.language() === name),
      onclick: async () => {
        words.setLanguage(name);
        await words.languageReady().catch(() => {});
        setQuery({lang: null});
        redraw();
        document.querySelector(".languages [aria-pressed=true]").focus({preventScroll: true});
      }
    },
      text);
  return h(
    "span", {class: "languages", role: "group", "aria-label": t("shell.language")}, choice("en", "EN", "EN, English"),
    h("span", {"aria-hidden": "true"}, " · "), choice("zh", "中文", null));
}

function frame() {
  const links = pages.filter(page => page.nav)
                  .map(page => h("li", {}, h("a", {href: link(page.path), data: {path: page.path}}, t(page.nav))));
  nav = h("nav", {id: "nav", "aria-label": t("shell.main")}, h("ul", {}, links));
  const menu =
    h("button", {
      type: "button",
      class: "button menu",
      "aria-expanded": "false",
      "aria-controls": "nav",
      onclick: () => menuShow(!document.body.classList.contains("menu-open"))
    },
      t("shell.menu"));
  const menuShow = shown => {
    document.body.classList.toggle("menu-open", shown);
    menu.setAttribute("aria-expanded", String(shown));
  };
  const top =
    h("header", {class: "top"},
      h("div", {class: "inner"}, h("a", {class: "brand", href: link("")}, mark(), "coalesced"), nav, topState(),
        languageChoice(drawAll), keysButton(), menu));
  const ask = h("div", {class: "asks"});
  api.onToken((detail, wrong, signal) => tokenAsk(ask, detail, wrong, signal));
  main = h("main", {id: "main", tabindex: "-1"});
  top.addEventListener("click", ({target}) => {
    if (target.closest("a")) menuShow(false);
  });
  top.addEventListener("keydown", ({key}) => {
    if (key !== "Escape" || !document.body.classList.contains("menu-open")) return;
    menuShow(false);
    menu.focus();
  });
  live = h("div", {class: "unseen", role: "status", "aria-live": "polite"});
  const version = h("span", {});
  const foot =
    h("footer", {class: "foot"}, version,
      h("a", {href: api.resolve("openapi.yaml"), target: "_blank"}, t("shell.contract")));
  api.watchConnection(() => {
    version.hidden = !api.serverName;
    version.textContent = (api.serverName ?? "").replace("/", " ");
  });
  return [
    h("a", {
      class: "skip",
      href: "#main",
      onclick: event => {
        event.preventDefault();
        main.focus();
      }
    },
      t("shell.skip")),
    top, h("div", {class: "notices"}, lostNotice(), ask), main, removalsBar(go, () => open()), foot, live
  ];
}

/* Loaded when it is asked for. */
const keysShow = async () => (await import("./shortcuts.js")).shortcutsShow();
const keysButton = () =>
  h("button",
    {type: "button", class: "plain keys", "aria-label": t("shell.keys"), "aria-haspopup": "dialog", onclick: keysShow},
    "?");

function keyPressed(event) {
  if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest?.("input:not([type=checkbox], [type=radio], [type=range]), textarea, [contenteditable]"))
    return;
  event.preventDefault();
  keysShow();
}

/* Anew, also in another language: whoever draws outside of a page listens to "redrawn". */
function drawAll() {
  replace(document.body, frame());
  document.dispatchEvent(new Event("redrawn"));
  return open();
}

document.addEventListener("click", linkClicked);
document.addEventListener("keydown", keyPressed);
history.scrollRestoration = "manual"; /* while this runs; a page that is loaded again is the browser's to restore */
addEventListener("pagehide", () => history.scrollRestoration = "auto");
addEventListener("pageshow", () => history.scrollRestoration = "manual");
addEventListener("popstate", () => stepped(open));
/* What was shown to a person whose token was revoked is out of date; another token loads the page anew. */
api.onIdentity(() => {
  main.hidden = api.wasRevoked();
});
entryRead();
words.findLanguage();
words.languageReady().finally(drawAll);

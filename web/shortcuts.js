/* The sheet of keyboard shortcuts: what there is, not what there could be. shortcutsShow() opens it, or closes it where
   it is open; Escape and Tab close it, and the focus goes back to where it was; so does leaving it, and the focus stays
   there.
 */
import {h, replace} from "./dom.js";
import {t, wordsAdd} from "./words.js";

// clang-format off
wordsAdd({
  "keys.title": ["Keyboard shortcuts", "键盘快捷键"],
  "keys.close": ["Close", "关闭"],
  "keys.everywhere": ["Everywhere", "所有页面"],
  "keys.sheet": ["opens and closes this sheet", "打开或关闭本表"],
  "keys.skip": ["as the first keys on a page: to the content", "刚打开页面时按：跳到正文"],
  "keys.escape": ["closes this sheet, and the meaning of a word", "关闭本表和词义提示"],
  "keys.rows": ["Lists, and the points of a sweep: on the box of a row", "列表与扫描的各点：焦点在行首复选框上"],
  "keys.choose": ["chooses the row", "选择此行"],
  "keys.between": ["and all rows between the last one and this", "连同上次所选行到此行之间的各行"],
  "keys.next_row": ["to the next row, to the one before", "到下一行、上一行"],
  "keys.on_the_way": ["the same, and chooses both", "同上，并选择经过的行"],
  "keys.all": ["chooses all rows", "选择全部行"],
  "keys.none": ["chooses none", "取消选择"],
  "keys.bar": ["to what can be done with the chosen rows", "到已选各行的操作按钮"],
  "keys.charts": ["Charts", "图表"],
  "keys.marks": ["from mark to mark, with its values", "逐点移动，并显示数值"],
  "keys.line_ends": ["to the first mark of a line, to its last one", "到线上的第一个、最后一个点"],
  "keys.zoom": ["zooms in and out", "放大、缩小"],
  "keys.leave": ["leaves the mark", "离开所在的点"],
  "keys.form": ["A new experiment, and lessons", "新建实验与课程"],
  "keys.slider": ["on a slider: one step", "滑块：移动一步"],
  "keys.slider_8": ["on a slider: eight steps", "滑块：移动八步"],
  "keys.kernels": ["in the list of kernels: one, or eight, on or back", "内核列表：前后移动一个、八个"],
  "keys.take": ["in the list of kernels: takes it", "内核列表：选定"],
  "keys.warps": ["on the number of a warp: one, or 32, on or back", "线程束编号：前后移动一个、32 个"],
});
// clang-format on

/* Keys that are pressed together stand in one text. */
const SHEET = {
  everywhere: [[["?"], "sheet"], [["Tab", "Enter"], "skip"], [["Esc"], "escape"]],
  rows: [
    [["Space"], "choose"], [["Shift + Space"], "between"], [["↓", "↑"], "next_row"],
    [["Shift + ↓", "Shift + ↑"], "on_the_way"], [["Ctrl + A"], "all"], [["Enter"], "bar"], [["Esc"], "none"]
  ],
  charts: [[["←", "→", "↑", "↓"], "marks"], [["Home", "End"], "line_ends"], [["+", "−"], "zoom"], [["Esc"], "leave"]],
  form: [
    [["←", "→"], "slider"], [["Shift + ←", "Shift + →"], "slider_8"], [["↓", "↑", "Page Down", "Page Up"], "kernels"],
    [["Enter"], "take"], [["↑", "↓", "Page Up", "Page Down"], "warps"]
  ]
};

let sheet = null, before = null;

const isOpen = () => sheet?.isConnected; /* another language takes it away */

function close(event, back = true) {
  sheet.remove();
  sheet = null;
  document.removeEventListener("keydown", keyPressed, true);
  document.removeEventListener("focusin", leftSheet);
  if (back) (before?.isConnected ? before : document.getElementById("main")).focus();
}

/* Escape, before anybody else: a list would choose none. Tab goes on from where the focus was before. */
function keyPressed(event) {
  if (!["Escape", "Tab"].includes(event.key) || !isOpen()) return;
  if (event.key === "Escape") event.stopPropagation();
  close();
}

/* Closes the sheet when the focus moves to the page, also by way of the browser's own controls. */
function leftSheet({target}) {
  if (isOpen() && !sheet.contains(target)) close(null, false);
}

const keysOf = keys => keys.map((key, i) => [i > 0 && " ", h("kbd", {}, key)]);

function draw() {
  replace(
    sheet,
    h("div", {class: "sheet-top"}, h("h2", {id: "keys-title"}, t("keys.title")),
      h("button", {type: "button", class: "button", onclick: close}, t("keys.close"))),
    Object.entries(SHEET).map(
      ([part, rows]) =>
        h("section", {}, h("h3", {}, t(`keys.${part}`)),
          h("dl", {},
            rows.map(([keys, does]) => h("div", {}, h("dt", {}, keysOf(keys)), h("dd", {}, t(`keys.${does}`))))))));
}

export function shortcutsShow() {
  if (isOpen()) return close();
  before = document.activeElement;
  sheet = h("dialog", {class: "keys-sheet", "aria-labelledby": "keys-title"});
  draw();
  document.body.append(sheet);
  sheet.show();
  sheet.querySelector("button").focus();
  document.addEventListener("keydown", keyPressed, true);
  document.addEventListener("focusin", leftSheet);
  return null;
}

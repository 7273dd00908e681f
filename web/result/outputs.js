/* Of an experiment of a kernel of one's own, whose PTX was interpreted: its answer in a sentence, its outputs, its
   source with what is wrong at its lines, and the way back to the editor. Loaded where there is one. */
import {get, link} from "../api.js";
import {h} from "../dom.js";
import {count, significant} from "../format.js";
import {cell, headCell, numberCell, spanPanel, table} from "../parts.js";
import {addressPack} from "../source/address.js";
import {listingRows} from "../source/listing.js";
import {detailIn} from "../source/marks.js";
import {reasonSaid, t, wordsAdd} from "../words.js";
import "./words.js";

// clang-format off
wordsAdd({
  "outputs.title": ["Outputs", "输出"],
  "outputs.equal": ["The outputs are those of the reference", "输出与参照内核一致"],
  "outputs.ran": ["It ran to its end without a fault", "运行完毕，没有发现错误"],
  "outputs.blocks": ["{n} blocks were interpreted on a processor, which says nothing about a GPU’s time.", "在处理器上解释执行了 {n} 个线程块，其耗时不能说明 GPU 的速度。"],
  "outputs.none_beyond": ["As many threads as the size, {n}: if thread i takes element i, a wrong bound cannot show. Try a size that is not a multiple of the block.", "线程数等于规模 {n}：如果线程 i 处理元素 i，错误的边界显示不出来。请换一个不是线程块整数倍的规模。"],
  "outputs.neither": ["{n} of these were written by neither of the two kernels.", "其中 {n} 个元素两个内核均未写入。"],
  "outputs.name": ["output", "输出"],
  "outputs.type": ["type", "类型"],
  "outputs.written": ["elements written", "已写元素"],
  "outputs.of": ["{n} of {of}", "{n}（共 {of}）"],
  "outputs.initial": ["The kernel also reads {name}, and without a “fill” it held numbers from 0 to 255 before the launch.", "内核也读取 {name}；没有 fill 时，它在启动前存放 0 到 255 的数。"],
  "outputs.from": ["[{first}] on: {values}", "从 [{first}] 起：{values}"],
  "outputs.reference_source": ["Source of the reference", "参照内核的源代码"],
  "outputs.reference": ["The reference: {detail}", "参照内核：{detail}"],
});
// clang-format on

const REFERENCE = "the reference: ";
const ofReference = ({failure}) => failure?.detail.startsWith(REFERENCE);

/* Why it failed, in the language of the page. */
export function failureSaid(experiment) {
  const {failure, faults = []} = experiment, fault = faults.find(one => failure?.detail.endsWith(one.detail));
  if (!fault) return reasonSaid(failure?.detail) ?? "";
  return ofReference(experiment) ? t("outputs.reference", {detail: detailIn(fault)}) : detailIn(fault);
}

export const outcome = ({correctness}) => t(correctness.verified ? "outputs.equal" : "outputs.ran");

/* The sentence that follows the number of correct elements. */
export function interpreted({correctness, interpreter, request: {size, block, grid}, outputs = []}) {
  const neither = outputs.reduce((sum, {elements, elements_written: written}) => sum + elements - written, 0);
  const threads = [...block, ...grid].reduce((all, one) => all * one, 1);
  return [
    threads === size && t("outputs.none_beyond", {n: count(size)}),
    correctness.verified && neither > 0 && t("outputs.neither", {n: count(neither)}),
    t("outputs.blocks", {n: count(interpreter.blocks_run)})
  ].filter(Boolean)
    .join(" ");
}

/* An element of an output. A float has 7 digits. */
function valueText(value, type) {
  if (Array.isArray(value)) return `(${value.map(one => valueText(one, type)).join(", ")})`;
  return value === null ? "–" : significant(value, type.startsWith("f32") ? 7 : 17);
}

/* {node}; null: nothing was executed. */
export function outputsPanel({outputs}) {
  if (!outputs?.length) return null;
  const row = ({name, type, elements, elements_written: written, sha256, shown, initial}) =>
    [h("tr", {}, h("th", {scope: "row", class: "mono"}, name), cell(type),
       numberCell(t("outputs.of", {n: count(written), of: count(elements)})), h("td", {class: "mono"}, sha256)),
     initial && h("tr", {}, h("td", {colspan: "4"}, t("outputs.initial", {name}))),
     shown && h("tr", {}, h("td", {class: "mono", colspan: "4"}, t("outputs.from", {
                              first: count(shown.first),
                              values: shown.values.map(one => valueText(one, type)).join(" ")
                            })))];
  const heads = [
    headCell(t("outputs.name")), headCell(t("outputs.type")), headCell(t("outputs.written"), true), headCell("SHA-256")
  ];
  return {node: spanPanel(12, t("outputs.title"), null, table(t("outputs.title"), heads, outputs.map(row)))};
}

const listing = ({source}, faults, notes = []) =>
  h("div", {class: "editor listing"}, listingRows({lines: source.split("\n"), faults, notes}));

/* The source with its lines. */
export const listed = (kernel, experiment) =>
  listing(kernel, ofReference(experiment) ? [] : experiment.faults ?? [], experiment.notes);

/* The source of the reference, where that has the fault; null: the fault is not its, or it is somebody else's. */
export async function referenceListed(experiment) {
  if (!ofReference(experiment)) return null;
  const kernel = await get(`/v1/kernels/${experiment.request.reference.kernel}`).catch(() => null);
  return kernel && [h("h3", {}, t("outputs.reference_source")), listing(kernel, experiment.faults)];
}

/* {reference, reference_launch} of the editor: its source, and what it has of a launch of its own. */
async function referenceOf({reference}) {
  if (!reference) return null;
  const {kernel, ...own} = reference, {source} = await get(`/v1/kernels/${kernel}`);
  const launch = ["block", "grid", "shared_bytes"].filter(name => name in own).map(name => [name, own[name]]);
  return {reference: source, reference_launch: Object.fromEntries(launch)};
}

/* The editor with that source, that launch and that reference, unless it is somebody else's. */
export async function editorLink(kernel, request) {
  const json = value => value?.length || Object.keys(value ?? {}).length ? JSON.stringify(value, null, 1) : "";
  const scalars = {};
  for (const {name, value, elements} of kernel.arguments ?? []) {
    if (elements !== undefined) continue;
    const given = request[name] ?? (value === "size" ? request.size : undefined);
    if (given !== undefined) scalars[name] = String(given);
  }
  for (const {name} of kernel.parameters)
    if (name in request) scalars[name] = String(request[name]);
  const typed = {
    source: kernel.source,
    arch: "sm_90",
    scalars,
    entry: kernel.entry,
    arguments: json(kernel.arguments),
    constants: json(kernel.constants),
    threads: [kernel.threads ?? []].flat().join(", "),
    block: request.block.join("x"),
    grid: kernel.threads ? "" : request.grid.join("x"),
    shared_bytes: request.shared_bytes ? String(request.shared_bytes) : "",
    ...await referenceOf(request).catch(() => null)
  };
  return link(`source#${await addressPack(typed)}`);
}

/* What the page says, in English and Chinese: key: [en, zh], a section for each page. In a text {name} is a value, and
   {name|one|many} (English alone) is one of the two words, as the value is 1 or not.

   t("lab.nothing", {n: 3}) gives a text; parts(key, values) a list for h(), in which values may be elements.
   term("warp") is the word with its meaning on hover, focus and tap: on the first use in a panel; term("sector",
   "sectors") shows another form of it. noValue(reason) stands where a number is missing. reasonSaid(text) is a reason
   of the service in the reader's language, once languageReady() has ended, which is called after each change of it.
   language() is "en" or "zh". */
import {h, tip} from "./dom.js";
import {plainText} from "./service_text.js";

/* ---- the frame of all pages ---- */
// clang-format off
const shell = {
  "shell.skip": ["To the content", "跳到正文"],
  "shell.main": ["Main", "主导航"],
  "shell.menu": ["Menu", "菜单"],
  "shell.language": ["Language", "语言"],
  "shell.keys": ["? Keyboard shortcuts", "键盘快捷键（?）"],
  "shell.waiting": ["{n} waiting", "{n} 个等待"],
  "shell.devices": ["{n} of {of} devices measure", "{of} 个设备中有 {n} 个在测量"],
  "shell.nothing_waits": ["nothing waits", "无排队"],
  "shell.contract": ["the contract, openapi.yaml", "接口约定 openapi.yaml"],
  "shell.nobody": ["no token", "无令牌"],
  "shell.reader": ["The token of {name} has the role {role}: it may run nothing.", "{name} 的令牌角色为 {role}：不能运行实验。"],
  "shell.token_forget": ["Forget the token in all tabs?", "在所有标签页中移除令牌？"],
  "shell.token_yes": ["Forget it", "移除"],
  "shell.token_no": ["Keep it", "保留"],
  "role.admin": ["admin", "管理员"],
  "role.run": ["may run", "可运行"],
  "role.read": ["may look", "只读"],
  "role.metrics": ["metrics alone", "仅指标"],
  "shell.token_heading": ["This service asks for a token", "本服务需要令牌"],
  "shell.token_text": ["It is kept in this browser’s open tabs of this service alone, until you close them.", "仅保存在此浏览器打开的本服务标签页中，全部关闭即清除。"],
  "shell.token": ["Token", "令牌"],
  "shell.token_use": ["Use it", "使用"],
  "shell.lost": ["Connection lost {ago} ago, trying again", "连接已断开 {ago}，正在重试"],
  "shell.lost_why": ["Connection lost {ago} ago, trying again: {why}", "连接已断开 {ago}，正在重试：{why}"],
  "shell.missing": ["There is no page at this address", "此地址没有页面"],
  "shell.missing_text": ["Perhaps the address was cut off on its way. {home}", "地址可能被截断了。{home}"],
  "removals.experiment": ["Experiment {id} is removed. Until {time} it can be brought back.", "实验 {id} 已删除，{time} 前可恢复。"],
  "removals.sweep": ["Sweep {id} with {n} {words|experiment|experiments} is removed. Until {time} it can be brought back.", "扫描 {id}（{n} 个实验）已删除，{time} 前可恢复。"],
  "removals.experiments": ["{n} experiments are removed. Until {time} they can be brought back.", "{n} 个实验已删除，{time} 前可恢复。"],
  "removals.sweeps": ["{n} sweeps are removed. Until {time} they can be brought back.", "{n} 个扫描已删除，{time} 前可恢复。"],
  "removals.undo": ["Undo", "撤销"],
  "removals.undo_one": ["Undo: bring back {id}", "撤销：恢复 {id}"],
  "removals.undo_all": ["Undo: bring back all {n}", "撤销：恢复全部 {n} 项"],
  "removals.more": ["{n} more that can be brought back", "另有 {n} 项可恢复"],
  "shell.home": ["To the lab", "回到实验室"],
  "shell.unfiltered": ["Open it without filters", "不带筛选条件打开"],
  "shell.failed": ["This page could not be opened", "页面无法打开"],
  "shell.unread": ["Parts of it could not be loaded. It is tried again when the connection is back.", "部分内容未能加载。连接恢复后会自动重试。"],
  "shell.reload": ["Try again", "重试"],
  "nav.lab": ["Lab", "实验室"],
  "nav.new": ["New", "新建"],
  "nav.source": ["Your kernel", "自己的内核"],
  "nav.experiments": ["Experiments", "实验"],
  "nav.sweeps": ["Sweeps", "扫描"],
  "nav.compare": ["Compare", "比较"],
  "nav.recipes": ["Recipes", "配方"],
  "nav.lessons": ["Lessons", "课程"],
  "no_value": ["no value", "无值"],
  "you": ["you", "你"],
  "nobody": ["nobody", "未署名"],
};

/* ---- what words mean ---- */
const meanings = {
  "warp": [["warp", "32 threads that run one instruction together."], ["线程束", "warp：同时执行一条指令的 32 个线程。"]],
  "lane": [["lane", "One thread's place in a warp, 0 to 31."], ["通道", "线程在线程束中的位置，0 到 31。"]],
  "block": [["block", "Threads that share a multiprocessor and can wait for each other."], ["线程块", "block：同在一个多处理器（SM）上、可以互相等待的线程。"]],
  "grid": [["grid", "All blocks of a launch."], ["网格", "grid：一次启动内核（核函数）的全部线程块。"]],
  "request": [["request", "One memory instruction of one warp."], ["请求", "一个线程束执行的一条访存指令。"]],
  "sector": [["sector", "32 bytes, the least that moves."], ["扇区", "32 字节，搬运的最小单位。"]],
  "line": [["line", "128 bytes, four sectors with one tag."], ["缓存行", "128 字节，共用一个标签的四个扇区。"]],
  "transaction": [["transaction", "What the chip's generation counts as one move."], ["事务", "该代芯片所计的一次搬运。"]],
  "least_efficiency": [["lower efficiency", "Of the loads' and the stores' efficiency the lower one: bytes asked for over bytes moved; not speed."], ["较低效率", "读取效率与写入效率中较低的一个：请求的字节与所搬运的字节之比，不是速度。"]],
  "efficiency": [["efficiency", "Bytes asked for over bytes moved; not speed."], ["效率", "请求的字节与所搬运的字节之比，不是速度。"]],
  "coalesced": [["coalesced", "Lanes' words fall into the fewest sectors."], ["合并访问", "各通道的数据落在最少的扇区里；首地址不在边界上时是未对齐（misaligned）。"]],
  "offset": [["offset", "Elements by which an access is shifted."], ["偏移", "访问的起点移动的元素个数。"]],
  "stride": [["stride", "Elements from one lane's word to the next."], ["步长", "相邻通道之间相隔的元素个数。"]],
  "requested bytes": [["requested bytes", "What lanes asked for."], ["请求字节", "各通道请求的字节数。"]],
  "DRAM bytes": [["DRAM bytes", "What left or reached the memory chips, as counted."], ["显存字节", "计数器测得的显存读写字节数。"]],
  "effective bandwidth": [["effective bandwidth", "Requested bytes over the median time."], ["有效带宽", "请求字节除以中位时间。"]],
  "peak": [["peak", "What clock times width allows on paper."], ["峰值", "按时钟乘位宽算出的理论上限。"]],
  "median": [["median", "Half the samples are below it. The interval beside it holds the true median with 95 % confidence."], ["中位数", "半数样本低于中位数。旁边的区间以 95 % 的置信度包含真实的中位数。"]],
  "interval": [["interval", "The true median lies within with 95 % confidence: at that placement of the arrays if all runs had the same one, otherwise over all placements."], ["置信区间", "真实中位数以 95 % 的置信度落在区间内：各次运行的数组位置相同时，只对该位置成立；位置不同时，对所有位置成立。"]],
  "noise": [["noise", "Half the interval over the median."], ["噪声", "区间半宽与中位数之比。"]],
  "cold": [["cold", "With empty caches."], ["冷", "缓存清空后。"]],
  "hot": [["hot", "Launches back to back."], ["热", "连续启动时。"]],
  "occupancy": [["occupancy", "Warps in flight over the most there can be."], ["占用率", "驻留线程束与上限之比。"]],
  "register spill": [["register spill", "Values that found no register and went to memory."], ["寄存器溢出", "寄存器放不下、只好放到内存里的值。"]],
  "bank conflict": [["bank conflict", "Lanes that wait for one bank of shared memory."], ["存储体冲突", "多个通道争用共享内存的同一存储体。"]],
  "hit rate": [["hit rate", "Sectors found in that cache, of those asked of it."], ["命中率", "在该级缓存中找到的扇区比例。"]],
  "throttled": [["throttled", "Clocks held down by heat or power."], ["降频", "因温度或功耗而降低时钟。"]],
};

/* ---- /ui/ ---- */
const lab = {
  "lab.idle": ["Nothing runs, nothing waits.", "没有任务运行，也没有任务等待。"],
  "lab.paused": ["Paused: what waits begins when somebody resumes it", "已暂停：等待的任务恢复后才会开始"],
  "lab.both_paused": ["The device and the whole queue{by} are paused: what waits begins when both are resumed", "设备与整个队列{by}都已暂停：两者都恢复后，等待的任务才会开始"],
  "lab.hold_by": [" (by {who})", "（由 {who}）"],
  "lab.queue_paused": ["The queue is paused: what waits begins when somebody resumes it", "队列已暂停：等待的任务恢复后才会开始"],
  "lab.queue_paused_by": ["The queue is paused by {who}: what waits begins when somebody resumes it", "队列已由 {who} 暂停：等待的任务恢复后才会开始"],
  "lab.paused_by": ["Paused by {who}: what waits begins when somebody resumes it", "已由 {who} 暂停：等待的任务恢复后才会开始"],
  "lab.new": ["New experiment", "新建实验"],
  "lab.experiment": ["experiment", "实验"],
  "lab.result": ["result", "结果"],
  "lab.of_peak": ["of {peak}", "相对于 {peak}"],
  "lab.of_peaks": ["of the memory’s peak", "相对于显存峰值"],
  "lab.note": ["note", "备注"],
  "lab.ago_cell": ["{time}", "{time}前"],
};

/* ---- what several pages show alike ---- */
const part = {
  "shell.waits": ["This page opens when the service answers.", "服务响应后即打开此页。"],
  "part.waits_connection": ["no answer yet: it is tried again when the connection is back, as it was when pressed", "尚无回复：连接恢复后会重试，内容与按下时相同"],
  "part.block": ["block {n}", "block {n}"],
  "part.failed": ["failed: {kind}", "失败：{kind}"],
  "failed.incorrect": ["incorrect", "不正确"],
  "failed.out_of_memory": ["out of memory", "设备内存不足"],
  "failed.timed_out": ["timed out", "超时终止"],
  "failed.crashed": ["crashed", "执行器崩溃"],
  "failed.cuda_error": ["cuda error", "CUDA 错误"],
  "failed.device_lost": ["device lost", "设备丢失"],
  "failed.abandoned": ["abandoned", "多次开始，始终没有结束"],
  "failed.invalid": ["invalid", "无法启动"],
  "failed.unavailable": ["unavailable", "设备不支持"],
  "failed.host_memory": ["host memory", "主机内存不足"],
  "failed.system": ["system", "系统拒绝"],
  "part.unstable": ["unstable", "不稳定"],
  "part.unstable_why": ["Its times vary too much, or something disturbed it: one run like this tells little.", "各次用时相差过大，或测量受到干扰：单独一次说明不了什么。"],
  "part.in_l2": ["fits in the last-level cache: no memory bandwidth", "数据都在末级缓存内：不代表内存带宽"],
  "part.untimed": ["no times", "不计时"],
  "part.right": ["✓ as the reference", "✓ 与参照一致"],
  "part.a_load": ["{time} a load", "每次读取 {time}"],
  "part.latency": ["latency, not bandwidth", "测的是延迟，不是带宽"],
  "part.operations": ["operations, not bandwidth", "测的是运算，不是带宽"],
  "part.no_peak": ["The peak of this device’s memory is not known.", "此设备的内存峰值未知。"],
  "state.queued": ["queued", "排队中"],
  "state.running": ["running", "运行中"],
  "state.unwritten": ["ended, not written", "已结束，未写入"],
  "state.succeeded": ["succeeded", "成功"],
  "state.finished": ["ended, not all well", "已结束，未全部成功"],
  "state.failed": ["failed", "失败"],
  "state.cancelled": ["cancelled", "已取消"],
  "state.removed": ["removed", "已删除"],
  "state.idle": ["idle", "空闲"],
  "state.measuring": ["measuring", "测量中"],
  "state.throttled": ["throttled", "降频"],
  "state.unhealthy": ["not well", "异常"],
  "state.drained": ["paused", "已暂停"],
  "state.starting": ["starting", "启动中"],
  "state.away": ["not held", "已释放"],
  "state.gone": ["not in the list", "不在列表中"],
  "memory.units.sector": ["sectors", "扇区"],
  "memory.units.line": ["lines", "缓存行"],
  "memory.units.segment": ["segments", "段"],
  "memory.units.half_warp_segment": ["segments", "段"],
  "copy": ["Copy", "复制"],
  "copy.done": ["Copied", "已复制"],
  "field.block": ["block", "线程块 block"],
  "choice.device.any": ["any device", "任意设备"],
  "field.size": ["size", "规模 size"],
};

/* ---- /ui/queue ---- */
const queue = {
  "queue.owner": ["owner", "所有者"],
  "queue.asks": ["asks", "请求"],
  "queue.now": ["now", "现在"],
  "queue.more": ["and {n} more", "以及另外 {n} 个"],
  "queue.no_time": ["Not known: nothing ran yet, or it is paused.", "未知：还没有运行过，或已暂停。"],
  "queue.cancel": ["Cancel", "取消"],
  "queue.cancel_sweep": ["Cancel the sweep of {what}", "取消整个扫描：{what}"],
  "queue.waiting": ["waiting", "等待"],
  "queue.title": ["Queue", "队列"],
  "queue.drain": ["Pause this device", "暂停此设备"],
  "queue.resume_all": ["Resume the queue", "恢复队列"],
  "queue.resume_device": ["Resume this device", "恢复此设备"],
  "queue.ends_in": ["ends in", "预计剩余时间"],
};

/* ---- /ui/devices and /ui/devices/{name} ---- */
const device = {
  "device.cpu": ["{name}, {n} cores", "{name}，{n} 核"],
  "device.unknown": ["A device", "设备"],
  "device.not_yet": ["not known before its first start", "首次启动前未知"],
  "device.of": ["of", "/"],
  "device.not_told": ["The driver does not tell it.", "驱动程序没有提供。"],
  "device.sm_clock": ["SM clock", "SM 时钟"],
  "device.memory_clock": ["memory clock", "显存时钟"],
  "device.heat": ["temperature", "温度"],
  "device.power": ["power", "功耗"],
  "device.slow_sw_power_cap": ["The power cap slows the clock.", "达到功耗上限，时钟降低。"],
  "device.slow_hw_slowdown": ["The chip slows its clock to protect itself.", "芯片为保护自身而降低时钟。"],
  "device.slow_sw_thermal": ["Heat slows the clock.", "温度过高，时钟降低。"],
  "device.slow_hw_thermal": ["Heat slows the clock, by the chip itself.", "芯片因过热自行降低时钟。"],
  "device.slow_hw_power_brake": ["The power supply slows the clock.", "供电系统使时钟降低。"],
  "device.all": ["Devices", "设备"],
  "device.what": ["what it is", "型号"],
  "device.does": ["runs, or waits for", "正在运行或等待"],
  "device.gone_text": ["It was taken out of the list: what runs there ends, nothing more begins.", "已从列表中移除：正在运行的会运行完，不再开始新的。"],
  "device.starting_text": ["Its executor is being started.", "正在启动执行器。"],
  "device.away_text": ["Nothing is held. An executor is started when there is work.", "未占任何资源；有任务时才启动执行器。"],
  "device.when": ["time", "时间"],
  "device.ago": ["{time} ago", "{time}前"],
  "device.no_fact": ["This device does not tell it.", "此设备没有提供这一项。"],
  "device.slow_then": ["Results from here are marked unstable until it ends.", "在此期间的结果都会标为不稳定。"],
};

/* ---- /ui/experiments and /ui/sweeps: what other pages say, too ---- */
const lists = {
  "lists.state": ["state", "状态"],
  "lists.label": ["label", "标签"],
  "lists.acts": ["what can be done", "操作"],
  "lists.axis": ["{name} {n} {words|value|values}", "{name} {n} 个值"],
};

/* ---- /ui/experiments/{id} ---- */
const experiment = {
  "result.change": ["Change", "修改"],
  "result.compare": ["Compare", "比较"],
  "result.again": ["Run again", "再次运行"],
  "result.remove": ["Remove", "删除"],
  "counts.no_device": ["{device} has no hardware counters that can be read here: an NVIDIA GPU has.", "{device} 没有可在此读取的硬件计数器：NVIDIA GPU 才有。"],
  "counts.predicted": ["predicted", "预测"],
  "device.name": ["device", "设备"],
  "strip.cold": ["cold", "冷"],
  "strip.hot": ["hot", "热"],
  "wait.for": ["It waits: {why}", "正在等待：{why}"],
};

/* ---- /ui/sweeps/{id} ---- */
const sweep = {
  "sweep.title": ["Sweep", "扫描"],
  "list.comma": [", ", "、"],
  "punct.colon": [": ", "："],
  "punct.comma": [", ", "，"],
  "punct.space": [" ", ""],
  "punct.semicolon": ["; ", "；"],
  "punct.stop": [". ", "。"],
  "interval.to": ["to", "至"],
  "sweep.default": ["default", "默认"],
};

/* ---- /ui/compare ---- */
const compare = {
  "compare.experiments": ["{n} {words|experiment|experiments}", "{n} 个实验"],
  "compare.points": ["{n} {words|point|points}", "{n} 点"],
};

/* ---- /ui/lessons ---- */
const lessons = {
  "lessons.why_there": ["why: lesson {n}", "理由：第 {n} 课"],
};

// clang-format on
export const DICTIONARY = {
  ...shell,
  ...lab,
  ...part,
  ...queue,
  ...device,
  ...lists,
  ...experiment,
  ...sweep,
  ...compare,
  ...lessons
};
export const MEANINGS = meanings;

/* More entries: of modules that not all pages load. */
export function wordsAdd(entries) {
  Object.assign(DICTIONARY, entries);
}

const LANGUAGES = ["en", "zh"];
let current = 0;

export const language = () => LANGUAGES[current];

export function setLanguage(name) {
  current = Math.max(0, LANGUAGES.indexOf(name));
  document.documentElement.lang = name === "zh" ? "zh-CN" : "en";
  localStorage.setItem("language", language());
}

/* By the address (?lang=zh), what was chosen last, or what the browser prefers. */
export function findLanguage() {
  const asked = new URLSearchParams(location.search).get("lang") ?? localStorage.getItem("language");
  setLanguage(asked ?? (navigator.language.startsWith("zh") ? "zh" : "en"));
}

export function parts(key, values = {}) {
  const entry = DICTIONARY[key];
  if (!entry) throw new Error(`the dictionary has no ${key}`);
  return entry[current]
    .split(/(\{[^}]+\})/)
    .map(piece => {
      const [, name, one, many] = /^\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}$/.exec(piece) ?? [];
      if (!name) return piece;
      if (!(name in values)) throw new Error(`${key} wants the value ${name}`);
      return one === undefined ? values[name] : Number(values[name]) === 1 ? one : many;
    })
    .filter(piece => piece !== "");
}

export function t(key, values) {
  return parts(key, values).join("");
}

/* `shown` stands for the word in English, `shownZh` in Chinese. */
export function term(name, shown, shownZh) {
  const [word, meaning] = MEANINGS[name][current];
  return tip(h("span", {class: "term"}, (current === 0 ? shown : shownZh) ?? word), meaning);
}

let reasonText = () => null;

/* Loads what the current language needs besides this file. */
export async function languageReady() {
  reasonText = language() === "zh" ? (await import("./reasons.js")).reasonText : () => null;
}

/* Why the experiment of a row of the service's table failed, in the reader's language if the service has it; null: it
   did not fail. */
export const failureDetail = row => language() === "zh" && row.failure_detail_zh || row.failure_detail;
export const reasonSaid = text => text && (reasonText(text) ?? plainText(text));

export function noValue(reason) {
  const node = h("span", {class: "no-value"}, t("no_value"));
  return reason ? tip(node, reasonSaid(reason)) : node;
}

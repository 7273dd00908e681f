/* What the first page says of its own; the form is that of ../words.js. */
import {wordsAdd} from "../words.js";

// clang-format off
wordsAdd({
  "lab.phase": ["{phase}, {n} {words|sample|samples}", "{phase}，{n} 个样本"],
  "lab.ended_ago": ["ended, ago", "结束于"],
  "device.is_unhealthy": ["{name} is not well: {reason}", "{name} 异常：{reason}"],
  "lab.ahead": ["{n} ahead of you: yours begin in about {time}", "前面还有 {n} 个：你的实验大约 {time}后开始"],
  "lab.between": ["The next one is on its way.", "下一个即将开始。"],
  "lab.busy": ["{n} {words|waits|wait}", "{n} 个在等待"],
  "lab.everybodys": ["everybody’s", "所有人的"],
  "lab.lately": ["lately, all devices", "最近，全部设备"],
  "lab.mine": ["mine", "我的"],
  "lab.next": ["Yours are next: they begin in about {time}", "接下来就是你的实验：大约 {time}后开始"],
  "lab.no_results": ["There are no results yet.", "还没有结果。"],
  "lab.nothing_waits": ["Nothing waits for it.", "没有任务在等待。"],
  "lab.one_ahead": ["One ahead of you: yours begin in about {time}", "前面还有一个：你的实验大约 {time}后开始"],
  "lab.only_runs": ["{n} {words|runs|run}, nothing waits", "{n} 个在运行，无等待"],
  "lab.order": ["in the order in which it will run: who had least goes first, but for an admin's priority", "按将要运行的顺序：除管理员给的优先级外，用得最少的人先运行"],
  "lab.point": ["run {n} of {of}", "第 {n} 次，共 {of} 次"],
  "lab.queue_of": ["Queue of", "队列："],
  "lab.results": ["Last results", "最近的结果"],
  "lab.runs": ["Yours runs now", "你的实验正在运行"],
  "lab.runs_more": ["Yours runs now, {n} more {words|waits|wait}", "你的实验正在运行，另有 {n} 个在等待"],
  "lab.shares": ["Who had the devices", "设备由谁使用"],
  "lab.sweep_done": ["{n} of {of}", "{n}/{of}"],
  "lab.sweep_open": ["not ended", "未结束"],
  "lab.sweeps": ["Newest sweeps:", "最新的扫描："],
  "lab.to_hold": ["pause or resume", "暂停或恢复"],
  "lab.waits": ["{n} of yours {words|waits|wait}", "你有 {n} 个在等待"],
  "lab.whose": ["Whose results", "谁的结果"],
  "lab.would": ["{n} {words|waits|wait}: one more of yours would begin in about {time}", "{n} 个在等待：你再提交一个，大约 {time}后开始"],
  "lab.would_next": ["{n} {words|runs|run}: one more would begin in about {time}", "{n} 个在运行：再提交一个，大约 {time}后开始"],
});
// clang-format on

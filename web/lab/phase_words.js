/* phaseName(phase) is what a run does, as its progress names it. An entry is key: [English, Chinese]. */
import {DICTIONARY, t, wordsAdd} from "../words.js";

// clang-format off
wordsAdd({
  "lab.phase_counters": ["reads the counters", "读取计数器"],
  "lab.phase_open": ["opens the device", "打开设备"],
  "lab.phase_lock": ["waits while another process uses the device or the bus", "等待其他进程用完设备或总线"],
  "lab.phase_quiet": ["waits for the device to be quiet", "等待设备空闲"],
  "lab.phase_prepare": ["fills the arrays", "填充数组"],
  "lab.phase_check": ["checks every element", "检查每个元素"],
  "lab.phase_cold": ["times with empty caches", "清空缓存后计时"],
  "lab.phase_hot": ["times back to back", "连续启动并计时"],
  "lab.phase_transfers": ["times the transfers", "测量传输用时"],
});
// clang-format on

export const phaseName = phase => `lab.phase_${phase}` in DICTIONARY ? t(`lab.phase_${phase}`) : phase;

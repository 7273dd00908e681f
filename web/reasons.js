/* What the service says in English of a value that is missing, of a result that is unstable or of a device that does
   not answer, in Chinese: a pattern, in which % stands for anything, and its Chinese, in which {1} is what stood there
   and {1%} the same as per cent. reasonChinese(text) is null for a text that no pattern fits.
   tests/rules/test_chinese.py holds the patterns against the sources. */
// clang-format off
const REASONS = [
  ["cold samples: noise stayed at %, % was asked for", "冷启动样本的噪声为 {1%}，要求不超过 {2%}"],
  ["hot samples: noise stayed at %, % was asked for", "热启动样本的噪声为 {1%}，要求不超过 {2%}"],
  ["cold samples: the median is 0, so their noise is not known", "冷启动样本的中位数为 0，因此噪声未知"],
  ["hot samples: the median is 0, so their noise is not known", "热启动样本的中位数为 0，因此噪声未知"],
  ["cold samples: only %, and their noise is known from % on", "冷启动样本只有 {1} 个，至少 {2} 个才能得出噪声"],
  ["hot samples: only %, and their noise is known from % on", "热启动样本只有 {1} 个，至少 {2} 个才能得出噪声"],
  ["% clock moved from % to % MHz while timing", "计时期间{1}时钟从 {2} MHz 变为 {3} MHz"],
  ["throttled: %", "被降频：{1}"],
  ["another process holds a context on this device (%)", "另有进程在此设备上占有上下文（{1}）"],
  ["there is no timing", "没有计时"],
  ["the kernel was not timed", "内核没有计时"],
  ["launches did not arrive in time: every sample was discarded", "启动没有及时到达，全部样本作废"],
  ["every sample was discarded: launches did not arrive in time", "启动没有及时到达，全部样本作废"],
  ["the output was wrong: a wrong kernel is not timed", "输出错误：不为出错的内核计时"],
  ["the output was not checked", "没有校验输出"],
  ["the kernel's output was wrong: nothing of it was counted", "内核输出错误，没有计数"],
  ["the kernel is about bytes", "此内核衡量的是字节"],
  ["nothing was touched", "没有访问任何数据"],
  ["a copy engine does it: no blocks are launched", "由复制引擎完成，不启动线程块"],
  ["a copy engine does it: no warp makes a request", "由复制引擎完成，没有线程束发出请求"],
  ["the device's memory is the host's: nothing is transferred", "设备内存就是主机内存，没有传输"],
  ["\"transfers\": \"pageable\" or \"pinned\" asks for them", "请求里加 \"transfers\": \"pageable\" 或 \"pinned\" 才会测量"],
  ["\"counters\": true asks for them", "请求里加 \"counters\": true 才会计数"],
  ["this was not counted", "没有计数"],
  ["not counted, and the model does not know this device's architecture", "未计数，且模型不支持此设备的架构"],
  ["not counted, and the prediction says why it has none", "未计数，预测没有此项的原因见预测"],
  ["the cpu device has no hardware counters", "CPU 设备没有硬件计数器"],
  ["the % device has no hardware counters", "{1} 设备没有硬件计数器"],
  ["run it on an NVIDIA GPU", "请在 NVIDIA GPU 上运行"],
  ["leave counters out", "请不要请求计数器"],
  ["ask again", "请再次请求"],
  ["ask again; if it stays, see the service's log and docs/operating.md, Counters", "请再次请求；若仍如此，见服务日志和 docs/operating.md 的 Counters 一节"],
  ["try again; if it stays, see docs/operating.md, Counters", "请再试一次；若仍如此，见 docs/operating.md 的 Counters 一节"],
  ["none of what the model predicts was measured", "模型预测的各项都没有测量"],
  ["the prediction is sampled", "预测是抽样得出的"],
  ["the service sent no counts with this run", "服务没有随此次运行送来计数"],
  ["what two devices do together is not counted", "两个设备共同完成的工作不计数"],
  ["several launches in several streams are not counted: a pass sees one of them", "多个流中的多次启动不计数：一遍只能看到其中一次"],
  ["this program was built without CUPTI's headers", "此程序编译时没有 CUPTI 的头文件"],
  ["no number came of it: nothing of the kind happened", "没有得到数值：没有发生这类事件"],
  ["no machine code of this architecture is known", "没有此架构的机器码"],
  ["the model does not know the architecture", "模型不支持此架构"],
  ["the model does not know this architecture", "模型不支持此架构"],
  ["not known for a CPU", "CPU 设备没有此项"],
  ["there is no architecture % in the table of FP32 lanes", "FP32 通道表中没有架构 {1}"],
  ["the driver does not tell the clock", "驱动程序没有提供时钟"],
  ["a peak is not known", "有一项峰值未知"],
  ["it was not read", "没有读取"],
  ["the queue is paused by %", "队列已由 {1} 暂停"],
  ["the queue is paused", "队列已暂停"],
  ["% is paused by %", "{1} 已由 {2} 暂停"],
  ["% is paused", "{1} 已暂停"],
  ["% is being started: %", "{1} 正在启动：{2}"],
  ["% is being started", "{1} 正在启动"],
  ["% cannot be used now, and is tried again: %", "{1} 暂时无法使用，稍后重试：{2}"],
  ["% cannot be used now, and is tried again", "{1} 暂时无法使用，稍后重试"],
  ["% is not in the list", "{1} 不在设备列表中"],
  ["no device of the list fits now", "列表中目前没有合适的设备"],
  ["its executor has not said hello yet", "它的执行器尚未就绪"],
  ["its executor left without work: %", "它的执行器在空闲时退出：{1}"],
  ["nothing was heard of its executor for % s", "{1} 秒没有收到它的执行器的消息"],
];
// clang-format on

const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const RULES =
  REASONS.map(([english, chinese]) => [new RegExp(`^${english.split("%").map(escaped).join("(.+?)")}\\.?$`), chinese]);
const perCent = text => `${Number((100 * Number(text)).toPrecision(2))} %`;

export function reasonChinese(text) {
  for (const [pattern, chinese] of RULES) {
    const found = pattern.exec(text);
    if (found)
      return chinese.replace(/\{(\d)(%?)\}/g, (_, n, unit) => unit ? perCent(found[Number(n)]) : found[Number(n)]);
  }
  return null;
}

/* What the service says in English of how the machine code of a user's kernel accesses memory otherwise than its PTX,
   in Chinese: patterns as those of ../reasons.js. machineReasonText(text) is null for a text that no pattern fits. */
import {translatorOf} from "../service_text.js";

// clang-format off
const REASONS = [
  ["line %: the machine code has no such %: its value is known from elsewhere, or it was merged with another one", "第 {1} 行：机器码中没有这次访问：其值可由别处得到，或已与另一处合并"],
  ["line %: the machine code's % is of % bytes, not of %: the rest is not used", "第 {1} 行：机器码中这次访问为 {3} 字节而非 {4} 字节：其余部分没有用到"],
  ["line %: the machine code splits the % of % bytes into several of %", "第 {1} 行：机器码把这次 {3} 字节的访问拆成了若干次 {4} 字节的访问"],
  ["line %: the machine code's % is of % bytes, not of %: several rounds of a loop share it", "第 {1} 行：机器码中这次访问为 {3} 字节而非 {4} 字节：循环的若干次迭代共用一次访问"],
  ["line %: the % copies of the % in the machine code have different widths", "第 {1} 行：这次访问在机器码中有 {2} 份，宽度各不相同"],
  ["line %: the machine code does the % outside of its loop", "第 {1} 行：机器码把这次访问移到了循环之外"],
  ["line %: the machine code does the % less often than what stands beside it", "第 {1} 行：机器码执行这次访问的次数少于相邻的代码"],
  ["line %: the machine code does the % before the condition that it stands behind", "第 {1} 行：机器码在判断条件之前就做了这次访问"],
  ["line %: the machine code does the % behind a condition that it stands before", "第 {1} 行：这次访问在条件之前，机器码却把它移到了条件之后"],
  ["line %: the % is a loop of compare-and-swap in the machine code: how often it is tried depends on who comes first", "第 {1} 行：这次原子操作在机器码中是比较并交换（CAS）循环：重试次数取决于谁先到"],
  ["line %: lanes that part here may meet elsewhere in the machine code, before or behind the % in line %", "第 {1} 行：通道在此分叉，在机器码中可能于别处会合，在第 {3} 行的访问之前或之后"],
  ["line %: lanes that part here may meet elsewhere in the machine code, before or behind the %", "第 {1} 行：通道在此分叉，在机器码中可能于别处会合，在这里的访问之前或之后"],
  ["line %: it is not known what the machine code makes of the %", "第 {1} 行：不知道机器码如何处理这次访问"],
  ["line %: the machine code accesses memory where the PTX does not", "第 {1} 行：机器码在此访问内存，PTX 则没有"],
];
// clang-format on

export const machineReasonText = translatorOf(REASONS);

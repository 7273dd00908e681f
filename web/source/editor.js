/* The editor of /ui/source: CodeMirror with CUDA's words, and a margin that says what lines cost and what is wrong with
   them. editorOf() gives what sourceField() of field.js does, and begin({line, ch}, focus), which puts the cursor
   there, and the focus where it is true. */
import {CodeMirror} from "../codemirror.js";
import {h} from "../dom.js";
import {t} from "../words.js";
import {costMark, marksOf, noteOf, signOf} from "./marks.js";

const wordsOf = text => Object.fromEntries(text.split(" ").map(word => [word, true]));

const MODE = {
  name: "clike",
  keywords: wordsOf(
    "__global__ __device__ __host__ __shared__ __constant__ __restrict__ __forceinline__ __noinline__ " +
    "__launch_bounds__ alignas auto break case class const constexpr continue default delete do else enum extern for " +
    "if inline namespace new operator private public register return sizeof static static_cast reinterpret_cast struct " +
    "switch template this typedef typename union using virtual volatile while"),
  types: wordsOf(
    "bool char double float int int2 int4 long short signed size_t uchar4 uint2 uint4 unsigned void float2 float3 " +
    "float4 double2 half int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t"),
  builtin: wordsOf("threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp atomicAdd"),
  blockKeywords: wordsOf("case do else for if switch while struct enum union class namespace"),
  defKeywords: wordsOf("struct enum union class namespace"),
  atoms: wordsOf("true false nullptr NULL"),
  typeFirstDefinitions: true,
  indentSwitch: false,
  hooks: {
    "#": stream => {
      stream.skipToEnd();
      return "meta";
    }
  }
};

/* Tab indents, and leaves the editor after Escape. */
function tabLeaves(cm) {
  let leaves = false;
  cm.on("keydown", (_, event) => {
    if (event.key === "Tab" && leaves) event.codemirrorIgnore = true;
    if (event.key !== "Shift") leaves = event.key === "Escape";
  });
  cm.on("blur", () => {
    leaves = false;
  });
}

export function editorOf({text, onText, onLine}) {
  const node = h("div", {});
  const cm = CodeMirror(node, {
    value: text,
    mode: MODE,
    theme: "page",
    lineNumbers: true,
    gutters: ["CodeMirror-linenumbers", "costs"],
    indentUnit: 4,
    inputStyle: "textarea",
    screenReaderLabel: t("source.editor")
  });
  cm.getInputField().setAttribute("aria-describedby", "editor-keys");
  tabLeaves(cm);

  let generation = cm.changeGeneration(), chosen = null, drawn = [];
  cm.on("change", onText);
  const lineTold = () => onLine(cm.getCursor().line + 1);
  cm.on("cursorActivity", () => {
    const now = cm.changeGeneration(), moved = now === generation;
    generation = now;
    if (moved) lineTold();
  });
  cm.on("mousedown", () => setTimeout(lineTold)); /* also where the cursor is already */
  cm.on("gutterClick", (_, line) => {
    cm.setCursor(line, 0);
    cm.focus();
  });

  const handleOf = line => cm.getLineHandle(Math.min(Math.max(line, 1), cm.lineCount()) - 1);
  function drawMark(mark) {
    const handle = handleOf(mark.line), style = `has-${mark.kind}`, sign = signOf(mark), {column} = mark;
    cm.addLineClass(handle, "wrap", style);
    const note = noteOf(mark), widget = cm.addLineWidget(handle, note, {noHScroll: true});
    /* A click on the message would take the focus from the text; a drag over it selects it. */
    note.addEventListener("mouseup", () => getSelection().isCollapsed && cm.focus());
    if (sign) cm.setGutterMarker(handle, "costs", sign);
    /* Underlines the array that the message names; else the column of the compiler, where the statement begins. */
    const [, array] = /\b(\w+)\[/.exec(mark.detail) ?? [],
             named = array ? handle.text.search(new RegExp(`\\b${array}\\s*\\[`)) : -1,
             ch = named < 0 ? column - 1 : named;
    const from = column > 0 && mark.kind === "fault" ? {line: cm.getLineNumber(handle), ch} : null;
    const at =
      from && cm.markText(from, {...from, ch: cm.getTokenAt({...from, ch: ch + 1}).end}, {className: "fault-at"});
    drawn.push(() => {
      cm.removeLineClass(handle, "wrap", style);
      widget.clear();
      at?.clear();
    });
  }

  return {
    node,
    text: () => cm.getValue(),
    show({lines, faults, notes}) {
      cm.operation(() => {
        drawn.forEach(clear => clear());
        drawn = [];
        cm.clearGutter("costs");
        for (const line of lines)
          if (line.line) cm.setGutterMarker(handleOf(line.line), "costs", costMark(line));
        marksOf(faults, notes).forEach(drawMark);
      });
    },
    choose(line) {
      if (chosen) cm.removeLineClass(chosen, "background", "chosen-line");
      chosen = line ? cm.addLineClass(handleOf(line), "background", "chosen-line") : null;
    },
    chosen() {
      const at = chosen && cm.getLineNumber(chosen);
      return at === null ? null : at + 1;
    },
    begin({line, ch}, focus) {
      cm.refresh();
      if (focus) cm.focus();
      cm.setCursor(line - 1, ch);
      lineTold();
    }
  };
}

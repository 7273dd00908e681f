/* The source of /ui/source: a listing with marks, and from the first touch on an editor, which is larger than all else
   of the page.

   sourceField({text, onText, onLine}) gives {node, text(), show({lines, faults, notes}), choose(line), chosen()}.
   onText() follows each change, onLine(n) a click on a line or a step of the cursor to it, which is no change. `lines`,
   `faults` and `notes` are the service's. chosen() is where the line that was chosen stands now, null when it is gone.
 */
import {h, replace} from "../dom.js";
import {listingOf} from "./listing.js";

export function sourceField({text, onText, onLine}) {
  const node = h("div", {class: "editor"});
  let told = {lines: [], faults: [], notes: []}, loading = false;
  let view = listingOf({text, onBegin: begin});
  node.append(view.node);

  async function begin(at) {
    if (loading) return;
    loading = true;
    try {
      const {editorOf} = await import("./editor.js");
      /* Who went on to another field meanwhile stays there. */
      const chosen = view.chosen(), {activeElement: active, body} = document,
            focus = active === body || node.contains(active);
      view = editorOf({text, onText, onLine});
      replace(node, view.node);
      view.show(told);
      view.choose(chosen);
      view.begin(at, focus);
    } catch (error) {
      loading = false; /* the service is away: the next touch tries again */
      throw error;
    }
  }

  return {
    node,
    text: () => view.text(),
    show(now) {
      told = now;
      view.show(now);
    },
    choose: line => view.choose(line),
    chosen: () => view.chosen()
  };
}

/* The time that the model predicts for a launch: its bounds as a drawing, beside what limits it in a sentence.

   timePanel(): {node, show(time, {device, choice, below})}: time as /v1/predictions gives it, {status, reason} where it
   is not known; device: its name, choice and below: nodes; each may be left out. They stand beside the title and below
   the sentence. */
import {h, redraw, replace} from "../dom.js";
import {time as written} from "../format.js";
import {boundsFigure, explainedNodes} from "../charts/bounds.js";
import {reasonSaid, t} from "../words.js";
import "./words.js";

export function timePanel() {
  const title = h("h2", {}), aside = h("span", {class: "note"}), line = h("p", {class: "why"}), more = h("div", {});
  let time = null;
  const figure = boundsFigure(() => time, false);
  const node =
    h("section", {class: "panel", hidden: true}, h("header", {}, title, aside),
      h("div", {class: "predicted-parts"}, figure.node, h("div", {}, line, more)));
  return {
    node,
    show(made, {device, choice = null, below = null}) {
      const known = !made.status;
      time = made;
      node.hidden = false;
      figure.node.hidden = !known;
      replace(title, t("time.title"), known && ` ${written(time.predicted_us, 3)}`);
      redraw(aside, device && t("time.as", {device}), choice && [" ", choice]);
      replace(line, time.explanation ? explainedNodes(time) : reasonSaid(time.reason));
      replace(more, below);
      if (known) figure.update();
    }
  };
}

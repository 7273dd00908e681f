/* What can be done with the chosen rows of a table: how many there are, and a button for each action that some of them
   allow. chosenBar({chosen, actions, more, again}) gives {node, update()}. actions() are the actions of now: {verb: of
   jobs.js, words: its button's, why(item): why it cannot be done with that one, or null, ask(items): a question before
   it, or null, yes: the words that agree to it (not given: Remove them), start(items, left): promises the job}. more()
   are further nodes; where there are any the bar is shown even if nothing is chosen. What was done is chosen no more,
   and again(items) is called.

   roleRuns(me): one may run and change something, false while the role is not known; whyNotOwn(me, owner): why not with
   what that owner submitted, or null; me as in live.js. */
import {h, redraw} from "../dom.js";
import {count} from "../format.js";
import {mayRun} from "../live.js";
import {button} from "../parts.js";
import {focusUnder} from "../removals.js";
import {t} from "../words.js";
import "./words.js";

export const roleRuns = me => Boolean(me) && mayRun(me);
export const whyNotOwn = (me, owner) => me?.role === "admin" || me?.name === owner ? null :
  owner === null                                                                   ? t("bulk.nobodys") :
                                                                                     t("bulk.not_yours", {who: owner});

export function chosenBar({chosen, actions, more, again}) {
  const node =
    h("div", {class: "chosen-bar", role: "group", tabindex: "-1", "aria-label": t("bulk.bar"), hidden: true});
  let asking = null; /* the action whose question is shown */

  const focus = key => node.querySelector(`[data-key="${key}"]`)?.focus();
  async function start(action, able, left) {
    asking = null;
    const {done} = await action.start(able, left), items = done.flatMap(({item}) => item.items ?? item);
    chosen.drop(items);
    await again(items);
    focusUnder(); /* on the Undo, or the link, of what was done */
  }
  const ableOf = (action, items) => items.filter(item => !action.why(item));
  function actionOf(action, items) {
    const able = ableOf(action, items);
    if (!able.length) return null;
    /* A button that looks the same stays, though it is for others than when it was drawn. */
    const go = () => {
      const now = chosen.list(), left = now.map(item => ({item, why: action.why(item)})).filter(({why}) => why);
      return start(action, ableOf(action, now), left);
    };
    const question = action.ask?.(able);
    if (asking === action.verb)
      return h(
        "span", {
          class: "confirm",
          role: "group",
          "aria-label": question,
          onkeydown: event => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            ask(null, action.verb);
          }
        },
        h("span", {"aria-hidden": "true"}, question),
        button(t("sweep.remove_not"), () => ask(null, action.verb), {key: "bulk no"}),
        button(t(action.yes ?? "sweep.remove_all"), go, {key: "bulk yes"}));
    return button(
      t(action.words, {n: count(able.length)}), question ? () => ask(action.verb, action.verb) : go,
      {key: `bulk ${action.verb}`});
  }
  function ask(verb, of) {
    asking = verb;
    update();
    focus(verb ? "bulk no" : `bulk ${of}`);
  }
  node.addEventListener("keydown", event => event.key === "Escape" && chosen.leave());
  function update() {
    const items = chosen.list(), elsewhere = chosen.elsewhere().length, further = more();
    node.hidden = !items.length && !further.length;
    if (!items.length) asking = null;
    redraw(
      node, h("strong", {role: "status"}, t("bulk.chosen", {n: count(items.length)})),
      elsewhere > 0 && h("span", {class: "quiet"}, t("bulk.elsewhere", {n: count(elsewhere)})),
      items.length > 0 && actions().map(action => actionOf(action, items)), further, items.length > 0 && [
        button(t("bulk.choose_none"), () => chosen.leave(), {small: true, key: "bulk none"}),
        h("span", {class: "quiet keys"}, t("bulk.enter"))
      ]);
  }
  return {node, update};
}

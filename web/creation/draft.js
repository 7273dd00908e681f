/* What was last typed into the form of this tab and not submitted. draftKeep(query) keeps the query of the form's
   address, null: nothing is kept any more. draftNote() is a message with a link to it, or null. */
import {link} from "../api.js";
import {h} from "../dom.js";
import {parts, t} from "../words.js";
import "./words.js";

const KEY = "draft", ABOUT_MOST = 3;

export function draftKeep(query) {
  const kept = new URLSearchParams(query ?? "");
  kept.delete("lang");
  if (query)
    sessionStorage.setItem(KEY, kept.toString());
  else
    sessionStorage.removeItem(KEY);
}

export function draftNote() {
  const query = sessionStorage.getItem(KEY);
  if (!query) return null;
  const [kernel, ...typed] =
    [...new URLSearchParams(query)].map(([name, value]) => name === "kernel" ? value : `${name} ${value}`);
  const about = [kernel, ...typed.slice(0, ABOUT_MOST), typed.length > ABOUT_MOST && "…"].filter(Boolean);
  return h(
    "p", {class: "note draft"},
    parts("new.draft", {about: h("a", {href: link(`new?${query}`)}, about.join(t("list.comma")))}));
}

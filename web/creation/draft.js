/* What was last typed into the form of this tab and not submitted: draftKeep(query) keeps the query of its address,
   draftDrop() forgets it, and draftNote() is a message with a link to it, or null. */
import {link} from "../api.js";
import {h} from "../dom.js";
import {parts} from "../words.js";
import "./words.js";

const KEY = "draft", ABOUT_MOST = 3;

export const draftKeep = query => sessionStorage.setItem(KEY, query);
export const draftDrop = () => sessionStorage.removeItem(KEY);

export function draftNote() {
  const query = sessionStorage.getItem(KEY);
  if (!query) return null;
  const [kernel, ...typed] = [...new URLSearchParams(query)]
                               .filter(([name]) => name !== "lang")
                               .map(([name, value]) => name === "kernel" ? value : `${name} ${value}`);
  const about = [kernel, ...typed.slice(0, ABOUT_MOST), typed.length > ABOUT_MOST && "…"].filter(Boolean).join(", ");
  return h("p", {class: "note draft"}, parts("new.draft", {about: h("a", {href: link(`new${query}`)}, about)}));
}

/* Keeps for each entry of the browser's history how far the page and its lists were scrolled and which link was
   followed, and restores that after a step back or forward. The key is in the entry's state.

   entryRead() is called once, before the first page is opened. entryPush(address) makes a new entry; stepped(open) is
   for "popstate": it opens the page of that entry by open(), which returns a promise, and brings it to its place. */
import {headingFocus} from "./dom.js";

const PLACE_MS = 2500, PLACE_AGAIN_MS = 100;
const main = () => document.getElementById("main");

const places = new Map();
let entry = null, finding = new AbortController(), found_again = true;

/* A key that is unique, even after the page is loaded again. */
const entryMake = () => performance.timeOrigin + performance.now();

export function entryRead() {
  entry = history.state?.entry ?? entryMake();
  if (!history.state?.entry) history.replaceState({...history.state, entry}, "");
}

/* A page that is left before its place was found again keeps the place that it had. */
function placeKeep() {
  finding.abort();
  if (!found_again && places.has(entry)) return;
  places.set(entry, {
    top: scrollY,
    lists: [...main().querySelectorAll(".scroll")].map(list => list.scrollTop),
    followed: document.activeElement?.closest("main a[href]")?.href
  });
}

/* Scrolls to the place and focuses its link. Returns true if all of it has been drawn. */
function placeSet({top, lists, followed}) {
  const drawn = [...main().querySelectorAll(".scroll")];
  lists.forEach((scrolled, k) => {
    if (scrolled && drawn[k]) drawn[k].scrollTop = scrolled;
  });
  const a = followed && [...main().querySelectorAll("a[href]")].find(one => one.href === followed);
  a?.focus({preventScroll: true});
  scrollTo(0, top);
  return scrollY >= top - 1 && Boolean(a || !followed) &&
    lists.every((scrolled, k) => !scrolled || drawn[k]?.scrollTop >= scrolled - 1);
}

/* After a step through the history. A page is drawn as its answers come, so this tries for PLACE_MS, unless the user
   goes on. */
async function placeFind(open) {
  const place = places.get(entry) ?? {top: 0, lists: []}, own = finding = new AbortController(), {signal} = own;
  const goesOn = event => {
    if (event.altKey || event.key === "Alt") return; /* it may be another step */
    found_again = true;
    own.abort();
  };
  found_again = false;
  for (const name of ["wheel", "keydown", "pointerdown", "click"])
    addEventListener(name, goesOn, {signal, capture: true});
  await open();
  if (!signal.aborted) headingFocus();
  for (const begun = performance.now(); !signal.aborted;) {
    found_again = placeSet(place) || performance.now() - begun > PLACE_MS;
    if (found_again) break;
    await new Promise(then => setTimeout(then, PLACE_AGAIN_MS));
  }
  own.abort();
}

export function stepped(open) {
  placeKeep();
  entryRead();
  placeFind(open);
}

export function entryPush(address) {
  placeKeep();
  found_again = true;
  entry = entryMake();
  history.pushState({from: location.pathname + location.search, entry}, "", address);
  scrollTo(0, 0);
}

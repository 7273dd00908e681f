/* /ui/recipes: the tables that can be run by name. For which chip each was published comes after the first paint. */
import "../recipe/words.js";
import {get, link} from "../api.js";
import {h, replace} from "../dom.js";
import {cell, headCell, panel, table} from "../parts.js";
import {recipeTold} from "../recipe/data.js";
import {t} from "../words.js";

export const title = () => t("nav.recipes");

export async function open(root, params, {signal}) {
  const {recipes} = await get("/v1/recipes", {signal});
  const place = h("div", {class: "stack"});
  replace(
    root, h("div", {class: "head"}, h("h1", {class: "heading"}, t("recipes.heading", {n: recipes.length}))),
    h("p", {class: "lead recipes-lead"}, t("recipes.lead")), place);
  const details =
    await Promise.all(recipes.map(recipe => get(`/v1/recipes/${recipe.name}`, {signal}).then(recipeTold)));
  const row = recipe =>
    h("tr", {},
      h("th", {scope: "row"},
        h("a", {href: link(`recipes/${recipe.name}`), class: "row-link"}, h("strong", {}, recipe.title))),
      cell(recipe.text), cell(h("code", {}, [recipe.sweep.kernel].flat().join(", "))),
      recipe.published && cell(recipe.published.device.name));
  const group = (name, list, published) => panel(
    t(name), null,
    table(
      t(name),
      [
        headCell(t("recipes.name")), headCell(t("recipes.about")), headCell(t("recipes.kernels")),
        published && headCell(t("recipes.published_on"))
      ],
      list.map(row)));
  replace(
    place, group("recipes.with", details.filter(one => one.published), true),
    group("recipes.without", details.filter(one => !one.published), false));
}

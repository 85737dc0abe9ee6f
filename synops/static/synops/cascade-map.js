/* Dropping a recipe on a node fills in the form below the map and sends it: the same request, the same checks. */
const form = document.getElementById("edge-form");
const MIME = "application/x-synops-recipe";

for (const recipe of document.querySelectorAll("[data-recipe]")) {
  recipe.addEventListener("dragstart", (event) => {
    event.dataTransfer.setData(MIME, recipe.dataset.recipe);
    event.dataTransfer.effectAllowed = "link";
  });
}

for (const node of document.querySelectorAll("[data-node]")) {
  node.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes(MIME)) return;
    event.preventDefault();
    node.classList.add("drop-here");
  });
  node.addEventListener("dragleave", () => node.classList.remove("drop-here"));
  node.addEventListener("drop", (event) => {
    event.preventDefault();
    const target = form.elements.target;
    target.append(new Option(node.dataset.title, node.dataset.node, true, true));
    form.elements.recipe.value = event.dataTransfer.getData(MIME);
    form.elements.kind.value = "observes";
    form.requestSubmit();
  });
}

if (form) for (const part of document.querySelectorAll(".needs-drag")) part.hidden = false;

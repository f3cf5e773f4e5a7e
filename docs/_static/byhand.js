// What scrolls sideways can be reached and scrolled by keyboard, and says what it is.
function reach() {
  for (const box of document.querySelectorAll("div.math, .highlight pre, .table-wrapper")) {
    if (box.scrollWidth <= box.clientWidth) {
      if (box.dataset.reached) for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
      delete box.dataset.reached;
    } else {
      const name = box.matches(".math") ? "Formula" : box.matches("pre") ? "Code" : "Table";
      for (const [key, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", name]]) box.setAttribute(key, value);
      box.dataset.reached = "yes";
    }
  }
}
addEventListener("resize", reach);
addEventListener("load", () => (window.MathJax?.startup?.promise ?? Promise.resolve()).then(reach));

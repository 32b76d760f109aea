"use strict";
// Sorting is an extra: without this script the table is whole, ordered by submission.
const words = new Intl.Collator(undefined, { numeric: true });

function byNumber(a, b, sign) {
  // What has no number stays at the end, whichever way the column is sorted.
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return sign * (a - b);
}

function sort(body, column, numeric, sign) {
  const keyed = [...body.rows].map((row) => {
    const text = row.cells[column].textContent.trim();
    return [numeric ? Number.parseFloat(text) : text, row];
  });
  const compare = numeric ? byNumber : (a, b) => sign * words.compare(a, b);
  keyed.sort(([a], [b]) => compare(a, b, sign));
  body.append(...keyed.map(([, row]) => row));
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const descending = heading.getAttribute("aria-sort") === "ascending";
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const numeric = heading.classList.contains("num");
      sort(table.tBodies[0], column, numeric, descending ? -1 : 1);
    });
  });
}

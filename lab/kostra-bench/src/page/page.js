// A click on a heading sorts its table by that column; another click reverses the order.
// Numbers come before texts, and empty entries are last in both orders.
"use strict";
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const sign = descending ? -1 : 1;
      const compare = (left, right) => {
        const [a, b] = [left.cells[column], right.cells[column]];
        const [x, y] = [a.dataset.v, b.dataset.v];
        if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y));
        if (!a.textContent || !b.textContent) return !a.textContent - !b.textContent;
        if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
        return sign * a.textContent.localeCompare(b.textContent, "en", { numeric: true });
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(compare));
    });
  });
}

"use strict";
// Filters and sorts the table of attempts, and opens one attempt's packed details.

const table = document.getElementById("attempts");
const body = table.tBodies[0];
const rows = Array.from(body.rows);
const filters = document.querySelector(".filters");
const shown = filters.querySelector("output");
const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

function filter() {
  const text = filters.querySelector("input").value.toLowerCase();
  const chosen = Array.from(filters.querySelectorAll("select")).filter((select) => select.value);
  let visible = 0;
  let attempts = 0;
  let solved = 0;
  for (const row of rows) {
    const match =
      texts.get(row).includes(text) && chosen.every((select) => row.dataset[select.name] === select.value);
    row.hidden = !match;
    if (match) {
      visible += 1;
      attempts += row.dataset.outcome !== "skipped";
      solved += row.dataset.outcome === "solved";
    }
  }
  const share = attempts ? `, ${((100 * solved) / attempts).toFixed(1)} % solved` : "";
  shown.value = `${visible.toLocaleString("en")} of ${rows.length.toLocaleString("en")} attempts${share}`;
}

function sort(header) {
  const column = header.cellIndex;
  const down = header.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  const numeric = header.classList.contains("number");
  const keys = new Map(
    rows.map((row) => {
      const text = row.cells[column].textContent;
      return [row, numeric ? (text === "" ? -Infinity : Number(text)) : text];
    }),
  );
  const compare = numeric
    ? (a, b) => (keys.get(a) === keys.get(b) ? 0 : keys.get(a) < keys.get(b) ? -1 : 1)
    : (a, b) => (keys.get(a) < keys.get(b) ? -1 : keys.get(a) > keys.get(b) ? 1 : 0);
  rows.sort((a, b) => (down ? -compare(a, b) : compare(a, b)));
  body.append(...rows);
}

const dialog = document.getElementById("attempt");
const details = document.getElementById("details");

async function unpack(number) {
  const block = document.getElementById(`d${number}`);
  const packed = Uint8Array.from(atob(block.textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

async function open() {
  const match = /^#a(\d+)$/.exec(location.hash);
  if (!match || !document.getElementById(`d${match[1]}`)) {
    dialog.close();
    return;
  }
  // Made by the same program as this page, with every text escaped; the page's policy runs nothing else.
  details.innerHTML = await unpack(match[1]);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function step(by) {
  const links = rows.filter((row) => !row.hidden).map((row) => row.querySelector("a").hash);
  const next = links[links.indexOf(location.hash) + by];
  if (next) location.hash = next;
}

dialog.addEventListener("close", () => {
  details.textContent = "";
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
});
dialog.addEventListener("click", (event) => {
  const button = event.target.closest("nav button");
  if (event.target === dialog || (button && button.value === "close")) dialog.close();
  else if (button) step(button.value === "next" ? 1 : -1);
});
dialog.addEventListener("keydown", (event) => {
  if (event.key === "ArrowRight") step(1);
  if (event.key === "ArrowLeft") step(-1);
});
filters.addEventListener("input", filter);
table.tHead.addEventListener("click", (event) => {
  const header = event.target.closest("th");
  if (header) sort(header);
});
body.addEventListener("click", (event) => {
  const row = event.target.closest("tr");
  if (row && !event.target.closest("a")) row.querySelector("a").click();
});
addEventListener("hashchange", open);
filter();
open();

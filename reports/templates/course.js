"use strict";
// The table of all submissions: its rows lie in the page as data and are put in as text, a window
// at a time, so that ten thousand are searched and sorted at once. Without this script the page has
// the same rows as HTML, or links to them.
{
const $ = (name) => document.querySelector(`[data-${name}]`);
const words = new Intl.Collator("en", { numeric: true });
// Names are found without their accents and in any case; these letters are none with an accent.
const plain = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };
const unaccented = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const folded = (text) => unaccented(text).replace(/[ßæœøłđðþı]/g, (letter) => plain[letter]);

function element(name, content, attributes = {}) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...[content].flat());
  return made;
}

// One submission: what is shown of it, and `keys`, by which each column sorts.
function read(row, statuses) {
  const [id, student, status, scores, points, endings = [], href = 0, also = "", none = 0, missing = ""] =
    row;
  const name = student === 0 ? id : student;
  const link = href || `reports/${encodeURIComponent(id)}.html`;
  const numbers = [...scores, ...points].map((each) => parseFloat(each)); // "35.5 so far" is 35.5
  const keys = [name, id, statuses[status].word, ...numbers];
  const text = folded(`${name}\n${id}\n${also}`);
  const meets = { zero: none, missing };
  return { id, name, status: statuses[status], scores, points, endings, link, keys, text, meets };
}

function pointsCell(value, most) {
  const lost = typeof value === "number" && value < most;
  const shown = value === null ? element("span", "open", { class: "open" }) : String(value);
  return element("td", shown, { class: lost ? "num lost" : "num" });
}

function rowOf(each, data) {
  const status = element("td", each.status.chip.content.cloneNode(true));
  for (let at = 0; at < each.endings.length; at += 2) {
    const count = each.endings[at + 1] > 1 ? ` ${each.endings[at + 1]}×` : "";
    status.append(" ", element("span", data.words[each.endings[at]] + count, { class: "tag" }));
  }
  if (each.meets.missing) {
    status.append(" ", element("span", `Missing: ${each.meets.missing}`, { class: "tag" }));
  }
  const score = (value) => {
    if (value === null) return [];
    return typeof value === "number" ? element("strong", String(value)) : element("span", value, { class: "open" });
  };
  return element("tr", [
    element("th", element("a", element("bdi", each.name), { href: each.link }), { scope: "row" }),
    element("td", element("bdi", each.id)),
    status,
    ...each.scores.map((value) => element("td", score(value), { class: "num" })),
    ...each.points.map((value, column) => pointsCell(value, data.most[column])),
  ]);
}

function byNumber(a, b, sign) {
  // What has no number stays at the end, whichever way the column is sorted.
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
  return sign * (a - b);
}

function sorted(rows, column, sign) {
  const compare = column < 3 ? (a, b) => sign * words.compare(a, b) : byNumber;
  return [...rows].sort((a, b) => compare(a.keys[column], b.keys[column], sign));
}

function found(rows, { query, status, only }) {
  const parts = folded(query).split(/\s+/).filter(Boolean);
  const asked = (row) => (!status || row.status.name === status) && (!only || row.meets[only]);
  return rows.filter((row) => asked(row) && parts.every((part) => row.text.includes(part)));
}

// What the reader asked for stands in the address, so that it can be kept and sent on.
function fromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const [column, way] = (asked.get("sort") ?? "").split(".");
  const sort = column === "" ? null : { column: Number(column), sign: way === "down" ? -1 : 1 };
  const page = Math.trunc(Number(asked.get("page"))) || 1;
  const [query, status, only] = ["q", "status", "only"].map((name) => asked.get(name) ?? "");
  return { query, status, only, sort, page: page - 1 };
}

function toAddress({ query, status, only, sort, page }) {
  const asked = new URLSearchParams();
  if (query) asked.set("q", query);
  if (status) asked.set("status", status);
  if (only) asked.set("only", only);
  if (sort) asked.set("sort", `${sort.column}.${sort.sign < 0 ? "down" : "up"}`);
  if (page) asked.set("page", page + 1);
  const address = String(asked) ? `#${asked}` : location.pathname.split("/").pop();
  if (String(asked) || location.hash.includes("=")) history.replaceState(null, "", address);
}

const number = (value) => value.toLocaleString("en");

function told(first, shown, chosen, all) {
  const range = shown < chosen ? `${number(first + 1)} to ${number(first + shown)} of ` : "";
  const found = chosen < all ? `${number(chosen)} found among ` : "";
  return `${range}${found}${number(all)} ${all === 1 ? "submission" : "submissions"}`;
}

class Finder {
  constructor(table) {
    this.table = table;
    this.size = Number(table.dataset.table);
    this.headings = [...table.tHead.rows[0].cells];
    this.data = JSON.parse($("rows").textContent);
    const chips = [...document.querySelectorAll("template[data-status]")];
    const statuses = chips.map((chip) => ({
      chip, name: chip.dataset.status, word: chip.content.textContent.trim(),
    }));
    this.rows = this.data.rows.map((row) => read(row, statuses));
    this.listen();
    this.readAddress();
    $("finder").hidden = $("whole").hidden = false;
    // Who follows a link to what was asked sees it; who comes back sees what was left.
    const [opened] = performance.getEntriesByType("navigation");
    if (location.hash.includes("=") && opened?.type === "navigate") $("finder").scrollIntoView();
  }

  readAddress() {
    this.state = fromAddress();
    $("search").value = this.state.query;
    for (const [name, key] of [["choice", "status"], ["only", "only"]]) {
      $(name).value = this.state[key];
      if ($(name).selectedIndex < 0) $(name).value = this.state[key] = "";
    }
    this.order();
    this.show();
  }

  show() {
    const chosen = found(this.ordered, this.state);
    const pages = Math.max(1, Math.ceil(chosen.length / this.size));
    const page = (this.state.page = Math.min(Math.max(this.state.page, 0), pages - 1));
    const shown = chosen.slice(page * this.size, (page + 1) * this.size);
    this.table.tBodies[0].replaceChildren(...shown.map((each) => rowOf(each, this.data)));
    $("count").textContent = told(page * this.size, shown.length, chosen.length, this.rows.length);
    $("pager").hidden = pages === 1;
    $("page").textContent = `Page ${page + 1} of ${pages}`;
    $("back").disabled = page === 0;
    $("on").disabled = page === pages - 1;
    toAddress(this.state);
  }

  order() {
    const { sort } = this.state;
    this.headings.forEach((heading, column) => {
      if (sort?.column !== column) heading.removeAttribute("aria-sort");
      else heading.setAttribute("aria-sort", sort.sign < 0 ? "descending" : "ascending");
    });
    const known = sort && this.headings[sort.column];
    this.ordered = known ? sorted(this.rows, sort.column, sort.sign) : this.rows;
  }

  // Another question begins on its first page.
  ask(change) {
    Object.assign(this.state, { page: 0 }, change);
    this.show();
  }

  sortBy(column) {
    const turned = this.state.sort?.column === column && this.state.sort.sign > 0;
    this.state.sort = { column, sign: turned ? -1 : 1 };
    this.order();
    this.ask({});
  }

  turn(step) {
    this.state.page += step;
    this.show();
    this.table.parentElement.scrollTo({ left: 0 });
    $("finder").scrollIntoView({ block: "start" });
  }

  listen() {
    this.headings.forEach((heading, column) => {
      const button = element("button", [...heading.childNodes], { type: "button" });
      heading.append(button);
      button.addEventListener("click", () => this.sortBy(column));
    });
    const search = $("search");
    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.ask({ query: search.value }), 80);
    });
    $("choice").addEventListener("change", () => this.ask({ status: $("choice").value }));
    $("only").addEventListener("change", () => this.ask({ only: $("only").value }));
    $("back").addEventListener("click", () => this.turn(-1));
    $("on").addEventListener("click", () => this.turn(1));
    // A link to a section asks nothing of the table.
    addEventListener("hashchange", () => {
      if (!location.hash || location.hash.includes("=")) this.readAddress();
    });
  }
}

// While a run goes on the page reloads itself, unless the reader is busy in it or says no.
function reloading(box, seconds) {
  const remembered = "softmark-reload";
  box.checked = sessionStorage.getItem(remembered) !== "no";
  box.parentElement.hidden = false;
  box.addEventListener("change", () => sessionStorage.setItem(remembered, box.checked ? "yes" : "no"));
  setInterval(() => {
    const busy = document.activeElement !== document.body || String(getSelection());
    if (box.checked && !busy) location.reload();
  }, 1000 * seconds);
}

// A run that was killed cannot say so; how old the page is can be said.
function ageing(note) {
  const written = Date.parse(note.dataset.written);
  const tell = () => {
    const minutes = Math.floor((Date.now() - written) / 60000);
    if (minutes < 2) return;
    note.textContent = ` That is ${minutes} minutes ago: a long submission is being graded, `
      + "or the run was stopped. If it was, the same command goes on.";
  };
  tell();
  setInterval(tell, 20000);
}

const table = $("table");
if (table) new Finder(table);
const note = $("written");
if (note) ageing(note);
const box = $("reload");
if (box) reloading(box, Number(box.dataset.reload));
}

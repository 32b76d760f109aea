// Keys, the running sum, and drafts that outlive a page. Without this file every form works.
"use strict";
(() => {
  const by = (id) => document.getElementById(id);
  const goOn = by("go-on");
  if (goOn) { location.replace(goOn.href); return; }
  const form = by("decide"), help = by("help"), keysOn = by("keys-on");

  const items = () => [...form.querySelectorAll("[name=item]")];
  const typed = () => Number(by("adjustment").value.replace(",", ".").replace("\u2212", "-")) || 0;

  function showSum() {
    const most = Number(form.dataset.most);
    const ticked = items().filter((each) => each.checked);
    const sum = ticked.reduce((total, each) => total + Number(each.dataset.points), typed());
    const shown = Math.round(Math.min(Math.max(sum, 0), most) * form.dataset.share * 100) / 100;
    by("sum").textContent = `${shown} of ${most} points`;
    by("sum").hidden = false;
  }

  // "None of these" and an item exclude each other.
  function exclude(changed) {
    if (changed.name !== "item" || !changed.checked) return;
    const none = changed.value === "none";
    for (const each of items()) if (each !== changed && none !== (each.value === "none")) each.checked = false;
  }

  function showCount() {
    const count = by("count");
    if (count) count.textContent = 1 + document.querySelectorAll("[name=member]:checked").length;
  }

  const key = () => "draft:" + form.dataset.key;

  function keepDraft() {
    const draft = { items: items().map((each) => each.checked), adjustment: by("adjustment").value, comment: by("comment").value };
    sessionStorage.setItem(key(), JSON.stringify(draft));
  }

  function restoreDraft() {
    const kept = sessionStorage.getItem(key());
    if (!kept || location.search) return;
    const draft = JSON.parse(kept);
    items().forEach((each, n) => { each.checked = Boolean(draft.items[n]); });
    by("adjustment").value = draft.adjustment;
    by("comment").value = draft.comment;
    by("draft").textContent = "Your unsaved draft was restored.";
  }

  const press = (button) => { if (button && !button.disabled) button.click(); };
  const follow = (rel) => { const link = document.querySelector(`a[rel=${rel}]`); if (link) location.assign(link.href); };
  const itemOf = (n) => form && form.querySelector(`[name=item][value="${n || "none"}"]`);
  const toggle = (n) => { const item = itemOf(n); if (item) { item.click(); item.focus({ focusVisible: true }); } };
  const focus = (id) => { const field = by(id); if (field) field.focus(); };

  const commands = {
    j: () => follow("next"), ArrowRight: () => follow("next"),
    k: () => follow("prev"), ArrowLeft: () => follow("prev"),
    u: () => press(document.querySelector("#undo button")),
    g: () => press(by("save-group")),
    c: () => focus("comment"),
    "/": () => focus("search"),
    "?": () => help.showModal(),
    Enter: () => press(form && form.querySelector("button.main")),
  };

  function onKey(event) {
    const target = event.target, writing = target.matches("textarea, select, input:not([type=checkbox])");
    if (writing && event.key === "Escape") target.blur();
    if (form && target === by("comment") && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      press(form.querySelector("button.main"));
    }
    const off = !keysOn.checked || help.open || event.ctrlKey || event.metaKey || event.altKey || event.repeat;
    if (off || writing || (event.key === "Enter" && target.matches("a, button, summary"))) return;
    if (event.key.startsWith("Arrow") && target.matches(".answer, .code, .printed")) return;
    const command = /^[0-9]$/.test(event.key) ? () => toggle(Number(event.key)) : commands[event.key];
    if (!command) return;
    event.preventDefault();
    command();
  }

  if (form) {
    restoreDraft();
    showSum();
    showCount();
    document.addEventListener("change", showCount);
    form.addEventListener("input", (event) => { exclude(event.target); keepDraft(); showSum(); });
    form.addEventListener("submit", () => sessionStorage.removeItem(key()));
  }
  if (!help) return; // a page that only refuses something has no keys
  keysOn.checked = localStorage.getItem("keys") !== "off";
  keysOn.addEventListener("change", () => localStorage.setItem("keys", keysOn.checked ? "on" : "off"));
  by("help-button").hidden = false;
  by("help-button").addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", onKey);
})();

"use strict";
const FIRST = 12, LONG = 80; // columns that are shown at once; characters from which a value has a line of its own
const KEYS = { s: "skip", c: "cannot tell", u: "undo", p: "#ask", m: "#more", n: "#new" };
const STOPPED = "The program behind this page has stopped. Every answer is saved: start tabcast label again to go on.";
const find = (selector) => document.querySelector(selector);
const say = (selector, text) => { if (find(selector).textContent !== text) find(selector).textContent = text; };
const percent = (share) => `${(100 * share).toFixed(share % 1 && (share < 0.1 || share > 0.985) ? 1 : 0)}%`;
let state = null, busy = false, all = false, typed = "", timer = 0;

function make(tag, attributes, ...content) { // text stays text, whatever is in it
  const space = /^(svg|path|circle|text)$/.test(tag) ? "2000/svg" : "1999/xhtml";
  const one = document.createElementNS(`http://www.w3.org/${space}`, tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  one.append(...content);
  return one;
}

async function request(name, body) {
  const headers = { "Content-Type": "application/json" };
  try {
    return await (await fetch(name, body && { method: "POST", headers, body: JSON.stringify(body) })).json();
  } catch {
    return { problem: STOPPED };
  }
}

async function answer(event, label = "") {
  if (busy || !state) return;
  busy = true;
  const row = state.card && `Row ${state.card.row}`;
  const got = await request("answer", { step: state.step, event, label });
  busy = false;
  show(got);
  if (got.problem) return;
  const done = { undo: "Taken back.", class: `Class ${label} added.`, label: `${row}: ${label}.` };
  say("#said", done[event] || `${row}: ${event}.`);
  const more = event === "class" && toggle("#new", "#add", state.classes.length < 2);
  find(more ? "#name" : "#title").focus({ preventScroll: true });
}

async function poll() {
  if (!busy && !document.hidden) {
    const got = await request("state");
    if (!busy && (!state || !got.state || got.state.step >= state.step)) show(got);
  }
  timer = setTimeout(poll, state && state.is_training ? 1000 : 3000);
}

function toggle(button, part, shown = find(part).hidden) {
  find(part).hidden = !shown;
  find(button).setAttribute("aria-expanded", String(shown));
  return shown;
}

async function showGuess() {
  if (!toggle("#ask", "#guess")) return;
  const { result = [] } = await request("probabilities");
  find("#guess").replaceChildren(...result.flatMap(([name, probability]) => {
    const bar = make("div", {});
    bar.style.width = percent(probability);
    return [make("dt", {}, name), make("dd", {}, bar), make("dd", {}, percent(probability))];
  }), ...(result.length ? [] : [make("dt", {}, "There is no model yet.")]));
}

async function fill() {
  find("#fill").disabled = true;
  say("#filled", "Training on all labels; go on labeling meanwhile.");
  const got = await request("fill", {});
  say("#filled", got.problem || got.result);
  find("#fill").disabled = false;
}

document.addEventListener("keydown", (key) => {
  const name = key.key.toLowerCase();
  if (key.repeat || key.ctrlKey || key.altKey || key.metaKey || !state) return;
  if (key.target.id === "name") {
    if (name === "escape") find("#new").click();
    return;
  }
  if (/^[0-9]$/.test(name)) typed += name;
  else if (name !== "enter") typed = "";
  if (typed && (name === "enter" || 10 * typed > state.classes.length)) {
    find("#classes").children[typed - 1]?.click();
    typed = "";
  } else if (typed) say("#said", `Class ${typed}: press Enter, or another digit.`);
  else if (name in KEYS) find(KEYS[name].startsWith("#") ? KEYS[name] : `[data-event="${KEYS[name]}"]`).click();
  else return;
  key.preventDefault();
});

document.addEventListener("click", (click) => {
  const button = click.target.closest("button") || { dataset: {} };
  if (button.dataset.event) answer(button.dataset.event, button.dataset.label);
  else if (button.id === "fill") fill();
  else if (button.id === "ask") showGuess();
  else if (button.id === "new") (toggle("#new", "#add") ? find("#name") : find("#title")).focus();
  else if (button.id === "more") showCells(all = !all);
});

find("#add").addEventListener("submit", (submit) => {
  submit.preventDefault();
  answer("class", find("#name").value.trim());
  find("#name").value = "";
});

function show(got) {
  say("#problem", got.problem || "");
  if (!got.state) return;
  const before = state;
  state = got.state;
  if (!before || before.step !== state.step) say("#said", "");
  if (!before || JSON.stringify(before.card?.row) !== JSON.stringify(state.card?.row)) {
    toggle("#ask", "#guess", false);
    showCells(all = false);
  }
  if (!before && state.classes.length < 2) find("#new").click();
  showClasses();
  showProgress();
}

function showCells() {
  const cells = state.card ? state.card.cells : [];
  document.title = `${state.target}: label rows of ${state.table}`;
  say("#table", state.table);
  say("#target", `· column ${state.target}`);
  say("#title", state.card ? `Row ${state.card.row}` : "Every row has an answer");
  find("#ask").hidden = !state.card;
  find("#cells").replaceChildren(...cells.slice(0, all ? undefined : FIRST).map(([name, value]) => {
    const long = value !== null && (value.length > LONG || value.includes("\n"));
    const looks = value === null ? { class: "missing" } : long ? { tabindex: 0 } : {};
    const parts = name.split(/(?<=_)/).flatMap((part) => [part, make("wbr", {})]); // where a long name may break
    return make("div", { class: long ? "long" : "" }, make("dt", {}, ...parts), make("dd", looks, value ?? "missing"));
  }));
  find("#more").hidden = cells.length <= FIRST;
  find("#more").replaceChildren(all ? "Fewer columns " : `All ${cells.length} columns `, make("kbd", {}, "M"));
}

function showClasses() {
  const names = JSON.stringify(state.classes.map(([name]) => name));
  if (find("#classes").dataset.names !== names) {
    find("#classes").dataset.names = names; // only then, or a button would lose the focus
    find("#classes").replaceChildren(...state.classes.map(([name], place) => {
      return make("button", { "data-event": "label", "data-label": name }, name, make("kbd", {}, String(place + 1)));
    }));
  }
  for (const one of document.querySelectorAll("[data-event]")) {
    one.disabled = one.dataset.event === "undo" ? !state.can_undo : !state.card;
  }
}

function showProgress() {
  const last = state.points.at(-1), figure = find("figure");
  const facts = [["Labels", state.n_labels], ...state.classes];
  const ends = last && `${percent(last.accuracy_low)} to ${percent(last.accuracy_high)}`;
  if (last) facts.push(["Accuracy on random rows", percent(last.accuracy)], ["its 95% interval", ends]);
  if (state.filled) facts.push([`Rows to fill at ${percent(state.filled[0])}`, percent(state.filled[1])]);
  facts.push(["Model", state.is_training ? "is being trained" : last ? `of ${last.n} labels` : "none yet"]);
  say("#count", `${state.n_left.toLocaleString("en")} rows left`);
  say("#advice", state.advice);
  say("#file", state.file);
  const lines = facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]);
  find("#facts").replaceChildren(...lines);
  figure.hidden = !last;
  if (last) figure.replaceChildren(figure.firstElementChild, draw(state.points, last));
}

function draw(points, last) {
  const low = Math.floor(10 * Math.min(...points.map((one) => one.accuracy_low))) / 10;
  const high = Math.ceil(10 * Math.max(...points.map((one) => one.accuracy_high))) / 10;
  const first = points[0].n, span = last.n - first;
  const x = (one) => (span ? 48 + (230 * (one.n - first)) / span : 160);
  const y = (share) => 128 - (120 * (share - low)) / (high - low);
  const join = (key, some = points) => some.map((one) => `${x(one)},${y(one[key])}`).join("L");
  const told = `After ${last.n} labels ${percent(last.accuracy)}`;
  const texts = new Set([points[0], last]);
  return make("svg", { viewBox: "0 0 300 150", role: "img", "aria-label": told },
    ...[low, (low + high) / 2, high].flatMap((share) => [
      make("path", { class: "grid", d: `M36,${y(share)}H292` }),
      make("text", { x: 30, y: y(share) + 4, "text-anchor": "end" }, percent(share)),
    ]),
    make("path", { class: "band", d: `M${join("accuracy_high")}L${join("accuracy_low", [...points].reverse())}Z` }),
    make("path", { class: "line", d: `M${join("accuracy")}` }),
    ...points.flatMap((one) => [
      make("path", { class: "line", d: `M${join("accuracy_low", [one])}L${join("accuracy_high", [one])}` }),
      make("circle", { class: "dot", cx: x(one), cy: y(one.accuracy), r: 3.5 }),
    ]),
    ...[...texts].map((one) => make("text", { x: x(one), y: 146, "text-anchor": "middle" }, String(one.n))));
}

poll();

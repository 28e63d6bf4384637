// The page's table and map. The user's text enters the page through textContent only.
"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const holder = $("data");
  if (!holder) return;
  const data = JSON.parse(holder.textContent);
  const size = data.row.length;
  const PAGE = 25;
  const NOTHING = "—";

  const make = (tag, text, css) => {
    const node = document.createElement(tag);
    if (text !== undefined) node.textContent = text;
    if (css) node.className = css;
    return node;
  };
  const share = (value) => (value === null ? NOTHING : (value / 10000).toFixed(3));
  const count = (value) => value.toLocaleString("en-US");
  const color = (code) => "c" + Math.min(code, 7);
  const label = (code) => (code < 0 ? "" : data.labels[code]);

  // Values of rows: which of them the page holds, and as text.
  const places = new Map();
  if (data.values && data.values.of) data.values.of.forEach((row, place) => places.set(row, place));
  const place = (i) => (!data.values ? undefined : data.values.of ? places.get(i) : i);
  const cell = (column, at) => {
    if (column.values) return column.values[at] === null ? "" : String(column.values[at]);
    return column.codes[at] < 0 ? "" : column.levels[column.codes[at]];
  };
  const valuesOf = (i) => {
    const at = place(i);
    return at === undefined ? null : data.values.columns.map((column) => cell(column, at));
  };

  const named = (code) => {
    const node = make("span", undefined, "named");
    node.append(make("i", undefined, "swatch " + color(code)), make("bdi", label(code)));
    return node;
  };
  const list = (pairs) => {
    const dl = make("dl");
    for (const [key, value] of pairs) {
      const pair = make("div");
      const dt = make("dt");
      dt.append(make("bdi", key));
      const dd = make("dd");
      dd.append(make("bdi", value === "" ? NOTHING : value, value === "" ? "nothing" : ""));
      pair.append(dt, dd);
      dl.append(pair);
    }
    return dl;
  };
  const about = (i) => {
    const pairs = [["confidence", share(data.confidence[i])], ["the classifier’s own", share(data.rawConfidence[i])]];
    if (data.density) pairs.push(["density", share(data.density[i])]);
    if (data.rawLabel[i] !== data.label[i]) pairs.push(["classifier alone", label(data.rawLabel[i])]);
    pairs.push(["used in training", data.used[i] === "1" ? "since round " + data.round[i] : "no"]);
    return pairs;
  };
  const describe = (i, most) => {
    const box = document.createDocumentFragment();
    box.append(list(about(i)));
    const values = valuesOf(i);
    if (values) {
      const shown = values.slice(0, most).map((value, j) => [data.values.names[j], value]);
      const dl = list(shown);
      dl.className = "values";
      box.append(dl);
      const more = values.length - shown.length + data.values.more;
      if (more > 0) box.append(make("p", "and " + count(more) + " more columns", "more"));
    } else if (data.values) {
      box.append(make("p", "The values of this row are left out to keep the page small.", "more"));
    }
    return box;
  };

  // The table: a list of positions, filtered and sorted, one page of it shown.
  const COLUMNS = {
    row: (i) => data.row[i],
    label: (i) => label(data.label[i]),
    rawLabel: (i) => label(data.rawLabel[i]),
    confidence: (i) => data.confidence[i],
    rawConfidence: (i) => data.rawConfidence[i],
    density: (i) => (data.density ? data.density[i] : null),
    used: (i) => Number(data.used[i]),
    round: (i) => data.round[i],
  };
  const state = { sort: "row", up: true, page: 0, open: new Set() };
  let shown = [];
  const texts = new Array(size);
  const textOf = (i) => {
    if (texts[i] === undefined) {
      const values = valuesOf(i);
      texts[i] = [data.row[i], label(data.label[i]), label(data.rawLabel[i]), ...(values || [])].join("\n").toLowerCase();
    }
    return texts[i];
  };
  const compare = (a, b) => {
    const x = COLUMNS[state.sort](a);
    const y = COLUMNS[state.sort](b);
    if (x === y) return a - b;
    if (x === null) return 1;
    if (y === null) return -1;
    const order = typeof x === "string" ? x.localeCompare(y) : x - y;
    return (state.up ? order : -order) || a - b;
  };

  const controls = { text: $("f-text"), label: $("f-label"), used: $("f-used"), least: $("f-least"), changed: $("f-changed") };
  const choose = () => {
    const words = controls.text.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = controls.label.value;
    const used = controls.used.value;
    const least = Number(controls.least.value) * 10000;
    const changed = controls.changed.checked;
    $("f-least-shown").textContent = Number(controls.least.value).toFixed(2);
    shown = [];
    for (let i = 0; i < size; i++) {
      if (wanted !== "" && data.label[i] !== Number(wanted)) continue;
      if (used !== "" && data.used[i] !== used) continue;
      if (least > 0 && !(data.confidence[i] >= least)) continue;
      if (changed && data.label[i] === data.rawLabel[i]) continue;
      if (words.length && !words.every((word) => textOf(i).includes(word))) continue;
      shown.push(i);
    }
    shown.sort(compare);
    state.page = 0;
    show();
    dim();
  };
  const line = (i) => {
    const tr = make("tr");
    tr.dataset.i = i;
    const head = make("th");
    head.scope = "row";
    const button = make("button", String(data.row[i]), "open");
    button.type = "button";
    button.setAttribute("aria-expanded", String(state.open.has(i)));
    button.title = "Show the values of this row";
    head.append(button);
    tr.append(head);
    const given = make("td");
    given.append(named(data.label[i]));
    tr.append(given);
    const raw = make("td", undefined, "minor" + (data.rawLabel[i] === data.label[i] ? " same" : ""));
    raw.append(make("bdi", label(data.rawLabel[i])));
    tr.append(raw);
    tr.append(make("td", share(data.confidence[i]), "number"));
    tr.append(make("td", share(data.rawConfidence[i]), "number minor"));
    if (data.density) tr.append(make("td", share(data.density[i]), "number minor"));
    tr.append(make("td", data.used[i] === "1" ? "yes" : "no"));
    tr.append(make("td", data.used[i] === "1" ? String(data.round[i]) : NOTHING, "number minor"));
    return tr;
  };
  const show = () => {
    const body = $("rows");
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    const from = state.page * PAGE;
    const part = shown.slice(from, from + PAGE);
    const lines = [];
    for (const i of part) {
      lines.push(line(i));
      if (state.open.has(i)) {
        const tr = make("tr", undefined, "detail");
        const td = make("td");
        td.colSpan = data.density ? 8 : 7;
        td.append(describe(i, 1000));
        tr.append(td);
        lines.push(tr);
      }
    }
    if (!part.length) {
      const tr = make("tr", undefined, "none");
      const td = make("td", "No row matches these filters.");
      td.colSpan = data.density ? 8 : 7;
      tr.append(td);
      lines.push(tr);
    }
    body.replaceChildren(...lines);
    const range = part.length ? count(from + 1) + "–" + count(from + part.length) + " of " : "";
    $("found").textContent = range + count(shown.length) + (shown.length === 1 ? " row" : " rows");
    $("page-number").textContent = "page " + count(state.page + 1) + " of " + count(pages);
    for (const [id, off] of [["first", state.page === 0], ["before", state.page === 0], ["after", state.page === pages - 1], ["last", state.page === pages - 1]]) {
      $("page-" + id).disabled = off;
    }
    for (const th of document.querySelectorAll("#pseudo-labels-table thead th")) {
      th.setAttribute("aria-sort", th.dataset.key !== state.sort ? "none" : state.up ? "ascending" : "descending");
    }
  };
  const turn = (page) => {
    state.page = page;
    show();
  };

  // The map: the nearest dot is the one pointed at, because dots are small.
  const maps = [...document.querySelectorAll("#map svg")];
  const card = $("card");
  const dim = () => {
    const passing = shown.length === size ? null : new Set(shown);
    for (const dot of document.querySelectorAll("#map circle[data-i]")) {
      dot.classList.toggle("off", passing !== null && !passing.has(Number(dot.dataset.i)));
    }
  };
  const hide = () => {
    card.hidden = true;
    for (const svg of maps) svg.querySelector(".halo").classList.remove("on");
  };
  const point = (svg, dot) => {
    const i = Number(dot.dataset.i);
    const title = make("p", undefined, "card-title");
    title.append(make("span", "Row " + data.row[i]), named(data.label[i]));
    card.replaceChildren(title, describe(i, 12));
    card.dataset.i = i;
    const halo = svg.querySelector(".halo");
    halo.setAttribute("cx", dot.getAttribute("cx"));
    halo.setAttribute("cy", dot.getAttribute("cy"));
    halo.classList.add("on");
    card.hidden = false;
    // Beside the dot, on the side with more room, always inside the picture.
    const box = $("map").getBoundingClientRect();
    const at = dot.getBoundingClientRect();
    const x = at.left + at.width / 2 - box.left;
    const y = at.top + at.height / 2 - box.top;
    const left = x > box.width / 2 ? x - card.offsetWidth - 16 : x + 16;
    card.style.left = Math.max(0, Math.min(left, box.width - card.offsetWidth)) + "px";
    card.style.top = Math.max(0, Math.min(y - card.offsetHeight / 2, box.height - card.offsetHeight)) + "px";
  };
  for (const svg of maps) {
    const dots = [...svg.querySelectorAll("circle[data-i]")];
    const where = dots.map((dot) => [Number(dot.getAttribute("cx")), Number(dot.getAttribute("cy"))]);
    const nearest = (event) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale;
      const y = (event.clientY - box.top) * scale;
      let best = -1;
      let distance = 20 * 20;
      for (let k = 0; k < dots.length; k++) {
        const d = (where[k][0] - x) ** 2 + (where[k][1] - y) ** 2;
        if (d < distance && !dots[k].classList.contains("off")) {
          distance = d;
          best = k;
        }
      }
      return best;
    };
    const follow = (event) => {
      const k = nearest(event);
      if (k < 0) hide();
      else point(svg, dots[k]);
    };
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
    // Keys walk through the dots from left to right.
    const walk = dots.map((_, k) => k).sort((a, b) => where[a][0] - where[b][0]);
    let step = -1;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return hide();
      const move = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 10, ArrowDown: -10 }[event.key];
      if (!move || !walk.length) return;
      event.preventDefault();
      for (let tries = 0; tries < walk.length; tries++) {
        step = (step + (tries ? Math.sign(move) : move) + walk.length) % walk.length;
        if (!dots[walk[step]].classList.contains("off")) break;
      }
      point(svg, dots[walk[step]]);
    });
    svg.addEventListener("blur", hide);
  }

  // Controls.
  const start = () => {
    data.labels.forEach((text, code) => {
      const option = make("option", text.length > 60 ? text.slice(0, 57) + "…" : text);
      option.value = String(code);
      controls.label.append(option);
    });
    for (const control of Object.values(controls)) control.addEventListener("input", choose);
    $("f-clear").addEventListener("click", () => {
      controls.text.value = controls.label.value = controls.used.value = "";
      controls.least.value = "0";
      controls.changed.checked = false;
      choose();
    });
    for (const button of document.querySelectorAll("#pseudo-labels-table thead button")) {
      button.addEventListener("click", () => {
        const key = button.parentElement.dataset.key;
        state.up = state.sort === key ? !state.up : key === "row" || key === "label" || key === "rawLabel";
        state.sort = key;
        shown.sort(compare);
        turn(0);
      });
    }
    $("rows").addEventListener("click", (event) => {
      const button = event.target.closest("button.open");
      if (!button) return;
      const i = Number(button.closest("tr").dataset.i);
      if (!state.open.delete(i)) state.open.add(i);
      show();
      const again = document.querySelector('#rows tr[data-i="' + i + '"] button.open');
      if (again) again.focus();
    });
    $("page-first").addEventListener("click", () => turn(0));
    $("page-before").addEventListener("click", () => turn(state.page - 1));
    $("page-after").addEventListener("click", () => turn(state.page + 1));
    $("page-last").addEventListener("click", () => turn(Math.ceil(shown.length / PAGE) - 1));
    for (const node of document.querySelectorAll(".js-only")) node.hidden = false;
    choose();
  };
  if ($("pseudo-labels-table")) start();
})();

// Copying the list of rows to label.
(() => {
  const button = document.getElementById("copy-csv");
  if (!button) return;
  const source = document.getElementById("csv");
  const said = document.getElementById("copied");
  const byHand = () => {
    document.getElementById("csv-box").open = true;
    const range = document.createRange();
    range.selectNodeContents(source);
    const selection = window.getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand("copy");
  };
  const say = (done) => {
    said.textContent = done ? "Copied." : "Could not copy: the text below is selected, press Ctrl+C.";
  };
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      say(true);
    } catch {
      say(byHand());
    }
  });
})();

// The slider of the threshold: the counts of held-out rows at each step.
(() => {
  const slider = document.getElementById("threshold-at");
  if (!slider) return;
  const { steps, counts, pool } = JSON.parse(document.getElementById("data").textContent).thresholds;
  const write = (id, text) => {
    document.getElementById(id).textContent = text;
  };
  const count = (value) => value.toLocaleString("en-US");
  const show = () => {
    const at = Number(slider.value);
    const [found, wrong, missed, left] = counts[at];
    const picked = found + wrong;
    write("threshold-shown", steps[at].toFixed(2));
    write("t-found", count(found) + " of " + count(found + missed));
    write("t-missed", count(missed));
    write("t-false", count(wrong) + " of " + count(wrong + left));
    write("t-precision", picked ? Math.round((100 * found) / picked) + "%" : "—");
    if (pool) write("t-pool", count(pool[at]) + " of " + count(pool[0]));
    slider.setAttribute("aria-valuetext", steps[at].toFixed(2));
  };
  document.getElementById("t-pool-box").hidden = !pool;
  document.querySelector(".few-thresholds").open = false;
  slider.closest(".js-only").hidden = false;
  slider.addEventListener("input", show);
  show();
})();

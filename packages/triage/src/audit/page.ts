// The page of the audit: plain HTML, CSS and a script without dependencies, served as they stand. Evidence only ever
// enters the page as text nodes.

export const pageHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Audit</title>
<link rel="stylesheet" href="page.css">
</head>
<body>
<header>
  <div>
    <h1 id="title"></h1>
    <p id="instructions"></p>
  </div>
  <div id="progress" role="status"></div>
</header>
<main id="item" hidden>
  <h2 id="item-title"></h2>
  <p>To review: <strong id="claim"></strong></p>
  <div id="texts"></div>
  <div id="code" tabindex="0" aria-label="Code before and after"><table id="diff"><colgroup><col class="number"><col><col class="number"><col></colgroup><thead><tr><th colspan="2" scope="col" id="before-title"></th><th colspan="2" scope="col" id="after-title"></th></tr></thead><tbody></tbody></table></div>
</main>
<p id="done" hidden></p>
<footer>
  <div id="others"></div>
  <p id="question" role="alert"></p>
  <div id="answers"></div>
  <label for="note">Note <kbd>m</kbd></label>
  <textarea id="note" rows="2" maxlength="10000"></textarea>
  <div id="tools">
    <button type="button" id="undo">Undo <kbd>u</kbd></button>
    <button type="button" id="back">Back <kbd>k</kbd></button>
    <button type="button" id="next">Forward <kbd>j</kbd></button>
    <span id="saved" role="status"></span>
  </div>
</footer>
<script src="page.js"></script>
</body>
</html>
`;

export const pageCss = `
:root { color-scheme: light dark; --line: #8886; --removed: #e5534b33; --added: #46954a33; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 0; display: grid; grid-template-rows: auto 1fr auto; height: 100vh; height: 100dvh; }
header, footer { padding: .5rem 1rem; background: Canvas; }
header { display: flex; justify-content: space-between; gap: 2rem; border-bottom: 1px solid var(--line); }
h1 { font-size: 1.1rem; margin: 0; } h2 { font-size: 1rem; margin: .3rem 0; overflow-wrap: anywhere; } p { margin: .2rem 0; }
#progress { white-space: nowrap; }
main, #done { overflow: auto; padding: .5rem 1rem; }
[hidden] { display: none !important; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: 4px; max-height: 16rem; overflow: auto; }
details { margin: .3rem 0; }
#code { overflow: auto; border: 1px solid var(--line); border-radius: 4px; margin-top: .5rem; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; font: 13px/1.4 ui-monospace, monospace; }
thead th { position: sticky; top: 0; background: Canvas; text-align: left; padding: .2rem .5rem; }
td { white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top; padding: 0 .5rem; tab-size: 4; }
col.number { width: 4.2rem; }
td.number { text-align: right; white-space: nowrap; opacity: .6; user-select: none; }
td.removed { background: var(--removed); } td.added { background: var(--added); }
td.empty { background: repeating-linear-gradient(45deg, transparent 0 4px, var(--line) 4px 5px); opacity: .4; }
td.gap { padding: .4rem .5rem; border-block: 1px dashed var(--line); font-family: system-ui, sans-serif; }
td.gap span { margin-right: .8rem; } button.more { padding: 0 .5rem; }
footer { border-top: 1px solid var(--line); display: grid; gap: .3rem; }
button { font: inherit; padding: .3rem .8rem; margin-right: .4rem; }
button[aria-pressed=true] { outline: 3px solid Highlight; }
kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 .3rem; font-size: .85em; }
textarea { font: inherit; width: 100%; box-sizing: border-box; }
.failed { color: #c00; font-weight: bold; }
@media (max-width: 40rem) {
  header { display: block; } header, footer, main { padding: .3rem .6rem; }
  #instructions { font-size: .85em; } #note { height: 2.2em; } table { font-size: 12px; } col.number { width: 3.4rem; }
}
`;

export const pageScript = `'use strict';
const at = (id) => document.getElementById(id);
let state; let position = 0; let shown; let busy = Promise.resolve();

const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

// Characters that show nothing or turn the order of others around are spelled out: code must not read as what it is not.
const plain = (text) => text.replace(
  /[\\u0000-\\u0008\\u000b\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]/g,
  (one) => '\\u27e8U+' + one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '\\u27e9');

async function call(path, body) {
  const response = await fetch(path, body === undefined ? {} : {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  const result = await response.json();
  if (!response.ok) throw new Error(result.message);
  return result;
}

// One act after the other, each confirmed by the server before the page shows it.
function act(task) {
  busy = busy.then(async () => {
    at('saved').className = '';
    try { await task(); } catch (error) {
      at('saved').className = 'failed';
      at('saved').textContent = 'Not saved: ' + error.message;
    }
  });
  return busy;
}

const current = () => state.items[position];

async function save(path, body) {
  state = await call(path, body);
  at('saved').textContent = 'Saved';
}

async function saveNote() {
  const item = shown;
  const text = at('note').value;
  if (item && text !== (item.note ?? '')) {
    await save('note', { item: item.id, text });
    item.note = text;
  }
}

function firstOpen(from) {
  for (let step = 0; step < state.items.length; step++) {
    const index = (from + step) % state.items.length;
    if (state.items[index].open.length > 0) return index;
  }
  return -1;
}

async function go(index) {
  await saveNote();
  if (index >= 0 && index < state.items.length) position = index;
  await show();
}

async function show() {
  const entry = current();
  const finished = state.items.filter((item) => item.open.length === 0).length;
  at('title').textContent = state.title;
  at('instructions').textContent = state.instructions;
  at('progress').textContent = state.who + ': ' + finished + ' of ' + state.items.length + ' done' +
    (state.waiting ? ', ' + state.waiting + ' wait for a reviewer' : '');
  at('item').hidden = !entry;
  at('done').hidden = finished < state.items.length && Boolean(entry);
  at('done').textContent = entry ? 'Everything is answered. You can still go back and change an answer.' : 'There is nothing to decide' + (state.waiting ? ' yet.' : '.');
  if (!entry) { at('answers').replaceChildren(); at('question').textContent = ''; shown = undefined; }
  else {
    if (shown?.id !== entry.id) await draw(entry);
    ask(entry);
  }
  document.title = finished + '/' + state.items.length + ' ' + state.who;
}

async function draw(entry) {
  const item = await call('item?id=' + encodeURIComponent(entry.id));
  shown = item;
  at('item-title').textContent = (position + 1) + '. ' + plain(item.title);
  at('claim').textContent = item.claim;
  at('texts').replaceChildren(...item.texts.map(({ title, text }) => element('details', { open: true },
    element('summary', { textContent: plain(title) }), element('pre', { textContent: plain(text) }))));
  at('before-title').textContent = item.before.title;
  at('after-title').textContent = item.after.title;
  at('diff').tBodies[0].replaceChildren(...drawRows(item.rows));
  at('note').value = item.note ?? '';
  at('item').scrollTop = 0;
  at('code').scrollTop = 0;
}

// A function of thousands of lines is drawn in parts: what changed and the lines about it, the rest when it is asked for.
const whole = 2000; const about = 100; const step = 1000; const longLine = 4000;

function drawRows(rows) {
  if (rows.length <= whole) return rows.map(drawRow);
  const drawn = new Uint8Array(rows.length).fill(1, 0, about);
  rows.forEach((row, i) => { if (row.changed) drawn.fill(1, Math.max(0, i - about), i + about + 1); });
  const parts = [];
  for (let start = 0, room = whole; start < rows.length;) {
    let end = start + 1;
    while (end < rows.length && drawn[end] === drawn[start]) end++;
    const stop = drawn[start] ? Math.min(end, start + room) : start;
    parts.push(...rows.slice(start, stop).map(drawRow));
    room -= stop - start;
    if (room === 0) end = rows.length;
    if (stop < end) parts.push(drawGap(rows, stop, end));
    start = end;
  }
  return parts;
}

function drawGap(rows, start, end) {
  const gap = element('tr');
  const show = (stop) => gap.replaceWith(...rows.slice(start, stop).map(drawRow), ...(stop < end ? [drawGap(rows, stop, end)] : []));
  const button = (text, stop) => element('button', { type: 'button', className: 'more', textContent: text, onclick: () => show(stop) });
  const changed = rows.slice(start, end).filter((row) => row.changed).length;
  gap.append(element('td', { className: 'gap', colSpan: 4 },
    element('span', { textContent: (end - start) + ' lines not shown' + (changed ? ', ' + changed + ' of them changed' : '') }),
    ...(end - start > step ? [button('Show the next ' + step, start + step)] : []), button('Show all', end)));
  return gap;
}

function drawRow(row) {
  const side = (cell, kind) => cell
    ? [element('td', { className: 'number', textContent: cell.line }), element('td', { className: row.changed ? kind : '' }, ...drawLine(plain(cell.text)))]
    : [element('td', { className: 'number empty' }), element('td', { className: 'empty' })];
  return element('tr', {}, ...side(row.before, 'removed'), ...side(row.after, 'added'));
}

function drawLine(text) {
  if (text.length <= longLine) return [text];
  const rest = element('button', { type: 'button', className: 'more',
    textContent: (text.length - longLine) + ' characters not shown: show all', onclick: () => rest.replaceWith(text.slice(longLine)) });
  return [text.slice(0, longLine), rest];
}

function asked(entry) {
  return entry.questions.find(({ id }) => entry.open.includes(id)) ?? entry.questions[entry.questions.length - 1];
}

function ask(entry) {
  const question = asked(entry);
  at('question').textContent = question.text;
  at('question').dataset.id = question.id;
  at('others').replaceChildren(...(entry.others ?? []).map((other) => element('p', {
    textContent: other.who + ': ' + other.answers + (other.note ? ' (' + other.note + ')' : '') })));
  at('answers').replaceChildren(...question.answers.map(({ value, label, key }) => {
    const button = element('button', { type: 'button', onclick: () => answer(value) }, label + ' ', element('kbd', { textContent: key }));
    button.dataset.value = value;
    button.setAttribute('aria-pressed', String(entry.answers[question.id] === value));
    return button;
  }));
}

function answer(value) {
  const seen = { item: shown?.id, question: at('question').dataset.id };
  return act(async () => {
    const entry = current();
    // a key pressed twice must not answer what nobody has seen yet
    if (!entry || entry.id !== seen.item || asked(entry).id !== seen.question) return;
    await saveNote();
    await save('answer', { item: entry.id, question: asked(entry).id, value });
    if (current()?.id === entry.id && current().open.length > 0) return show();
    const next = firstOpen(position);
    if (next >= 0) position = next;
    await show();
  });
}

function undo() {
  return act(async () => {
    const result = await call('undo', {});
    state = result.state;
    at('saved').textContent = result.item ? 'Taken back' : 'There is nothing to take back';
    const index = state.items.findIndex(({ id }) => id === result.item);
    if (index >= 0) position = index;
    shown = undefined;
    await show();
  });
}

at('undo').onclick = undo;
at('back').onclick = () => act(() => go(position - 1));
at('next').onclick = () => act(() => go(position + 1));
at('note').onblur = () => act(saveNote);
addEventListener('pagehide', () => {
  const text = at('note').value;
  if (shown && text !== (shown.note ?? '')) {
    fetch('note', { method: 'POST', keepalive: true, body: JSON.stringify({ item: shown.id, text }) });
  }
});
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target === at('note')) {
    if (event.key === 'Escape') at('note').blur();
    return;
  }
  const key = event.key.toLowerCase();
  const tool = { u: at('undo'), j: at('next'), k: at('back') }[key];
  if (tool) { event.preventDefault(); tool.click(); return; }
  if (key === 'm') { event.preventDefault(); at('note').focus(); return; }
  const entry = state && current();
  const choice = entry && asked(entry).answers.find((one) => one.key === key);
  if (choice) { event.preventDefault(); answer(choice.value); }
});

act(async () => {
  state = await call('state');
  position = Math.max(0, firstOpen(0));
  await show();
});
`;

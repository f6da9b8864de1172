// What a page can do: search, light and dark, copying code. Everything can be read without it.
"use strict";

const root = document.currentScript.dataset.root;

// ---- light and dark: the system's choice, until the reader chooses ----

document.querySelector(".theme-button").addEventListener("click", () => {
    const chosen = document.documentElement.dataset.theme;
    const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    localStorage.setItem("theme", document.documentElement.dataset.theme);
});

// ---- the list of pages is folded where it would push the page away ----

const pages = document.querySelector(".pages");
if (pages) {
    const narrow = matchMedia("(max-width: 52rem)");
    const fold = () => { pages.open = !narrow.matches; };
    narrow.addEventListener("change", fold);
    fold();
    const current = pages.querySelector("[aria-current]");
    if (current && !narrow.matches) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
}
const here = document.querySelector(".sections [aria-current]");
if (here) here.parentNode.scrollLeft = here.offsetLeft - here.parentNode.offsetLeft - 60;

// ---- which heading is being read ----

const contents = new Map([...document.querySelectorAll(".contents a")].map(a => [a.hash.slice(1), a]));
if (contents.size > 0) {
    const list = document.querySelector(".contents");
    const watch = new IntersectionObserver(entries => {
        const top = entries.filter(entry => entry.isIntersecting)[0];
        if (!top) return;
        for (const link of contents.values()) link.classList.remove("here");
        const link = contents.get(top.target.id);
        link.classList.add("here");
        if (link.offsetTop < list.scrollTop || link.offsetTop > list.scrollTop + list.clientHeight - 40) {
            list.scrollTop = link.offsetTop - list.clientHeight / 2;
        }
    }, {rootMargin: "-60px 0px -70% 0px"});
    for (const id of contents.keys()) watch.observe(document.getElementById(decodeURIComponent(id)));
}

// ---- copying code ----

if (navigator.clipboard) {
    for (const code of document.querySelectorAll("pre:not(.source) > code")) {
        const button = document.createElement("button");
        button.className = "copy";
        button.type = "button";
        button.textContent = "Copy";
        button.addEventListener("click", async () => {
            await navigator.clipboard.writeText(code.textContent);
            button.textContent = "Copied";
            setTimeout(() => { button.textContent = "Copy"; }, 1500);
        });
        code.parentNode.append(button);
    }
}

// ---- search: the index is a script, which is loaded when somebody searches ----

const MOST = 40; // results shown
let dialog, input, results, note;

function loadIndex() {
    if (window.searchIndex) return Promise.resolve();
    return new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = root + "search-index.js";
        script.onload = done;
        script.onerror = failed;
        document.head.append(script);
    });
}

function makeDialog() {
    dialog = document.createElement("dialog");
    dialog.className = "search";
    dialog.setAttribute("aria-label", "Search");
    dialog.innerHTML = `<input type="search" placeholder="Search names, pages, text" aria-label="Search" autocomplete="off"
        spellcheck="false" role="combobox" aria-expanded="true" aria-controls="found"><ol id="found" role="listbox"></ol>
        <p role="status"></p>`;
    document.body.append(dialog);
    [input, results, note] = ["input", "ol", "p"].map(name => dialog.querySelector(name));
    input.addEventListener("input", showResults);
    dialog.addEventListener("keydown", moveThroughResults);
    dialog.addEventListener("click", event => {
        if (event.target === dialog || event.target.closest("a")) dialog.close();
    });
}

async function openSearch() {
    if (!dialog) makeDialog();
    dialog.showModal();
    input.select();
    try {
        await loadIndex();
        showResults();
    } catch {
        note.textContent = "The index could not be loaded.";
    }
}

// A name counts most ("find pairs" is bp_find_pairs), then the beginning of a heading, then a heading, then text. All words
// must occur.
function scoreOf([title, page, address, text], words) {
    const whole = title.toLowerCase(), body = text.toLowerCase(), name = words.join("_");
    const lower = whole.replace(/^bp_\w+\./, ""); // of a field, its own name
    let score = whole === name || whole === "bp_" + name ? 150 : lower.includes(name) ? 30 : 0;
    for (const word of words) {
        const at = lower.indexOf(word);
        if (lower === word) score += 100;
        else if (lower.split(/[\s,.]+/).includes(word)) score += 60;
        else if (at === 0) score += 40;
        else if (at > 0) score += 20;
        else if (whole.includes(word)) score += 2;
        else if (body.includes(word)) score += Math.min(8, body.split(word).length);
        else return 0;
    }
    if (page === "source") score /= 4;
    return address.startsWith("reference/") ? score * 1.2 : score;
}

function marked(text, words) {
    const escaped = words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pieces = text.split(new RegExp(`(${escaped.join("|")})`, "i"));
    return pieces.map((piece, i) => {
        const node = document.createElement(i % 2 ? "mark" : "i");
        node.textContent = piece;
        return i % 2 ? node : document.createTextNode(piece);
    });
}

function excerpt(text, words) {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
    return (at > 0 ? "… " : "") + text.slice(at, at + 170) + (text.length > at + 170 ? " …" : "");
}

function resultOf([title, page, address, text], words) {
    const entry = document.createElement("li"), link = document.createElement("a");
    link.href = root + address;
    link.role = "option";
    const name = document.createElement("strong"), where = document.createElement("small"), body = document.createElement("span");
    name.append(...marked(title, words));
    where.textContent = page === title ? "" : page;
    body.append(...marked(excerpt(text, words), words));
    link.append(name, where, body);
    entry.append(link);
    return entry;
}

function showResults() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    results.replaceChildren();
    note.textContent = "↑ ↓ to choose, Enter to go there, Esc to close";
    if (words.length === 0 || !window.searchIndex) return;
    const found = [];
    for (const entry of window.searchIndex) {
        const score = scoreOf(entry, words);
        if (score > 0) found.push([score, entry]);
    }
    found.sort((a, b) => b[0] - a[0]);
    results.append(...found.slice(0, MOST).map(([, entry]) => resultOf(entry, words)));
    if (found.length === 0) note.textContent = "Nothing found.";
    choose(0);
}

function choose(index) {
    const links = [...results.querySelectorAll("a")];
    links.forEach((link, i) => link.setAttribute("aria-selected", String(i === index)));
    if (links[index]) links[index].scrollIntoView({block: "nearest"});
}

function moveThroughResults(event) {
    const links = [...results.querySelectorAll("a")];
    const at = links.findIndex(link => link.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") choose(Math.min(at + 1, links.length - 1));
    else if (event.key === "ArrowUp") choose(Math.max(at - 1, 0));
    else if (event.key === "Enter" && links[at]) links[at].click();
    else if (event.key === "Escape") dialog.close(); // by itself it would only empty the field
    else return;
    event.preventDefault();
}

document.querySelector(".search-button").addEventListener("click", openSearch);
document.addEventListener("keydown", event => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const asked = (event.key === "/" && !typing) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!asked || event.altKey || (dialog && dialog.open)) return;
    event.preventDefault();
    openSearch();
});

// Finding a session: a box above the list that hides what does not match, and a palette over everything (Ctrl K).
// @ts-check
import { base, icon, make } from "./dom.js";

/** @param {string} text lower case, without accents, so that `grosse` finds `Größe` */
export const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").replace(/ß/g, "ss").toLowerCase();

/** @param {string} query @returns {(text: string) => boolean} every word occurs */
function matcher(query) {
    const words = plain(query).split(/\s+/).filter(Boolean);
    return (text) => { const searched = plain(text); return words.every((word) => searched.includes(word)); };
}

/** @type {HTMLInputElement | null} */
let box = null;

/** @returns {boolean} whether there was a box to focus */
export function focusFilter() {
    if (!box || box.getClientRects().length === 0) return false;
    box.focus();
    box.select();
    return true;
}

/** Hides rows, then groups without a row. Runs again after each live change of the list. */
export function applyFilter() {
    const list = box?.closest(".sidebar, .main");
    if (!box || !list) return;
    if (box.value === "" && !list.querySelector(".is-filtered-out")) return;
    const matches = matcher(box.value), isEmpty = box.value.trim() === "";
    let shown = 0;
    for (const row of list.querySelectorAll(".session")) {
        const project = row.closest(".project"), desktop = row.closest(".desktop");
        const text = [row.textContent, project?.getAttribute("data-project"), desktop?.querySelector(".desktop-name")?.textContent].join(" ");
        const isShown = isEmpty || matches(text);
        row.classList.toggle("is-filtered-out", !isShown);
        shown += isShown ? 1 : 0;
    }
    for (const group of list.querySelectorAll(".project, .desktop")) {
        group.classList.toggle("is-filtered-out", !isEmpty && !group.querySelector(".session:not(.is-filtered-out)"));
    }
    const none = list.querySelector(".filter-empty");
    if (none instanceof HTMLElement) none.hidden = isEmpty || shown > 0;
}

export function startFilter() {
    const first = document.querySelector(".sidebar .desktop, [data-page=home] .main .session, [data-page=desktop] .main .session");
    const list = first?.closest(".sidebar, .main");
    if (!list) return;
    const input = make("input", { type: "search", id: "session-filter", placeholder: "Filter sessions", autocomplete: "off", spellcheck: "false" });
    if (!(input instanceof HTMLInputElement)) return;
    box = input;
    const form = make("form", { class: "filter", role: "search", "data-ui": true },
        make("label", { class: "visually-hidden", for: "session-filter" }, "Filter sessions"), icon("search"), input, make("kbd", { "aria-hidden": "true" }, "/"));
    const none = make("p", { class: "filter-empty", role: "status", "data-ui": true, hidden: true }, "No session matches.");
    const place = list.querySelector(":scope > .desktop, :scope > .desktops") ?? list.firstElementChild;
    list.insertBefore(form, place);
    form.after(none);
    const current = list.querySelector(".session[aria-current]");
    if (current instanceof HTMLElement && list.matches(".sidebar")) list.scrollTop = current.offsetTop - list.clientHeight / 2;
    const links = () => [...list.querySelectorAll(".session:not(.is-filtered-out) .session-link")];
    input.addEventListener("input", applyFilter);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        const link = links()[0];
        if (link instanceof HTMLElement && input.value.trim()) link.click();
    });
    list.addEventListener("keydown", (event) => {
        if (!(event instanceof KeyboardEvent) || event.isComposing) return;
        if (event.key === "Escape" && event.target === input) { input.value = ""; applyFilter(); input.blur(); return; }
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        const all = [input, ...links()], index = all.indexOf(/** @type {any} */ (document.activeElement));
        const next = all[index + (event.key === "ArrowDown" ? 1 : -1)];
        if (index < 0 || !(next instanceof HTMLElement)) return;
        event.preventDefault();
        next.focus();
    });
}

// MARK: Palette

/** @typedef {{title: string, note: string, url: string}} Place */

/** @returns {Promise<Place[]>} the pages of the bar, then the sessions of all desktops */
async function places() {
    const pages = [...document.querySelectorAll(".bar-nav a")].map((link) => ({ title: link.textContent ?? "", note: "page", url: link.getAttribute("href") ?? "" }));
    try {
        const [sessions, desktops] = await Promise.all(["sessions", "desktops"].map(async (name) => {
            const answer = await fetch(`${base}/api/v1/${name}`, { headers: { accept: "application/json" } });
            return answer.ok ? (await answer.json())[name] ?? [] : [];
        }));
        const names = new Map(desktops.map((/** @type {any} */ desktop) => [desktop.id, desktop.name]));
        return [...sessions.map((/** @type {any} */ session) => ({
            title: session.title, note: [names.get(session.desktop), session.project?.split("/").pop()].filter(Boolean).join(" · "), url: session.url ?? `${base}/s/${session.id}`,
        })), ...pages];
    } catch {
        return pages;
    }
}

const SHOWN_AT_MOST = 60;

export async function openPalette() {
    if (document.querySelector("dialog.palette[open]") || !document.querySelector(".bar-nav")) return;
    const input = make("input", { type: "text", role: "combobox", "aria-label": "Jump to", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", placeholder: "Jump to a session or page", autocomplete: "off", spellcheck: "false" });
    const list = make("ul", { class: "palette-list", id: "palette-list", role: "listbox", "aria-label": "Sessions and pages" });
    const dialog = make("dialog", { class: "dialog palette", "aria-label": "Jump to" }, input, list);
    if (!(input instanceof HTMLInputElement) || !(dialog instanceof HTMLDialogElement)) return;
    document.body.append(dialog);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.showModal();
    let all = await places(), chosen = 0;

    /** @param {number} index */
    const choose = (index) => {
        const options = [...list.children];
        chosen = Math.max(0, Math.min(options.length - 1, index));
        options.forEach((option, place) => option.setAttribute("aria-selected", String(place === chosen)));
        options[chosen]?.scrollIntoView({ block: "nearest" });
        input.setAttribute("aria-activedescendant", options[chosen]?.id ?? "");
    };
    const show = () => {
        const matches = matcher(input.value);
        list.replaceChildren(...all.filter(({ title, note }) => matches(`${title} ${note}`)).slice(0, SHOWN_AT_MOST).map(({ title, note, url }, index) =>
            make("li", { role: "option", id: `palette-${index}`, "data-url": url, onclick: () => location.assign(url) },
                make("span", { class: "palette-title" }, title), make("small", {}, note))));
        choose(0);
    };
    input.addEventListener("input", show);
    input.addEventListener("keydown", (event) => {
        if (event.isComposing || event.keyCode === 229) return;
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
        } else if (event.key === "Enter") {
            event.preventDefault();
            const option = list.children[chosen];
            if (option instanceof HTMLElement && option.dataset.url) location.assign(option.dataset.url);
        }
    });
    show();
}

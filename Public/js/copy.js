// Copying. One floating button serves every code block, command and output; messages have a button that fetches their
// source. The clipboard interface exists in secure contexts only, so there is a way for plain HTTP on a LAN.
// @ts-check
import { all, iconButton, make } from "./dom.js";
import { notify } from "./notices.js";

const COPYABLE = ".md pre, pre.command, pre.terminal, pre.json, pre.raw-text, pre.error-text, .ask pre";

/** @param {string} text @returns {Promise<boolean>} whether it is on the clipboard */
export async function copyText(text) {
    try {
        if (window.isSecureContext && navigator.clipboard) {
            await navigator.clipboard.writeText(text);
            return true;
        }
    } catch { /* refused: the old way below still may work */ }
    const field = make("textarea", { class: "visually-hidden", readonly: true, "aria-hidden": "true", tabindex: "-1" });
    if (!(field instanceof HTMLTextAreaElement)) return false;
    const focused = document.activeElement;
    field.value = text;
    document.body.append(field);
    field.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { /* stays false */ }
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    return done;
}

/** @param {Element} element what it shows, without line numbers and our own buttons */
export function shownText(element) {
    return (element.querySelector(":scope > code") ?? element).textContent ?? "";
}

/** @param {Element} button @returns {Promise<string>} */
async function textFor(button) {
    if (button instanceof HTMLElement && button.dataset.source) {
        const answer = await fetch(button.dataset.source, { headers: { accept: "text/plain" } });
        if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
        return answer.text();
    }
    const line = button.closest(".copy-line, .secret");
    return line?.querySelector("code")?.textContent ?? "";
}

/** @param {Element} button @param {Promise<string> | string} text */
async function copyFrom(button, text) {
    let done = false;
    try { done = await copyText(await text); } catch { /* said below */ }
    if (!done) return notify("The browser did not allow copying. Select the text and copy it by hand.", "warning");
    const sign = button.querySelector(".icon");
    button.setAttribute("data-done", "");
    sign?.setAttribute("data-icon", "check");
    setTimeout(() => {
        button.removeAttribute("data-done");
        sign?.setAttribute("data-icon", "copy");
    }, 1500);
}

/** Adds the copy buttons of messages. @param {ParentNode} root */
export function offerCopies(root) {
    for (const block of all(root, ".block[data-source]")) {
        const head = block.querySelector(":scope > .block-head");
        if (!(block instanceof HTMLElement) || !head || head.querySelector(":scope > [data-action=copy]")) continue;
        head.append(iconButton("copy", "Copy as Markdown", { "data-action": "copy", "data-source": block.dataset.source, "data-ui": true }));
    }
    for (const secret of root.querySelectorAll("p.secret, .copy-line")) {
        if (!secret.querySelector("[data-action=copy]")) secret.append(iconButton("copy", "Copy", { "data-action": "copy" }));
    }
}

/** The button that stands over the code block under the pointer or focus. */
function startFloat() {
    const button = iconButton("copy", "Copy", { class: "icon-button copy-float", "data-ui": true, hidden: true });
    /** @type {Element | null} */
    let over = null;
    button.addEventListener("click", () => { if (over) void copyFrom(button, shownText(over)); });

    /** @param {Event} event */
    const show = (event) => {
        if (!(event.target instanceof Element) || button.contains(event.target)) return;
        const code = event.target.closest(COPYABLE);
        if (code === over && !button.hidden) return;
        over = code;
        const host = code?.closest(".block, .main");
        if (!code || !host) { if (!button.matches(":focus")) button.hidden = true; return; }
        if (button.parentNode !== host) host.append(button);
        const box = (code.closest("figure.code") ?? code).getBoundingClientRect(), around = host.getBoundingClientRect();
        button.style.insetBlockStart = `${box.top - around.top + 4}px`;
        button.style.insetInlineEnd = `${around.right - box.right + 4}px`;
        button.hidden = box.height < 20;
    };
    document.addEventListener("pointerover", show, { passive: true });
    document.addEventListener("focusin", show);
}

export function startCopying() {
    offerCopies(document);
    startFloat();
    document.addEventListener("click", (event) => {
        const button = event.target instanceof Element ? event.target.closest("[data-action=copy]") : null;
        if (button) void copyFrom(button, textFor(button));
    });
}

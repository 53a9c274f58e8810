// Short messages at the bottom of the page, in a live region that screen readers announce.
// @ts-check
import { iconButton, make } from "./dom.js";

/** Milliseconds that a message stays; errors and questions stay until they are closed. */
const STAY = 7000;
const AT_MOST = 4;

/**
 * @param {string} text
 * @param {"info" | "good" | "warning" | "error"} [level]
 * @param {{id?: string, action?: {label: string, run: () => void}}} [options] a message with the same id is replaced
 * @returns {() => void} closes it
 */
export function notify(text, level = "info", options = {}) {
    const region = document.getElementById("notices");
    if (!region) return () => {};
    const toast = make("div", { class: "toast", "data-level": level, "data-id": options.id }, make("span", {}, text));
    const close = () => toast.remove();
    const { action } = options;
    if (action) toast.append(make("button", { type: "button", class: "button", onclick: () => { close(); action.run(); } }, action.label));
    toast.append(iconButton("close", "Close", { onclick: close }));
    const same = options.id && [...region.children].find((child) => child instanceof HTMLElement && child.dataset.id === options.id);
    if (same) same.replaceWith(toast);
    else region.append(toast);
    while (region.children.length > AT_MOST) region.firstElementChild?.remove();
    if (!action && level !== "error") setTimeout(close, STAY);
    return close;
}

/** @param {string} id */
export function withdraw(id) {
    for (const toast of document.querySelectorAll(".toast")) {
        if (toast instanceof HTMLElement && toast.dataset.id === id) toast.remove();
    }
}

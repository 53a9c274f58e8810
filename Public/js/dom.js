// Small tools that every module may use: making elements as text (never as HTML), ids without a secure context, storage
// that may be forbidden.
// @ts-check

/**
 * Makes an element. Strings become text nodes, so nothing from outside turns into markup.
 * @param {string} tag
 * @param {Record<string, string | boolean | EventListener | undefined>} [attributes] `onclick` and the like take functions
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(name.slice(2), value);
        else if (value === true) element.setAttribute(name, "");
        else if (value !== false && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

/** @param {string} name an icon of css/icons.css */
export const icon = (name) => make("span", { class: "icon", "data-icon": name, "aria-hidden": "true" });

/**
 * A button that shows an icon only.
 * @param {string} name
 * @param {string} label what it does, for screen readers and as a tooltip
 * @param {Record<string, string | boolean | EventListener | undefined>} [attributes]
 */
export const iconButton = (name, label, attributes = {}) =>
    make("button", { type: "button", class: "icon-button", "aria-label": label, title: label, ...attributes }, icon(name));

/** 128 random bits as text. `crypto.randomUUID` exists in secure contexts only, and plain HTTP on a LAN is the main use. */
export function randomID() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The elements that match below `root`, and `root` itself when it does.
 * @param {ParentNode} root @param {string} selector @returns {Element[]}
 */
export function all(root, selector) {
    const below = [...root.querySelectorAll(selector)];
    return root instanceof Element && root.matches(selector) ? [root, ...below] : below;
}

/** @param {unknown} target whether keys pressed there are text and not shortcuts */
export function isTyping(target) {
    return target instanceof HTMLElement
        && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=submit])"));
}

/** A browser may forbid storage (private windows, policies); then nothing is remembered and nothing breaks. */
export const memory = {
    /** @param {string} key @param {Storage} [area] */
    read(key, area) {
        try { return (area ?? localStorage).getItem(`wheelhouse:${key}`); } catch { return null; }
    },
    /** @param {string} key @param {string | null} value null forgets @param {Storage} [area] */
    write(key, value, area) {
        try {
            if (value === null) (area ?? localStorage).removeItem(`wheelhouse:${key}`);
            else (area ?? localStorage).setItem(`wheelhouse:${key}`, value);
        } catch { /* full or forbidden: as above */ }
    },
};

/** The application's prefix behind a proxy, without a slash at the end. */
export const base = document.documentElement.dataset.base ?? "";

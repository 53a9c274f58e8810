// Light, dark, or as the system says. The choice is a cookie, so that the server's next page already has it.
// @ts-check
import { base, iconButton } from "./dom.js";

const ORDER = ["auto", "light", "dark"];
const ICONS = { auto: "auto", light: "sun", dark: "moon" };
const LABELS = { auto: "Theme: like the system", light: "Theme: light", dark: "Theme: dark" };

/** Told after every change of the scheme in use, whoever made it. @type {Set<() => void>} */
const listeners = new Set();

/** @returns {"auto" | "light" | "dark"} */
function chosen() {
    const theme = document.documentElement.dataset.theme;
    return theme === "light" || theme === "dark" ? theme : "auto";
}

/** @returns {"light" | "dark"} the scheme in use */
export function scheme() {
    const theme = chosen();
    if (theme !== "auto") return theme;
    return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** @param {() => void} listener */
export const onSchemeChange = (listener) => { listeners.add(listener); };

/** @param {string} theme */
function choose(theme) {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    const age = theme === "auto" ? 0 : 31_536_000;
    document.cookie = `wheelhouse-theme=${theme}; path=${base || "/"}; max-age=${age}; samesite=lax`;
    for (const listener of listeners) listener();
}

export function startTheme() {
    const cookie = /(?:^|; )wheelhouse-theme=(light|dark)/.exec(document.cookie);
    if (cookie && chosen() === "auto") document.documentElement.dataset.theme = cookie[1];
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const listener of listeners) listener(); });
    const bar = document.querySelector(".bar");
    if (!bar) return;
    const button = iconButton("auto", "", {});
    const show = () => {
        const theme = chosen();
        button.firstElementChild?.setAttribute("data-icon", ICONS[theme]);
        button.title = LABELS[theme];
        button.setAttribute("aria-label", LABELS[theme]);
    };
    button.addEventListener("click", () => {
        choose(ORDER[(ORDER.indexOf(chosen()) + 1) % ORDER.length]);
        show();
    });
    show();
    bar.append(button);
}

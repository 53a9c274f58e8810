// Keyboard shortcuts, and the dialog that lists them.
// @ts-check
import { iconButton, isTyping, make } from "./dom.js";
import { copyText, shownText } from "./copy.js";
import { notify } from "./notices.js";
import { focusFilter, openPalette } from "./filter.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

const HELP = [
    ["/", "Filter the sessions"], ["Ctrl K", "Jump to a session or page"], ["j  k", "Next, previous block"],
    ["o", "Open or fold the block"], ["c", "Copy the block"], ["g  G", "First block shown, the end"],
    ["m", "Write a message"], ["Esc", "Leave a field, close a dialog"], ["?", "This list"],
];

function showHelp() {
    const open = document.querySelector("dialog.help");
    if (open instanceof HTMLDialogElement) return open.showModal();
    const dialog = make("dialog", { class: "dialog help", "aria-labelledby": "help-title" },
        make("div", { class: "dialog-head" }, make("h2", { id: "help-title" }, "Keyboard"),
            iconButton("close", "Close", { onclick: () => dialog instanceof HTMLDialogElement && dialog.close() })),
        make("dl", { class: "shortcuts" }, ...HELP.flatMap(([keys, text]) => [
            make("dt", {}, ...keys.split("  ").flatMap((key, index) => [index ? " " : "", make("kbd", {}, key)])), make("dd", {}, text)])));
    document.body.append(dialog);
    if (dialog instanceof HTMLDialogElement) dialog.showModal();
}

/** @param {Timeline} timeline */
async function copySelected(timeline) {
    const block = timeline.selected;
    const button = block?.querySelector("[data-action=copy]");
    if (button instanceof HTMLElement) return button.click();
    const code = block?.querySelector("pre, .md");
    if (code && await copyText(shownText(code))) notify("Copied.", "good");
}

/** @param {Timeline | null} timeline */
export function startKeys(timeline) {
    document.addEventListener("keydown", (event) => {
        if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
            event.preventDefault();
            return void openPalette();
        }
        if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.keyCode === 229) return;
        if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
        /** @type {Record<string, () => unknown>} */
        const actions = {
            "/": () => focusFilter() || openPalette(), "?": showHelp,
            ...(timeline ? {
                j: () => timeline.select(1), k: () => timeline.select(-1), o: () => timeline.toggleSelected(),
                c: () => copySelected(timeline), G: () => timeline.follow(),
                g: () => { timeline.isFollowing = false; scrollTo({ top: 0 }); },
                m: () => { const field = document.querySelector(".composer textarea"); if (field instanceof HTMLElement) field.focus(); },
            } : {}),
        };
        const action = actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    });
}

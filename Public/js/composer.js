// The message box: a draft per session that survives reloads and failures, Enter that never sends half a word, and a place
// above the on-screen keyboard.
// @ts-check
import { make, memory } from "./dom.js";

/** @typedef {import("./intents.js").Intents} Intents */

/** Pixels by which the visual viewport must shrink before it counts as a keyboard and not as a browser's bar. */
const KEYBOARD = 80;

/** @param {Intents} intents @param {() => void} follow goes to the end of the timeline */
export function startComposer(intents, follow) {
    const form = document.querySelector("form.composer"), field = form?.querySelector("textarea");
    if (!(form instanceof HTMLFormElement) || !field) return;
    const key = `draft:${form.dataset.session}`;
    if (!field.value) field.value = memory.read(key) ?? "";
    const keep = () => memory.write(key, field.value || null);
    field.addEventListener("input", keep);
    addEventListener("storage", (event) => {
        if (event.key === `wheelhouse:${key}` && document.activeElement !== field) field.value = event.newValue ?? "";
    });

    // Safari sends the Enter that confirms a word after compositionend, with key code 229.
    let composedAt = 0;
    field.addEventListener("compositionend", (event) => { composedAt = event.timeStamp; });
    field.addEventListener("keydown", (event) => {
        if (event.key === "Escape") return field.blur();
        if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
        if (composedAt && event.timeStamp - composedAt < 30) return;
        const isTouch = matchMedia("(pointer: coarse)").matches;
        const sends = event.ctrlKey || event.metaKey || (!event.shiftKey && !event.altKey && !isTouch);
        if (!sends) return;
        event.preventDefault();
        form.requestSubmit();
    });

    /** @param {string} text */
    const say = (text) => {
        form.querySelector(".composer-error")?.remove();
        if (text) form.append(make("p", { class: "composer-error", role: "alert" }, text));
    };
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        const text = field.value;
        if (!text.trim() || form.getAttribute("aria-busy") === "true") return;
        form.setAttribute("aria-busy", "true");
        field.readOnly = true;
        say("");
        follow();
        const outcome = await intents.send(form, "prompt", { session: form.dataset.session ?? "", text });
        form.removeAttribute("aria-busy");
        field.readOnly = false;
        if (outcome.ok) {
            field.value = "";
            keep();
        } else {
            say(outcome.message || "The message was not sent. It is still here.");
        }
        if (document.activeElement === document.body) field.focus();
    });
    startKeyboardInset();
}

function startKeyboardInset() {
    const viewport = window.visualViewport, dock = document.querySelector(".dock");
    if (!viewport || !(dock instanceof HTMLElement)) return;
    const place = () => {
        const hidden = innerHeight - viewport.height - viewport.offsetTop;
        const isKeyboard = hidden > KEYBOARD && Math.abs(viewport.scale - 1) < 0.05;
        dock.style.setProperty("--keyboard", isKeyboard ? `${Math.round(hidden)}px` : "0px");
    };
    viewport.addEventListener("resize", place);
    viewport.addEventListener("scroll", place);
    place();
}

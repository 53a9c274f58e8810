// What the page says about its live connection: the word in the bar, a new version of the server, an ended share.
// @ts-check
import { make, memory } from "./dom.js";
import { notify } from "./notices.js";

/** @typedef {import("./live.js").Live} Live */

const WORDS = { connecting: "Connecting", live: "Live", waiting: "Reconnecting", offline: "Offline", ended: "Ended" };
/** Milliseconds before a lost connection is shown: a quick reconnect is nobody's business. */
const GRACE = 800;

/** @param {Live} live */
export function startLinkState(live) {
    const place = document.getElementById("link-state");
    let timer = 0;
    live.on("state", ({ state }) => {
        clearTimeout(timer);
        const show = () => {
            document.documentElement.dataset.uiLink = state;
            if (!place) return;
            place.dataset.state = state === "ended" ? "offline" : state;
            place.textContent = WORDS[/** @type {keyof typeof WORDS} */ (state)];
        };
        if (state === "waiting") timer = setTimeout(show, GRACE);
        else show();
    });
    live.on("notice", ({ level, text, id }) => { notify(String(text), level, { id }); });
    live.on("reload", ({ build, reason }) => { if (reason === "build") offerReload(String(build ?? "")); });
    live.on("end", ({ code, reason }) => showEnd(Number(code), String(reason ?? "")));
}

/** A hidden page without a draft takes the new version at once, any other asks. Never twice for one version. @param {string} build */
function offerReload(build) {
    if (build === document.documentElement.dataset.build || memory.read("reloadedFor", sessionStorage) === build) return;
    const reload = () => { memory.write("reloadedFor", build, sessionStorage); location.reload(); };
    const field = document.querySelector(".composer textarea");
    const isWriting = field instanceof HTMLTextAreaElement && field.value !== "";
    if (document.hidden && !isWriting) return reload();
    notify("Wheelhouse was updated.", "info", { id: "build", action: { label: "Reload", run: reload } });
}

/** The server closed this page for good: nothing of a withdrawn share stays on the screen. @param {number} code @param {string} reason */
function showEnd(code, reason) {
    if (code !== 4410) {
        const text = code === 4401 ? "This browser was signed out." : reason || "This page is not yours any more.";
        notify(text, "error", { id: "end", action: { label: "Reload", run: () => location.reload() } });
        return;
    }
    const main = document.getElementById("main");
    document.querySelector(".sidebar")?.remove();
    main?.replaceChildren(make("section", { class: "empty", role: "alert" }, make("h1", {}, "This link has ended"),
        make("p", {}, reason || "Whoever shared the session has withdrawn it, or its time is over.")));
    document.documentElement.dataset.page = "error";
    document.title = "Ended · Wheelhouse";
    scrollTo(0, 0);
}

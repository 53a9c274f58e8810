// What this tab is looking at: one claim on the timeline of the page, confirmed anew in every foreground generation, and the
// patches that come back. DESIGN §5 and §6.
// @ts-check
import { applyOps, applySnapshot, parse } from "./patch.js";

/** @typedef {import("./live.js").Live} Live */
/** @typedef {import("./live.js").Message} Message */

const ACK_EVERY = 1000;

/**
 * @param {Live} live
 * @param {(parts: Iterable<ParentNode>, isNew: boolean) => void} changed called after each change of the page with what came
 *   or changed; `isNew`: the last block is another one
 */
export function startClaims(live, changed) {
    const timeline = document.querySelector("#timeline[data-live-view]");
    const view = timeline instanceof HTMLElement ? timeline : null;
    /** The last state this page shows, as the server numbers it; null asks for a snapshot. @type {string | null} */
    let version = view?.dataset.version ?? null;
    let generation = document.hidden ? 0 : 1;
    let ackTimer = 0;

    const claim = () => {
        if (!view || document.hidden) return;
        const { view: name, desktop, session, thread } = view.dataset;
        live.send({ type: "claim", claim: "c1", view: name, desktop, session, thread, generation, ...(version ? { since: version } : {}) });
    };
    const showUp = () => {
        if (document.hidden) { live.send({ type: "hidden" }); return; }
        live.send({ type: "visible", generation });
        claim();
    };
    document.addEventListener("visibilitychange", () => {
        if (!document.hidden) generation += 1;
        showUp();
    });
    live.on("open", showUp);
    live.on("lost", ({ code }) => { if (code === 1013) version = null; });

    /** @param {Message} patch */
    const apply = (patch) => {
        if (!view || patch.view !== view.dataset.view) return;
        const [epoch, seq] = (version ?? ".").split(".");
        if (!patch.reset && version !== null && epoch !== String(patch.epoch)) { version = null; claim(); return; }
        if (!patch.reset && epoch === String(patch.epoch) && Number(patch.seq) <= Number(seq)) return;
        const newest = view.lastElementChild?.id;
        /** @type {Iterable<ParentNode>} */
        let parts = [view];
        if (!patch.reset) parts = applyOps(patch.ops ?? []);
        else if (!applySnapshot(view, patch.html ?? "")) showOlder(patch.older ?? "");
        version = `${patch.epoch}.${patch.seq}`;
        view.dataset.version = version;
        changed(parts, view.lastElementChild?.id !== newest);
        if (!ackTimer) ackTimer = setTimeout(() => { ackTimer = 0; live.send({ type: "ack", seq: Number(version?.split(".")[1]) }); }, ACK_EVERY);
    };
    live.on("patch", apply);
    live.on("list", ({ ops }) => changed(applyOps(ops ?? []), false));
    live.on("presence", showPresence);
}

/** Puts the way to older blocks above the timeline, or takes it away. @param {string} html a nav, or nothing */
export function showOlder(html) {
    document.getElementById("older")?.remove();
    const nav = html && parse(html)[0];
    if (nav) document.getElementById("timeline")?.before(nav);
}

/** @param {Message} message */
function showPresence({ desktop, presence, text }) {
    for (const place of document.querySelectorAll(`[data-desktop="${CSS.escape(String(desktop))}"]`)) {
        const badge = place.matches(".presence") ? place : place.querySelector(":scope > .presence, :scope > .desktop-head > .presence");
        if (place.hasAttribute("data-presence")) place.setAttribute("data-presence", presence);
        badge?.setAttribute("data-presence", presence);
        if (badge) badge.textContent = text ?? presence;
    }
}

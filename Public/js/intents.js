// What a person wants done: sent on the live socket, or posted as a form while that is down. An intent keeps its id when it
// is sent again, so nothing is done twice.
// @ts-check
import { randomID } from "./dom.js";

/** @typedef {import("./live.js").Live} Live */
/** @typedef {{ok: boolean, message: string}} Outcome */

/** Milliseconds until an intent without an answer counts as lost. */
const ANSWER = 30_000;

export class Intents {
    /** @param {Live | null} live */
    constructor(live) {
        this.live = live;
        /** Sent and not answered yet. @type {Map<string, {message: import("./live.js").Message, settle: (outcome: Outcome) => void}>} */
        this.waiting = new Map();
        live?.on("result", ({ intent, ok, error }) => {
            this.waiting.get(intent)?.settle({ ok: Boolean(ok), message: error?.message ?? "" });
        });
        live?.on("open", () => { for (const { message } of this.waiting.values()) live.send(message); });
    }

    /**
     * @param {HTMLFormElement} form what is posted when the socket is down
     * @param {string} kind
     * @param {Record<string, string>} members
     * @returns {Promise<Outcome>}
     */
    send(form, kind, members) {
        const id = randomID(), message = { type: "intent", id, kind, ...members };
        if (!this.live?.send(message)) return this.post(form, id, members);
        return new Promise((resolve) => {
            const timer = setTimeout(() => settle({ ok: false, message: "No answer came. The text is still here; look at the timeline before sending again." }), ANSWER);
            const settle = (/** @type {Outcome} */ outcome) => { clearTimeout(timer); this.waiting.delete(id); resolve(outcome); };
            this.waiting.set(id, { message, settle });
        });
    }

    /** @param {HTMLFormElement} form @param {string} id @param {Record<string, string>} members @returns {Promise<Outcome>} */
    async post(form, id, members) {
        try {
            const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams({ ...members, id }) });
            return { ok: answer.ok, message: answer.ok ? "" : `The server answered ${answer.status}.` };
        } catch {
            return { ok: false, message: "The server cannot be reached. The text is kept here." };
        }
    }
}

/** Approvals and questions: a press sends the answer, the card waits for the server's word. @param {Intents} intents */
export function startAsking(intents) {
    document.addEventListener("submit", async (event) => {
        const form = event.target;
        if (!(form instanceof HTMLFormElement) || !form.matches("form.ask")) return;
        event.preventDefault();
        if (form.getAttribute("aria-busy") === "true") return;
        const data = new FormData(form), answer = event.submitter instanceof HTMLButtonElement ? event.submitter.value : String(data.get("answer") ?? "");
        const session = document.getElementById("timeline")?.dataset.session ?? "";
        form.querySelector(".form-error")?.remove();
        form.setAttribute("aria-busy", "true");
        const outcome = await intents.send(form, "answer", { session, block: String(data.get("block") ?? ""), answer });
        form.removeAttribute("aria-busy");
        if (outcome.ok || !form.isConnected) return;
        const line = document.createElement("p");
        line.className = "form-error";
        line.setAttribute("role", "alert");
        line.setAttribute("data-ui", "");
        line.textContent = outcome.message || "The answer did not arrive.";
        form.append(line);
    });
}

// The one long connection of a tab: a WebSocket, or server-sent events and POST where a proxy refuses WebSockets.
// It knows how to stay connected, and nothing of what the messages mean. DESIGN §6; the message list is in the document
// on the live socket.
// @ts-check
import { randomID } from "./dom.js";

/** Milliseconds. */
const FIRST_WAIT = 500, LONGEST_WAIT = 10_000, SILENCE = 30_000, ANSWER = 10_000, CHECK = 10_000;
/** Attempts by WebSocket that never opened before the other way is tried. */
const SOCKET_TRIES = 3;
/** Close codes after which coming back makes no sense: signed out, forbidden, share ended. */
const FINAL = new Set([4401, 4403, 4410]);

/**
 * @typedef {{type: string, [member: string]: any}} Message
 * @typedef {"connecting" | "live" | "waiting" | "offline" | "ended"} LinkState
 */

export class Live {
    /** @param {string} path the server's own path of the socket @param {string} build the build of this page */
    constructor(path, build) {
        this.path = path;
        this.build = build;
        this.tab = randomID();
        /** @type {Map<string, Set<(message: Message) => void>>} */
        this.listeners = new Map();
        /** @type {{send: (text: string) => void, close: () => void} | null} */
        this.link = null;
        this.isOpen = false;
        this.attempts = 0;
        this.socketFailures = 0;
        this.didOpenSocket = false;
        this.lastFrame = 0;
        this.pingedAt = 0;
        this.answersPings = false;
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        this.timer = undefined;
        this.isEnded = false;
    }

    /** @param {string} type a message's type, or `open`, `state`, `end` @param {(message: Message) => void} listener */
    on(type, listener) {
        const set = this.listeners.get(type) ?? new Set();
        this.listeners.set(type, set.add(listener));
        return this;
    }

    /** @param {Message} message */
    emit(message) {
        for (const listener of this.listeners.get(message.type) ?? []) listener(message);
    }

    /** @param {Message} message @returns {boolean} whether it was handed to an open link */
    send(message) {
        if (!this.isOpen || !this.link) return false;
        this.link.send(JSON.stringify(message));
        return true;
    }

    start() {
        addEventListener("online", () => this.retryNow());
        addEventListener("offline", () => { if (!this.isOpen) this.tell("offline"); });
        addEventListener("pageshow", (event) => { if (event.persisted) this.retryNow(); });
        document.addEventListener("visibilitychange", () => {
            if (document.hidden) return;
            if (this.isOpen) this.check();
            else this.retryNow();
        });
        setInterval(() => this.check(), CHECK);
        this.connect();
        return this;
    }

    /** @param {LinkState} state @param {string} [reason] */
    tell(state, reason = "") { this.emit({ type: "state", state, reason }); }

    retryNow() {
        if (this.isOpen || this.isEnded || this.link) return;
        this.attempts = 0;
        this.connect();
    }

    connect() {
        clearTimeout(this.timer);
        if (this.isEnded || this.link) return;
        this.tell(this.attempts === 0 ? "connecting" : "waiting");
        const isSocketRefused = !this.didOpenSocket && this.socketFailures >= SOCKET_TRIES;
        this.link = isSocketRefused && this.attempts % 2 === 1 ? this.openEvents() : this.openSocket();
    }

    openSocket() {
        const url = new URL(this.path, location.href);
        url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
        const socket = new WebSocket(url);
        const link = { send: (/** @type {string} */ text) => socket.send(text), close: () => socket.close() };
        socket.onopen = () => { this.didOpenSocket = true; this.opened(link); };
        socket.onmessage = (event) => this.received(link, event.data);
        socket.onclose = (event) => {
            if (!this.didOpenSocket) this.socketFailures += 1;
            this.closed(link, event.code, event.reason);
        };
        return link;
    }

    openEvents() {
        const source = new EventSource(`${this.path}/events?tab=${this.tab}`);
        let queue = Promise.resolve();
        const link = {
            send: (/** @type {string} */ body) => {
                const post = () => fetch(`${this.path}/send?tab=${this.tab}`, { method: "POST", body, headers: { "content-type": "application/json" } });
                queue = queue.then(post).then((answer) => { if (!answer.ok) throw new Error(String(answer.status)); })
                    .catch(() => { source.close(); this.closed(link, 1006, ""); });
            },
            close: () => { source.close(); this.closed(link, 1000, ""); },
        };
        source.onopen = () => this.opened(link);
        source.onmessage = (event) => this.received(link, event.data);
        source.addEventListener("end", (event) => {
            source.close();
            const { code, reason } = JSON.parse(event.data);
            this.closed(link, code, reason);
        });
        source.onerror = () => { source.close(); this.closed(link, 1006, ""); };
        return link;
    }

    /** @param {object} link */
    opened(link) {
        if (link !== this.link) return;
        this.isOpen = true;
        this.attempts = 0;
        this.lastFrame = Date.now();
        this.pingedAt = 0;
        this.answersPings = false;
        this.send({ type: "hello", tab: this.tab, build: this.build });
        this.tell("live");
        this.emit({ type: "open" });
    }

    /** @param {object} link @param {string} data */
    received(link, data) {
        if (link !== this.link) return;
        this.lastFrame = Date.now();
        /** @type {Message} */
        let message;
        try { message = JSON.parse(data); } catch { return; }
        if (message.type === "welcome") this.answersPings = true;
        if (message.type === "reload" && message.reason === "drain") return this.comeBackLater();
        this.emit(message);
    }

    /** @param {object} link @param {number} code @param {string} reason */
    closed(link, code, reason) {
        if (link !== this.link) return;
        this.link = null;
        this.isOpen = false;
        if (FINAL.has(code)) {
            this.isEnded = true;
            this.tell("ended", reason);
            this.emit({ type: "end", code, reason });
            return;
        }
        this.emit({ type: "lost", code });
        this.comeBackLater();
    }

    /** Closes what is open and tries again after a wait that doubles, each client by its own dice. */
    comeBackLater() {
        const old = this.link;
        this.link = null;
        this.isOpen = false;
        if (old) old.close();
        const wait = Math.min(FIRST_WAIT * 2 ** this.attempts, LONGEST_WAIT) * (0.5 + Math.random() / 2);
        this.attempts += 1;
        this.tell(navigator.onLine ? "waiting" : "offline");
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.connect(), wait);
    }

    /** Judges by wall-clock time, and only after a fresh ping was left unanswered: hidden tabs run timers once a minute. */
    check() {
        if (!this.isOpen || !this.answersPings) return;
        const now = Date.now();
        const isPingUnanswered = this.pingedAt > this.lastFrame;
        if (isPingUnanswered && now - this.pingedAt > ANSWER) return this.comeBackLater();
        if (!isPingUnanswered && now - this.lastFrame > SILENCE) {
            this.pingedAt = now;
            this.send({ type: "ping" });
            setTimeout(() => this.check(), ANSWER + 100);
        }
    }
}

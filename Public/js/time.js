// Times in the reader's zone. Order never depends on them: the server's clock is the truth, the browser's is corrected by
// the offset that the server told us.
// @ts-check
import { all } from "./dom.js";

const MINUTE = 60_000, HOUR = 3_600_000, DAY = 86_400_000;
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const dayAndYear = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

/** Milliseconds to add to the browser's clock. */
let offset = 0;

/** @param {number} serverNow milliseconds since 1970 by the server's clock */
export function setServerClock(serverNow) {
    if (Number.isFinite(serverNow) && serverNow > 0) offset = serverNow - Date.now();
}

export const serverNow = () => Date.now() + offset;

/**
 * @param {number} at @param {number} now
 * @returns {string} "now" within a minute and for anything in the future
 */
export function ageText(at, now) {
    const age = now - at;
    if (age < MINUTE) return "now";
    if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
    if (age < DAY) return `${Math.floor(age / HOUR)} h`;
    if (age < 7 * DAY) return `${Math.floor(age / DAY)} d`;
    return (new Date(at).getFullYear() === new Date(now).getFullYear() ? day : dayAndYear).format(at);
}

/**
 * The time of day; a person's message, which begins a turn, names its day too.
 * @param {number} at @param {number} now @param {Element} block
 */
function clockText(at, now, block) {
    const isToday = new Date(at).toDateString() === new Date(now).toDateString();
    return (isToday || block.getAttribute("data-kind") !== "user" ? clock : dayAndClock).format(at);
}

/** Rewrites the `<time class="age">` below `root`: an age in lists, the time of day in blocks. @param {ParentNode} root */
export function showTimes(root = document) {
    const now = serverNow();
    for (const element of all(root, "time.age")) {
        if (!(element instanceof HTMLTimeElement)) continue;
        const at = Date.parse(element.dateTime);
        if (Number.isNaN(at)) continue;
        const block = element.closest(".block");
        const text = block ? clockText(at, now, block) : ageText(at, now);
        if (element.textContent !== text) element.textContent = text;
        if (!element.title) element.title = whole.format(at);
    }
}

export function startTimes() {
    setServerClock(Number(document.documentElement.dataset.now));
    showTimes();
    setInterval(() => { if (!document.hidden) showTimes(); }, 30_000);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) showTimes(); });
}

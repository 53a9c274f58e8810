// Where the reader is in a timeline, and keeping it so: at the end while following, otherwise the line under the eye stays
// where it is, whatever grows, arrives or loads late above it.
// @ts-check
import { showOlder } from "./claims.js";
import { memory } from "./dom.js";
import { notify } from "./notices.js";
import { parse } from "./patch.js";

/** Pixels from the end within which new output is followed; how far ahead of the top older pages are fetched. */
const NEAR_END = 80, AHEAD = 1200;

export class Timeline {
    /**
     * @param {HTMLElement} element the section of the blocks
     * @param {(root: ParentNode) => void} decorate called for HTML that came in
     */
    constructor(element, decorate) {
        this.element = element;
        this.decorate = decorate;
        this.isFollowing = true;
        this.button = document.getElementById("follow");
        /** What stood at the top of the view, and where, in pixels from the view's top. @type {{element: Element, top: number}[]} */
        this.anchors = [];
        /** Where the view was at the last look, and the furthest that it could be: what differs since is the reader's doing. */
        this.seenAt = 0;
        this.seenEnd = 0;
        this.isLoading = false;
        /** The way to older blocks that is watched. @type {Element | null} */
        this.watched = null;
        this.memoryKey = `at:${element.dataset.session}:${element.dataset.thread}`;
    }

    start() {
        history.scrollRestoration = "manual";
        // The browser's own way does not work at the very top nor in Safari, and two ways at once move the view twice.
        document.documentElement.style.setProperty("overflow-anchor", "none");
        this.restore();
        addEventListener("scroll", () => { this.notice(); this.showButton(); }, { passive: true });
        addEventListener("resize", () => this.settle());
        addEventListener("pagehide", () => this.remember());
        document.addEventListener("visibilitychange", () => { if (document.hidden) this.remember(); });
        new ResizeObserver(() => this.settle()).observe(this.element);
        this.button?.addEventListener("click", () => this.follow());
        this.watchOlder();
        document.addEventListener("click", (event) => {
            const link = event.target instanceof Element ? event.target.closest(".older-link") : null;
            if (!link) return;
            event.preventDefault();
            void this.loadOlder();
        });
    }

    // MARK: Position

    get end() {
        const page = document.documentElement;
        return page.scrollHeight - page.clientHeight;
    }

    /** The height of what stays on top of the view and hides text. */
    get covered() {
        return document.getElementById("session-head")?.getBoundingClientRect().bottom ?? 0;
    }

    /** Takes note of how far the reader scrolled since the last look; what grew meanwhile is not the reader's doing. */
    notice() {
        const scrolled = scrollY - this.seenAt;
        if (Math.abs(scrolled) < 1) return;
        if (!this.isFollowing) this.correct(scrolled);
        this.isFollowing = Math.min(this.seenEnd, this.end) - scrollY <= NEAR_END;
        this.takeAnchors();
    }

    /** Notes the innermost element at the top of the view, and its ancestors in case it is replaced. */
    takeAnchors() {
        this.anchors = [];
        this.seenAt = scrollY;
        this.seenEnd = this.end;
        const box = this.element.getBoundingClientRect(), top = this.covered + 4;
        for (let y = top; y < innerHeight; y += 4) {
            let element = document.elementFromPoint(box.left + Math.min(box.width / 3, 160), y);
            if (!element || element === this.element || !this.element.contains(element)) continue;
            for (; element && element !== this.element; element = element.parentElement) {
                this.anchors.push({ element, top: element.getBoundingClientRect().top });
            }
            return;
        }
    }

    /** Brings the line under the eye back to its place. @param {number} scrolled pixels that the reader moved since it was noted */
    correct(scrolled) {
        const anchor = this.anchors.find(({ element }) => this.element.contains(element) && element.getClientRects().length > 0);
        const moved = anchor ? anchor.element.getBoundingClientRect().top - anchor.top + scrolled : 0;
        if (Math.abs(moved) >= 0.5) this.scrollTo(scrollY + moved);
    }

    /** Puts the view back where it belongs. Runs after layout and before paint, so that nothing is seen to jump. */
    settle() {
        this.notice();
        if (this.isFollowing) this.scrollTo(this.end);
        else this.correct(0);
        this.showButton();
    }

    /** @param {number} top */
    scrollTo(top) {
        scrollTo({ top, behavior: "instant" });
        this.seenAt = scrollY;
        this.seenEnd = this.end;
    }

    follow() {
        this.notice();
        this.isFollowing = true;
        this.button?.removeAttribute("data-new");
        this.settle();
    }

    showButton() {
        if (!this.button) return;
        if (this.isFollowing) this.button.removeAttribute("data-new");
        const isNew = this.button.hasAttribute("data-new");
        this.button.hidden = this.isFollowing || (!isNew && this.end - scrollY < innerHeight);
        const text = isNew ? "New output ↓" : "To the end ↓";
        if (this.button.textContent !== text) this.button.textContent = text;
    }

    /** @param {boolean} isNew whether the last block is another one than before */
    changed(isNew) {
        if (isNew && !this.isFollowing) this.button?.setAttribute("data-new", "");
        this.watchOlder();
        this.settle();
    }

    // MARK: Between visits

    remember() {
        const anchor = this.anchors.findLast(({ element }) => element.id);
        memory.write(this.memoryKey, this.isFollowing || !anchor ? null : `${anchor.top} ${anchor.element.id}`, sessionStorage);
    }

    restore() {
        const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
        const [, top, id] = /^(\S+) (.+)$/.exec(memory.read(this.memoryKey, sessionStorage) ?? "") ?? [];
        const seen = id ? document.getElementById(id) : null;
        if (target && this.element.contains(target)) {
            this.isFollowing = false;
            target.scrollIntoView({ block: "start" });
        } else if (seen) {
            this.isFollowing = false;
            this.anchors = [{ element: seen, top: Number(top) }];
        } else if (new URLSearchParams(location.search).has("before")) {
            this.isFollowing = false;
        }
        this.settle();
        this.takeAnchors();
    }

    // MARK: Older pages

    watchOlder() {
        this.watcher ??= new IntersectionObserver((entries) => {
            if (entries.some((entry) => entry.isIntersecting)) void this.loadOlder();
        }, { rootMargin: `${AHEAD}px 0px 0px 0px` });
        const nav = document.getElementById("older");
        if (nav === this.watched) return;
        this.watcher.disconnect();
        this.watched = nav;
        if (nav) this.watcher.observe(nav);
    }

    async loadOlder() {
        const nav = document.getElementById("older"), link = nav?.querySelector("[data-fragment]");
        if (this.isLoading || !nav || !(link instanceof HTMLElement)) return;
        this.isLoading = true;
        nav.setAttribute("aria-busy", "true");
        try {
            const answer = await fetch(link.dataset.fragment ?? "", { headers: { accept: "text/html" } });
            if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
            const elements = parse(await answer.text());
            if (document.getElementById("older") !== nav) return;
            if (this.anchors.length === 0) this.takeAnchors();
            const olderNav = elements.find((element) => element.id === "older");
            const blocks = elements.filter((element) => element !== olderNav && !(element.id && document.getElementById(element.id)));
            this.element.prepend(...blocks);
            showOlder(olderNav?.outerHTML ?? "");
            for (const block of blocks) this.decorate(block);
            this.settle();
            this.watchOlder();
        } catch (error) {
            nav.removeAttribute("aria-busy");
            notify(`Older messages did not load: ${error instanceof Error ? error.message : error}.`, "error", { id: "older", action: { label: "Try again", run: () => void this.loadOlder() } });
        } finally {
            this.isLoading = false;
        }
    }

    // MARK: Keyboard

    /** @param {1 | -1} step to the next or previous block */
    select(step) {
        const blocks = [...this.element.querySelectorAll(":scope > .block, :scope > .rewound[open] > .block")];
        const current = blocks.findIndex((block) => block.hasAttribute("data-ui-selected"));
        const top = this.covered + 8;
        const visible = blocks.findIndex((block) => block.getBoundingClientRect().bottom > top + 8);
        const index = current < 0 ? visible : Math.max(0, Math.min(blocks.length - 1, current + step));
        const block = blocks[index];
        if (!(block instanceof HTMLElement)) return;
        blocks[current]?.removeAttribute("data-ui-selected");
        block.setAttribute("data-ui-selected", "");
        block.tabIndex = -1;
        block.focus({ preventScroll: true });
        this.isFollowing = index === blocks.length - 1;
        if (this.isFollowing) return this.follow();
        this.scrollTo(scrollY + block.getBoundingClientRect().top - top);
        this.takeAnchors();
        this.showButton();
    }

    /** @returns {Element | null} */
    get selected() { return this.element.querySelector("[data-ui-selected]"); }

    toggleSelected() {
        const summary = this.selected?.querySelector(":scope > details > summary, :scope > .block-body > details > summary");
        if (summary instanceof HTMLElement) summary.click();
    }
}

// Diagrams. The source is drawn in one hidden sandboxed frame, one diagram after another, the visible first; what comes
// back is shown as a picture, in which nothing runs. The source stays at hand, and is all there is when drawing fails.
// @ts-check
import { all, icon, iconButton, make } from "./dom.js";
import { copyText } from "./copy.js";
import { notify } from "./notices.js";
import { onSchemeChange, scheme } from "./theme.js";

/** Kept drawings; the frame is given up after this many milliseconds; how far outside the view drawing starts. */
const KEPT = 48, KEPT_BYTES = 4 << 20, PATIENCE = 8000, AHEAD = "600px";

/** @typedef {{svg: string, width: number, height: number} | {error: string, line?: number}} Drawing */

/** The newest drawings by scheme and source, least recently used first. */
class Drawings {
    /** @type {Map<string, Drawing>} */
    kept = new Map();
    bytes = 0;
    /** @param {string} key */
    get(key) {
        const drawing = this.kept.get(key);
        if (drawing) { this.kept.delete(key); this.kept.set(key, drawing); }
        return drawing;
    }
    /** @param {string} key @param {Drawing} drawing */
    put(key, drawing) {
        this.kept.set(key, drawing);
        this.bytes += size(drawing);
        for (const [old, dropped] of this.kept) {
            if (this.kept.size <= KEPT && this.bytes <= KEPT_BYTES) break;
            this.kept.delete(old);
            this.bytes -= size(dropped);
        }
    }
}
/** @param {Drawing} drawing */
const size = (drawing) => ("svg" in drawing ? 2 * drawing.svg.length : 100);

/** The tokens that a drawing is coloured with. */
const COLOURS = { surface: "--surface", sunken: "--surface-sunken", text: "--text", muted: "--text-muted", line: "--line-strong", accent: "--accent", wash: "--accent-wash", warn: "--warn" };

/** @returns {Record<string, string>} the tokens of the scheme in use as plain colours */
function colours() {
    const probe = make("span", { hidden: true });
    document.body.append(probe);
    const found = Object.entries(COLOURS).map(([name, token]) => {
        probe.style.color = `var(${token})`;
        return [name, getComputedStyle(probe).color];
    });
    probe.remove();
    return Object.fromEntries(found);
}

/** The sandboxed frame: made when first needed, thrown away when a diagram takes too long. */
class Draughtsman {
    /** @param {string} url */
    constructor(url) {
        this.url = url;
        /** @type {HTMLIFrameElement | null} */
        this.frame = null;
        /** @type {Promise<boolean> | null} */
        this.ready = null;
        this.isBroken = false;
        /** @type {((message: any) => void) | null} */
        this.hear = null;
        addEventListener("message", (event) => {
            if (this.frame && event.source === this.frame.contentWindow) this.hear?.(event.data);
        });
    }

    /** @param {(message: any) => boolean} isAnswer @returns {Promise<any>} undefined when none came in time */
    wait(isAnswer) {
        return new Promise((resolve) => {
            const timer = setTimeout(() => { this.hear = null; resolve(undefined); }, PATIENCE);
            this.hear = (message) => {
                if (!message || !isAnswer(message)) return;
                clearTimeout(timer);
                this.hear = null;
                resolve(message);
            };
        });
    }

    open() {
        const frame = document.createElement("iframe");
        frame.setAttribute("sandbox", "allow-scripts");
        frame.className = "mermaid-frame";
        frame.title = "Draws diagrams";
        frame.tabIndex = -1;
        frame.setAttribute("aria-hidden", "true");
        frame.src = this.url;
        this.frame = frame;
        const ready = this.wait((message) => "ready" in message).then((message) => message?.ready === true);
        document.body.append(frame);
        return ready;
    }

    close() {
        this.frame?.remove();
        this.frame = null;
        this.ready = null;
    }

    /** @param {string} source @returns {Promise<Drawing>} */
    async draw(source) {
        if (!this.isBroken) this.ready ??= this.open();
        if (!await this.ready) {
            this.isBroken = true;
            this.close();
            return { error: "The part that draws diagrams did not load." };
        }
        const id = Math.random();
        this.frame?.contentWindow?.postMessage({ id, source, colours: colours(), isDark: scheme() === "dark" }, "*");
        const answer = await this.wait((message) => message.id === id);
        if (!answer) { this.close(); return { error: "The diagram took too long to draw." }; }
        if (typeof answer.svg === "string" && answer.width > 0 && answer.height > 0) return { svg: answer.svg, width: Number(answer.width), height: Number(answer.height) };
        return { error: String(answer.error ?? "It could not be drawn."), ...(answer.line ? { line: Number(answer.line) } : {}) };
    }
}

const drawings = new Drawings();
/** @type {Draughtsman | null} */
let draughtsman = null;
/** @type {IntersectionObserver | null} */
let watcher = null;
/** Figures in view that wait for their drawing. @type {Set<HTMLElement>} */
const queue = new Set();
let isDrawing = false;

/** @param {Element} figure */
const sourceOf = (figure) => figure.querySelector(":scope > pre")?.textContent ?? "";
/** @param {string} svg */
const asPicture = (svg) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
/** @param {Element} figure whether more of its source may still come */
const isUnfinished = (figure) => figure.closest(".block")?.getAttribute("data-state") === "streaming" && !figure.nextElementSibling;

async function drawNext() {
    if (isDrawing || !draughtsman) return;
    isDrawing = true;
    for (const figure of queue) {
        queue.delete(figure);
        const source = sourceOf(figure);
        if (!figure.isConnected || isUnfinished(figure) || !source.trim()) continue;
        const key = `${scheme()}\n${source}`;
        if (figure.dataset.uiKey === key) continue;
        const drawing = drawings.get(key) ?? await draughtsman.draw(source);
        drawings.put(key, drawing);
        if (!figure.isConnected || sourceOf(figure) !== source) continue;
        figure.dataset.uiKey = key;
        if ("svg" in drawing) showDrawing(figure, drawing, source);
        else showError(figure, drawing, source);
    }
    isDrawing = false;
}

/** @param {HTMLElement} figure */
function clear(figure) {
    for (const part of [...figure.children]) if (part.hasAttribute("data-ui")) part.remove();
    delete figure.dataset.uiDrawn;
    delete figure.dataset.uiSource;
}

/** @param {HTMLElement} figure @param {{svg: string, width: number, height: number}} drawing @param {string} source */
function showDrawing(figure, drawing, source) {
    clear(figure);
    const kind = /^\s*(?:%%.*\n\s*|---[\s\S]*?---\s*)*([\w-]+)/.exec(source)?.[1] ?? "diagram";
    const picture = make("img", { class: "mermaid-picture", alt: `Diagram (${kind}); its source follows`, src: asPicture(drawing.svg), width: String(Math.round(drawing.width)), height: String(Math.round(drawing.height)) });
    const toggle = iconButton("list", "Show the source", { "aria-pressed": "false", onclick: () => {
        const isShown = figure.toggleAttribute("data-ui-source");
        toggle.setAttribute("aria-pressed", String(isShown));
    } });
    figure.prepend(
        make("div", { class: "mermaid-bar", "data-ui": true }, make("span", {}, kind), toggle,
            copyButton(source), iconButton("zoom", "Enlarge", { onclick: () => zoom(drawing, kind) })),
        make("div", { class: "mermaid-view", "data-ui": true, tabindex: "0", role: "region", "aria-label": "Diagram" }, picture));
    figure.dataset.uiDrawn = "";
}

/** @param {HTMLElement} figure @param {{error: string, line?: number}} drawing @param {string} source */
function showError(figure, drawing, source) {
    clear(figure);
    const where = drawing.line && !/line \d/i.test(drawing.error) ? `Line ${drawing.line}: ` : "";
    figure.prepend(make("div", { class: "mermaid-bar", "data-ui": true }, make("span", {}, "diagram"), copyButton(source)),
        make("p", { class: "mermaid-error", "data-ui": true, role: "note" }, `This diagram could not be drawn. ${where}${drawing.error}`));
}

/** @param {string} source */
function copyButton(source) {
    const button = iconButton("copy", "Copy the source", { onclick: async () => {
        if (!await copyText(source)) notify("The browser did not allow copying.", "warning");
        else button.firstElementChild?.setAttribute("data-icon", "check");
    } });
    return button;
}

/** @param {{svg: string, width: number, height: number}} drawing @param {string} name */
function zoom(drawing, name) {
    const picture = make("img", { alt: "Diagram", src: asPicture(drawing.svg) });
    const view = make("div", { class: "mermaid-view", tabindex: "0", role: "region", "aria-label": "Diagram, enlarged" }, picture);
    let scale = 1;
    const set = (/** @type {number} */ wanted) => {
        scale = Math.max(0.1, Math.min(8, wanted));
        picture.style.width = `${drawing.width * scale}px`;
        picture.style.height = `${drawing.height * scale}px`;
    };
    const fit = () => set(Math.min((view.clientWidth - 48) / drawing.width, (view.clientHeight - 48) / drawing.height, 4));
    const dialog = make("dialog", { class: "mermaid-zoom", "aria-label": "Diagram" },
        make("div", { class: "mermaid-bar" }, make("span", {}, name),
            make("button", { type: "button", class: "button quiet", onclick: () => set(scale / 1.25) }, "−"),
            make("button", { type: "button", class: "button quiet", onclick: () => set(scale * 1.25) }, "+"),
            make("button", { type: "button", class: "button quiet", onclick: fit }, "Fit"),
            make("button", { type: "button", class: "button quiet", onclick: () => save(new Blob([drawing.svg], { type: "image/svg+xml" }), `${name}.svg`) }, icon("download"), "SVG"),
            make("button", { type: "button", class: "button quiet", onclick: () => void savePNG(drawing, name) }, icon("download"), "PNG"),
            iconButton("close", "Close", { onclick: () => dialog instanceof HTMLDialogElement && dialog.close() })), view);
    if (!(dialog instanceof HTMLDialogElement)) return;
    view.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        set(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
    }, { passive: false });
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    document.body.append(dialog);
    dialog.showModal();
    fit();
}

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
    const url = URL.createObjectURL(blob);
    const link = make("a", { href: url, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** @param {{svg: string, width: number, height: number}} drawing @param {string} name */
async function savePNG(drawing, name) {
    try {
        const picture = new Image(), canvas = document.createElement("canvas");
        picture.src = asPicture(drawing.svg);
        await picture.decode();
        const scale = Math.min(2, 8192 / Math.max(drawing.width, drawing.height));
        canvas.width = Math.round(drawing.width * scale);
        canvas.height = Math.round(drawing.height * scale);
        const pen = canvas.getContext("2d");
        if (!pen) throw new Error("no canvas");
        pen.fillStyle = colours().surface;
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
        const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
        if (!(blob instanceof Blob)) throw new Error("no picture");
        save(blob, `${name}.png`);
    } catch {
        notify("The browser could not make a PNG of it. The SVG is the same drawing.", "warning");
    }
}

/** Has the diagrams below `root` drawn once they come near the view. @param {ParentNode} root */
export function drawDiagrams(root) {
    if (!watcher) return;
    for (const figure of all(root, "figure.mermaid[data-mermaid]")) {
        watcher.unobserve(figure);
        watcher.observe(figure);
    }
}

export function startDiagrams() {
    const url = document.documentElement.dataset.mermaid;
    if (!url) return;
    draughtsman = new Draughtsman(url);
    watcher = new IntersectionObserver((entries) => {
        for (const { target, isIntersecting } of entries) {
            if (!(target instanceof HTMLElement)) continue;
            if (isIntersecting) queue.add(target);
            else queue.delete(target);
        }
        void drawNext();
    }, { rootMargin: AHEAD });
    drawDiagrams(document);
    onSchemeChange(() => drawDiagrams(document));
}

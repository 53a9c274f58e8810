// Puts the server's HTML into the page, and is the only place that may. An element is found by its id; a block is never
// replaced by an older revision of itself; what the reader opened, selected or focused stays as it is.
// Attributes `data-ui…` and elements with `data-ui` are the browser's own and survive every patch.
// @ts-check

/**
 * @typedef {{op: string, id?: string, to?: string, else?: string, into?: string, html?: string, name?: string, value?: string | null}} Op
 */

/** @param {string} html made by our server @returns {Element[]} */
export function parse(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    return [...template.content.children];
}

/** @param {Node} node */
const isOurs = (node) => node instanceof Element && node.hasAttribute("data-ui");
/** @param {Node} node */
const idOf = (node) => (node instanceof Element ? node.id : "");
/** @param {Element} element */
const revision = (element) => Number(element.getAttribute("data-rev") ?? 0);
/** @param {Element} element */
const childrenOf = (element) => element.querySelector(`#c-${CSS.escape(element.id.slice(2))}`);

/** @param {Element} old @param {Element} fresh */
function takeAttributes(old, fresh) {
    const keepsOpen = old instanceof HTMLDetailsElement && old.hasAttribute("data-ui-touched");
    for (const { name } of [...old.attributes]) {
        if (name.startsWith("data-ui") || (name === "open" && keepsOpen)) continue;
        if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
        if (name === "open" && keepsOpen) continue;
        if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
}

/**
 * Makes `old` like `fresh`, touching only what differs, so that a selection, a caret or a picture in the unchanged part of a
 * streaming message lives on. Common beginnings and ends are skipped whole; what has an id is paired by it.
 * @param {Node} old @param {Node} fresh
 * @returns {Node} what now stands in the page
 */
function morph(old, fresh) {
    if (old.isEqualNode(fresh)) return old;
    if (old instanceof Text && fresh instanceof Text) { old.data = fresh.data; return old; }
    if (!(old instanceof Element && fresh instanceof Element) || old.nodeName !== fresh.nodeName || old.id !== fresh.id) {
        /** @type {ChildNode} */ (old).replaceWith(fresh);
        return fresh;
    }
    takeAttributes(old, fresh);
    if (old.classList.contains("block-children")) return old;
    const before = [...old.childNodes].filter((node) => !isOurs(node)), after = [...fresh.childNodes];
    let start = 0, end = 0;
    while (start < before.length && start < after.length && before[start].isEqualNode(after[start])) start += 1;
    const most = Math.min(before.length, after.length) - start;
    while (end < most && before[before.length - 1 - end].isEqualNode(after[after.length - 1 - end])) end += 1;

    const leaving = new Set(before.slice(start, before.length - end));
    /** @type {Node | null} */
    let previous = before[start - 1] ?? null;
    for (const node of after.slice(start, after.length - end)) {
        const twin = [...leaving].find((other) => idOf(other) === idOf(node));
        if (twin) {
            leaving.delete(twin);
            previous = morph(twin, node);
        } else {
            old.insertBefore(node, previous ? previous.nextSibling : old.firstChild);
            previous = node;
        }
    }
    for (const node of leaving) node.remove();
    return old;
}

/**
 * Brings one block up to date. Without `withChildren` its children stay, because the server sends them apart.
 * @param {Element} old @param {Element} fresh @param {boolean} [withChildren]
 */
export function update(old, fresh, withChildren = false) {
    const children = childrenOf(fresh), place = childrenOf(old);
    if (revision(fresh) >= revision(old)) morph(old, fresh);
    if (withChildren && children && place) reconcile(place, [...children.children]);
}

/**
 * Makes the elements of `container` from `first` on be `fresh`, in that order, each once.
 * @param {Element} container @param {Element[]} fresh @param {Element | null} [first]
 */
export function reconcile(container, fresh, first = container.firstElementChild) {
    const known = new Map([...container.children].map((child) => [child.id, child]));
    const wanted = new Set(fresh.map((element) => element.id));
    /** @param {Element | null} element */
    const skipLeaving = (element) => {
        while (element && (isOurs(element) || !wanted.has(element.id))) {
            const next = element.nextElementSibling;
            if (!isOurs(element)) element.remove();
            element = next;
        }
        return element;
    };
    let cursor = skipLeaving(first);
    for (const element of fresh) {
        const old = element.id ? known.get(element.id) : undefined;
        if (!old) { container.insertBefore(element, cursor); continue; }
        update(old, element, true);
        if (old === cursor) cursor = skipLeaving(cursor.nextElementSibling);
        else container.insertBefore(old, cursor);
    }
    skipLeaving(cursor);
}

/**
 * A snapshot of the timeline's newest part. Pages that the reader loaded before stay when they join it without a gap.
 * An empty snapshot says only that the server knows nothing yet (it has just started), so what is shown stays.
 * @param {Element} timeline @param {string} html @returns {boolean} whether older pages were kept
 */
export function applySnapshot(timeline, html) {
    const fresh = parse(html);
    if (fresh.length === 0) return true;
    const joint = fresh.map((element) => element.id && document.getElementById(element.id)).find((old) => old && old.parentElement === timeline);
    const seq = Number(fresh.find((element) => element.hasAttribute("data-seq"))?.getAttribute("data-seq") ?? 0);
    const children = [...timeline.children];
    const first = children.find((child) => child === joint || Number(child.getAttribute("data-seq") ?? -1) >= seq) ?? null;
    const keepsOlder = Boolean(joint) && first !== children[0];
    reconcile(timeline, fresh, keepsOlder ? first : timeline.firstElementChild);
    return keepsOlder;
}

/** @param {Element} container @param {Element | null} before @param {string} html @returns {Element[]} as in `applyOps` */
function insert(container, before, html) {
    return parse(html).map((element) => {
        const old = element.id && document.getElementById(element.id);
        if (old) update(old, element, true);
        else container.insertBefore(element, before);
        return old || element;
    });
}

/** @param {Op} op a row of a list that moves to the front of its list @returns {Element[]} as in `applyOps` */
function put(op) {
    const list = document.getElementById(op.into ?? ""), row = parse(op.html ?? "")[0];
    const old = document.getElementById(op.id ?? "");
    if (!list || !row) return [];
    if (old?.hasAttribute("aria-current")) row.setAttribute("aria-current", "page");
    if (old) morph(old, row);
    const shown = old ?? row;
    if (list.firstElementChild !== shown) list.prepend(shown);
    return [shown];
}

/** @param {Op} op @param {Element} target @returns {Element[]} as in `applyOps` */
function applyOp(op, target) {
    switch (op.op) {
    case "append": return insert(target, [...target.children].find((child) => isOurs(child)) ?? null, op.html ?? "");
    case "before": return target.parentElement ? insert(target.parentElement, target, op.html ?? "") : [];
    case "replace": {
        const fresh = parse(op.html ?? "")[0];
        if (!fresh) return [];
        if (target.hasAttribute("aria-current")) fresh.setAttribute("aria-current", "page");
        update(target, fresh);
        return [target];
    }
    case "remove": target.remove(); return [];
    case "attr":
        if (!op.name || /^on|^data-ui/.test(op.name)) return [];
        if (op.value === null || op.value === undefined) target.removeAttribute(op.name);
        else target.setAttribute(op.name, op.value);
        return [target];
    default: return [];
    }
}

/**
 * Applies the ops in order; one whose element is not on the page is older than what is shown.
 * @param {Op[]} ops
 * @returns {Set<Element>} what came or changed
 */
export function applyOps(ops) {
    /** @type {Set<Element>} */
    const touched = new Set();
    for (const op of ops) {
        const target = document.getElementById(op.id ?? op.to ?? "") ?? document.getElementById(op.else ?? "");
        const changed = op.op === "put" ? put(op) : target ? applyOp(op, target) : [];
        for (const element of changed) touched.add(element);
    }
    return touched;
}

/** Remembers which folds the reader moved, so that patches leave those alone. */
export function startPatching() {
    document.addEventListener("click", (event) => {
        const summary = event.target instanceof Element ? event.target.closest("summary") : null;
        summary?.parentElement?.setAttribute("data-ui-touched", "");
    });
}

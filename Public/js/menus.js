// Menus are `<details class="menu">`: here they close on Escape, on a press outside, and when another opens. Folds that
// hold what a link points to open by themselves.
// @ts-check

/** @param {Element | null} except */
function closeMenus(except = null) {
    for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.removeAttribute("open");
}

function openTarget() {
    const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    for (let element = target?.parentElement; element; element = element.parentElement) {
        if (element instanceof HTMLDetailsElement) element.open = true;
    }
}

export function startMenus() {
    document.addEventListener("click", (event) => {
        closeMenus(event.target instanceof Element ? event.target.closest("details.menu") : null);
    });
    document.addEventListener("keydown", (event) => {
        const menu = event.key === "Escape" ? document.querySelector("details.menu[open]") : null;
        if (!menu) return;
        closeMenus();
        const summary = menu.querySelector("summary");
        if (menu.contains(document.activeElement)) summary?.focus();
    });
    document.addEventListener("toggle", (event) => {
        if (!(event.target instanceof HTMLDetailsElement) || !event.target.open || !event.target.matches("details.menu")) return;
        const field = event.target.querySelector("select, input:not([type=hidden])");
        if (field instanceof HTMLElement) field.focus({ preventScroll: true });
    }, true);
    addEventListener("hashchange", openTarget);
    openTarget();
}

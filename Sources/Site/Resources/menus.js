// Menus, which are <details class="menu">: one is open at a time, and it closes on Escape, on a click outside, and
// after its form has succeeded. Without this script, a menu opens and closes with its own button.

/** @returns {NodeListOf<HTMLDetailsElement>} */
function openMenus() {
    return document.querySelectorAll("details.menu[open]");
}

/** Whether a menu contains a node, itself or in the element `.menu-end`, which follows some menus. */
function isPartOf(menu, node) {
    const end = menu.nextElementSibling;
    return menu.contains(node) || Boolean(end?.matches(".menu-end") && end.contains(node));
}

/** Whether a menu covers the page. Otherwise, closing it moves the content below it. */
function coversPage(menu) {
    const body = menu.querySelector(".menu-body");
    return Boolean(body) && getComputedStyle(body).position === "absolute";
}

/** Closes a menu; on request, the focus moves to its button if it was in the menu or on no element. */
function close(menu, returnsFocus) {
    if (!menu.open) return;
    const active = document.activeElement;
    menu.open = false;
    if (returnsFocus && (active === document.body || isPartOf(menu, active))) {
        menu.querySelector("summary").focus({ preventScroll: true });
    }
}

/** Closes the menu of a form that has succeeded, unless the form is one that people often submit repeatedly. */
export function closeMenuOf(form) {
    const menu = form.closest("details.menu");
    if (menu && !("stays" in form.dataset)) close(menu, true);
}

/** Closes the open menus that don't contain a node; `isPress` if the pointer may still be pressed. */
function closeOthers(node, isPress) {
    for (const menu of openMenus()) {
        // If the page moved under the pressed pointer, its click would miss.
        if (!isPartOf(menu, node) && (!isPress || coversPage(menu))) close(menu, false);
    }
}

/** Closes menus from now on, on the events that the comment at the top lists. */
export function watchMenus() {
    // A phone's browser may send no click for a place that does nothing.
    document.addEventListener("pointerdown", ({ target }) => closeOthers(target, true), true);
    document.addEventListener("focusin", ({ target }) => closeOthers(target, true), true);
    document.addEventListener("click", ({ target }) => closeOthers(target, false), true);
    // The page gets no event for a press inside a frame; it only loses the focus to the frame.
    window.addEventListener("blur", () =>
        setTimeout(() => {
            if (document.activeElement?.localName === "iframe") closeOthers(document.activeElement, false);
        }),
    );
    document.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        for (const menu of openMenus()) close(menu, true);
    });
    document.addEventListener(
        "toggle",
        (event) => {
            const menu = /** @type {HTMLDetailsElement} */ (event.target);
            if (!menu.matches?.("details.menu")) return;
            // A menu that opens again shows all its items, not a confirmation that was open when it closed.
            if (!menu.open) for (const part of menu.querySelectorAll("details")) part.open = false;
            if (!menu.open) return;
            for (const other of openMenus()) if (other !== menu) close(other, false);
            if (coversPage(menu)) menu.querySelector(".menu-body").scrollIntoView({ block: "nearest" });
        },
        true,
    );
}

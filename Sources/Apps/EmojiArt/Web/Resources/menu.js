// Menus for pointer and keyboard. One is open at a time, below a button or at a position.

import { make } from "./elements.js";
import { formatKeys } from "./keyboard.js";

const menu = document.getElementById("menu");
/** The button below which a menu is open. */
let owner = null;
/** That button, if the current press is on it: the press closes the menu, and its click must not open it again. */
let pressedOwner = null;

menu.addEventListener("toggle", (event) => {
    if (event.newState === "open") return;
    owner?.setAttribute("aria-expanded", "false");
    owner = null;
    menu.replaceChildren();
});
// The browser closes the menu at a press outside it, even if the press is on the menu's button.
document.addEventListener("pointerdown", ({ target }) => (pressedOwner = owner?.contains(target) ? owner : null), true);
menu.addEventListener("keydown", (event) => {
    const items = Array.from(menu.querySelectorAll("[role^=menuitem]"));
    const index = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const last = items.length - 1;
    const [below, above] = [index === last ? 0 : index + 1, index <= 0 ? last : index - 1];
    const next = { ArrowDown: below, ArrowUp: above, Home: 0, End: last }[event.key];
    const item = next === undefined ? typedItem(event, items, index) : items[next];
    if (item) item.focus();
    else if (event.key === "Tab") menu.hidePopover();
    else return;
    event.preventDefault();
});
// The menu closes before the item's own listener runs: a dialog returns the focus to the element that had it when the
// dialog opened.
menu.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("[role^=menuitem]")) menu.hidePopover();
}, true);

/** The next item after an index whose label begins with the typed letter or digit; an emoji in front doesn't count. */
function typedItem({ key, ctrlKey, metaKey, altKey }, items, index) {
    if (key.length > 1 || ctrlKey || metaKey || altKey) return null;
    const initial = (item) => item.querySelector("span").textContent.match(/[\p{L}\p{N}]/u)?.[0].toLowerCase();
    const following = [...items.slice(index + 1), ...items.slice(0, index + 1)];
    return following.find((item) => initial(item) === key.toLowerCase()) ?? null;
}

/**
 * Opens a menu below a button, or closes it.
 *
 * Each of `items` is {id, label, keys, isEnabled, isChecked, run}, {id, label, href, isDownload, run} or {heading}.
 */
export function openBelow(button, items, label) {
    const wasOpen = pressedOwner === button;
    pressedOwner = null;
    if (wasOpen) return;
    const { left, right, top, bottom } = button.getBoundingClientRect();
    open(items, label, (width, height) => {
        const isBelow = bottom + height + 8 <= innerHeight || top < innerHeight / 2;
        return [right - width < 8 ? left : right - width, isBelow ? bottom + 4 : top - height - 4];
    });
    owner = button;
    button.setAttribute("aria-expanded", "true");
}

/** Opens a menu at a position of the page. */
export function openAt(x, y, items, label) {
    open(items, label, (_, height) => [x, y + height > innerHeight - 8 ? y - height : y]);
}

/** Opens a menu at the position that a function returns for its size, or where all of it is visible. */
function open(items, label, positionFor) {
    menu.replaceChildren(...items.map(menuEntry));
    menu.setAttribute("aria-label", label);
    menu.showPopover();
    const { offsetWidth: width, offsetHeight: height } = menu;
    const [x, y] = positionFor(width, height);
    menu.style.left = `${Math.max(8, Math.min(x, innerWidth - width - 8))}px`;
    menu.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8))}px`;
    menu.querySelector("[role^=menuitem]:not([aria-disabled=true])")?.focus();
}

function menuEntry({ id, heading, label, keys, href, isDownload, isChecked, isEnabled = true, run }) {
    if (heading) return make("p", { class: "menu-heading", role: "presentation" }, heading);
    const entry = make(href ? "a" : "button", {
        class: "menu-item", tabindex: -1, role: isChecked === undefined ? "menuitem" : "menuitemradio",
        "data-command": id, "aria-checked": isChecked, "aria-disabled": isEnabled ? undefined : true,
        ...(href ? { href, download: isDownload ? "" : undefined } : { type: "button" }),
    }, make("span", {}, label));
    if (keys) entry.append(make("kbd", {}, formatKeys(keys)));
    if (run && isEnabled) {
        entry.addEventListener("click", (event) => {
            // The link to a file is for opening it elsewhere.
            event.preventDefault();
            run();
        });
    }
    return entry;
}

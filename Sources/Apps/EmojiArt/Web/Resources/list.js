// Enhances the list of boards and the palettes' menus: menus close automatically, F2 renames, dropped files are
// imported, and backgrounds that this browser can't show are reported.

import { decode } from "./decoding.js";

// --- Menus: one is open at a time, and it closes after its form has succeeded.

function close(menu, keepsFocus) {
    if (!menu.open) return;
    const hadFocus = menu.contains(document.activeElement);
    menu.open = false;
    if (hadFocus && keepsFocus) menu.querySelector("summary").focus({ preventScroll: true });
}

function openMenus() {
    return document.querySelectorAll("details.menu[open]");
}

document.addEventListener(
    "toggle",
    (event) => {
        const menu = /** @type {HTMLDetailsElement} */ (event.target);
        if (!menu.matches?.("details.menu") || !menu.open) return;
        for (const other of openMenus()) if (other !== menu) close(other, false);
        menu.querySelector(".menu-body")?.scrollIntoView({ block: "nearest" });
    },
    true,
);

document.addEventListener("pointerdown", (event) => {
    for (const menu of openMenus()) if (!menu.contains(/** @type {Node} */ (event.target))) close(menu, false);
});

document.addEventListener("focusin", (event) => {
    for (const menu of openMenus()) if (!menu.contains(/** @type {Node} */ (event.target))) close(menu, false);
});

document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
        for (const menu of openMenus()) close(menu, true);
    } else if (event.key === "F2") {
        const board = /** @type {HTMLElement} */ (event.target).closest?.(".board");
        /** @type {HTMLInputElement} */
        const name = board?.querySelector("details.menu input[name=name]");
        if (!name) return;
        event.preventDefault();
        /** @type {HTMLDetailsElement} */
        const menu = board.querySelector("details.menu");
        menu.open = true;
        name.focus();
        name.select();
    }
});

document.addEventListener("submit", (event) => {
    const form = event.target;
    const menu = form.closest("details.menu");
    // Users submit a form with `data-stays`, which moves an item, several times in a row: its menu stays open.
    if (!menu || !("enhanced" in form.dataset) || "stays" in form.dataset) return;
    const observer = new MutationObserver(() => {
        if (form.getAttribute("aria-busy") === "true") return;
        observer.disconnect();
        if (!form.querySelector("[role=alert]:not([hidden])")) close(menu, true);
    });
    observer.observe(form, { attributes: true, attributeFilter: ["aria-busy"] });
});

// --- Import: choosing a file imports it at once, and a file may be dropped anywhere on the page.

/** @type {HTMLFormElement} */
const form = document.getElementById("import-form");
/** @type {HTMLInputElement} */
const field = form?.querySelector("input[type=file]");

field?.addEventListener("change", () => {
    if (field.files.length > 0) form.requestSubmit();
});

if (field) {
    const bringsFiles = (event) => event.dataTransfer?.types.includes("Files");
    let depth = 0;
    const show = (isDropping) => document.body.classList.toggle("dropping", isDropping);
    document.addEventListener("dragenter", (event) => {
        if (!bringsFiles(event)) return;
        depth += 1;
        show(true);
    });
    document.addEventListener("dragleave", (event) => {
        if (!bringsFiles(event)) return;
        depth = Math.max(0, depth - 1);
        show(depth > 0);
    });
    document.addEventListener("dragover", (event) => {
        if (!bringsFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
    });
    document.addEventListener("drop", (event) => {
        if (!bringsFiles(event)) return;
        event.preventDefault();
        depth = 0;
        show(false);
        if (event.dataTransfer.files.length === 0) return;
        // A file becomes one board, so only the first of several is imported.
        const first = new DataTransfer();
        first.items.add(event.dataTransfer.files[0]);
        field.files = first.files;
        form.requestSubmit();
    });
}

// --- Backgrounds that this browser can't load or decode.

const backgrounds = ".board .board-picture image";
/** The last checked address of each image. */
const checked = new WeakMap();
const failed = new WeakSet();

/** Loads and decodes a background; shows a message below the board's picture if that fails. */
async function check(image) {
    const address = image.getAttribute("href");
    checked.set(image, address);
    failed.delete(image);
    image.closest(".board").querySelector(".board-problem")?.remove();
    try {
        await decode(image);
    } catch {
        if (checked.get(image) !== address) return;
        failed.add(image);
        showProblem(image);
    }
}

function showProblem(image) {
    const board = image.closest(".board");
    if (!board || board.querySelector(".board-problem")) return;
    const problem = document.createElement("p");
    problem.className = "board-problem";
    const retry = document.createElement("button");
    retry.type = "button";
    retry.className = "button quiet";
    retry.textContent = "Retry";
    retry.setAttribute("aria-label", `Retry the background of “${board.querySelector(".board-name").textContent}”`);
    retry.addEventListener("click", () => {
        const again = image.cloneNode();
        problem.remove();
        // The observer below checks the copy, which loads it again.
        image.replaceWith(again);
    });
    problem.append("This browser can't show the background.", retry);
    board.querySelector(".board-picture").after(problem);
}

/** Checks new backgrounds, and restores messages that an updated list has removed. */
function checkBackgrounds() {
    for (const image of document.querySelectorAll(backgrounds)) {
        if (checked.get(image) !== image.getAttribute("href")) check(image);
        else if (failed.has(image)) showProblem(image);
    }
}

const main = document.querySelector("main");
if (main) {
    new MutationObserver(checkBackgrounds)
        .observe(main, { childList: true, subtree: true, attributes: true, attributeFilter: ["href"] });
    checkBackgrounds();
}

// Enhances the list of boards: F2 renames, dropped files are imported, backgrounds that this browser can't show are
// reported, and the undo histories of deleted boards are removed.

import { decode } from "./decoding.js";
import { removeHistories } from "./stored-history.js";
import { backgroundNotShown, retryBackground, retryBackgroundOf } from "./words.js";

// --- F2 renames the board that has the focus.

document.addEventListener("keydown", (event) => {
    if (event.key !== "F2") return;
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
    const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
    let depth = 0;
    const show = (isDropping) => document.body.classList.toggle("dropping", isDropping);
    document.addEventListener("dragenter", (event) => {
        if (!hasFiles(event)) return;
        depth += 1;
        show(true);
    });
    document.addEventListener("dragleave", (event) => {
        if (!hasFiles(event)) return;
        depth = Math.max(0, depth - 1);
        show(depth > 0);
    });
    document.addEventListener("dragover", (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "copy";
    });
    document.addEventListener("drop", (event) => {
        if (!hasFiles(event)) return;
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
async function checkBackground(image) {
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
    retry.textContent = retryBackground;
    const name = board.querySelector(".board-name").textContent;
    retry.setAttribute("aria-label", retryBackgroundOf({ name }));
    retry.addEventListener("click", () => {
        const copy = image.cloneNode();
        problem.remove();
        // The observer below checks the copy, which loads it again.
        image.replaceWith(copy);
    });
    problem.append(backgroundNotShown, retry);
    board.querySelector(".board-picture").after(problem);
}

/** Checks new backgrounds, and restores messages that an updated list has removed. */
function checkBackgrounds() {
    for (const image of document.querySelectorAll(backgrounds)) {
        if (checked.get(image) !== image.getAttribute("href")) checkBackground(image);
        else if (failed.has(image)) showProblem(image);
    }
}

const main = document.querySelector("main");
if (main) {
    new MutationObserver(checkBackgrounds)
        .observe(main, { childList: true, subtree: true, attributes: true, attributeFilter: ["href"] });
    checkBackgrounds();
}

// --- The undo histories of boards that no longer exist. A list of several pages doesn't have all boards.

if (document.getElementById("boards") && !document.getElementById("pages")) {
    const boards = Array.from(document.querySelectorAll("#list .board"), ({ id }) => id.slice("board-".length));
    removeHistories(new Set(boards));
}

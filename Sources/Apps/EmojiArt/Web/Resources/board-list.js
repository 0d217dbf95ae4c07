// Enhances the list of boards: F2 renames, dropped files are imported, backgrounds that this browser can't show are
// reported, and the undo histories of deleted boards are removed.

import { decode } from "./decoding.js";
import { make } from "./elements.js";
import { removeHistories } from "./stored-history.js";
import { backgroundNotShown, retryBackground, retryBackgroundOf } from "./words.js";

// --- F2 renames the board that has the focus.

document.addEventListener("keydown", (event) => {
    const board = /** @type {HTMLElement} */ (event.target).closest(".board");
    if (event.key !== "F2" || !board) return;
    event.preventDefault();
    const menu = board.querySelector("details");
    /** @type {HTMLInputElement} */
    const name = menu.querySelector("input[name=name]");
    menu.open = true;
    name.focus();
    name.select();
});

// --- Import: choosing a file imports it at once, and a file may be dropped anywhere on the page.

const form = document.forms.namedItem("import-form");
const field = form.querySelector("input");

field.addEventListener("change", () => {
    if (field.files.length > 0) form.requestSubmit();
});

/** The number of nested elements that files are dragged over: entering an element comes before leaving another one. */
let depth = 0;

function handleDrag(event) {
    const { files, types } = event.dataTransfer;
    if (!types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    const newDepth = { dragenter: depth + 1, dragleave: depth - 1, dragover: depth, drop: 0 }[event.type];
    depth = Math.max(0, newDepth);
    document.body.classList.toggle("dropping", depth > 0);
    if (event.type !== "drop" || files.length === 0) return;
    // A file becomes one board, so only the first of several is imported.
    const first = new DataTransfer();
    first.items.add(files[0]);
    field.files = first.files;
    form.requestSubmit();
}

for (const type of ["dragenter", "dragleave", "dragover", "drop"]) document.addEventListener(type, handleDrag);

// --- Backgrounds that this browser can't load or decode.

/** The latest check of each image: {address, name}, with the name of its board. */
const checks = new WeakMap();

/** Loads and decodes a background; shows a message below the board's picture if that fails. */
async function checkBackground(image, address, name) {
    const board = image.closest(".board");
    const check = { address, name };
    checks.set(image, check);
    board.querySelector(".board-problem")?.remove();
    try {
        await decode(image);
    } catch {
        if (checks.get(image) === check && board.contains(image)) showProblem(board, image, name);
    }
}

function showProblem(board, image, name) {
    const retry = () => {
        problem.remove();
        // The observer below checks the copy, which loads it again.
        image.replaceWith(image.cloneNode());
    };
    const label = retryBackgroundOf({ name });
    // An update of the list keeps it.
    const problem = make("p", { class: "board-problem", "data-keep": "" }, backgroundNotShown,
        make("button", { type: "button", class: "button quiet", "aria-label": label, click: retry }, retryBackground));
    board.querySelector(".board-picture").after(problem);
}

/** Checks new backgrounds, and removes the messages about former ones. */
function checkBackgrounds() {
    for (const image of document.querySelectorAll(".board .board-picture image")) {
        const address = image.getAttribute("href");
        const name = image.closest(".board").querySelector(".board-name").textContent;
        const check = checks.get(image);
        if (check?.address !== address || check.name !== name) checkBackground(image, address, name);
    }
    for (const problem of document.querySelectorAll(".board:not(:has(image)) .board-problem")) problem.remove();
}

new MutationObserver(checkBackgrounds).observe(document.querySelector("main"), {
    childList: true, characterData: true, subtree: true, attributeFilter: ["href"],
});
checkBackgrounds();

// --- The undo histories of boards that no longer exist. A list of several pages doesn't have all boards.

if (!document.getElementById("pages")) {
    const boards = Array.from(document.querySelectorAll("#list .board"), ({ id }) => id.slice("board-".length));
    removeHistories(new Set(boards));
}

// The help sheet, and the dialog for confirmations.

import { commands, isOffered } from "./commands.js";
import { make } from "./elements.js";
import { formatKeys } from "./keyboard.js";
import { inMenu, inPaletteMenu, orKey } from "./words.js";

/** Shows the help: the page has the part about mouse and touch, and the others list the commands. */
export function showHelp(board) {
    const sheet = document.getElementById("help-sheet");
    const offered = commands.filter((command) => isOffered(command, board));
    const sections = Array.from(Map.groupBy(offered, ({ group }) => group), ([group, members]) =>
        make("section", {}, make("h3", {}, group), make("dl", {}, ...members.map(helpOf))));
    sheet.replaceChildren(sheet.firstElementChild, ...sections);
    sheet.closest("dialog").showModal();
}

/** The line about a command: its keys, or the menu that contains it. */
function helpOf({ id, short, label, keys, menus }) {
    const separated = keys.flatMap((key, index) => [index > 0 ? orKey : "", make("kbd", {}, formatKeys(key))]);
    const place = menus.includes("palette") ? inPaletteMenu : inMenu;
    const detail = make("dd", {}, ...(keys.length ? separated : [place]));
    return make("div", { "data-command": id }, make("dt", {}, short ?? label), detail);
}

/** Asks for confirmation: {title, text, action}. Resolves to whether the person confirmed. */
export function askForConfirmation({ title, text, action }) {
    /** @type {HTMLDialogElement} */
    const dialog = document.getElementById("question");
    dialog.querySelector("h2").textContent = title;
    dialog.querySelector("p").textContent = text;
    dialog.querySelector("[value=yes]").textContent = action;
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((done) => {
        dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true });
    });
}

for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelector("[data-close]")?.addEventListener("click", () => dialog.close());
    // A press outside a dialog closes it, as Escape does.
    dialog.addEventListener("pointerdown", (event) => {
        if (event.target !== dialog) return;
        const { clientX: x, clientY: y } = event;
        const { left, right, top, bottom } = dialog.getBoundingClientRect();
        if (x < left || x > right || y < top || y > bottom) dialog.close();
    });
}

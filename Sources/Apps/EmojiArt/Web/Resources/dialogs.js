// The help sheet, which is made from the table of commands, and the dialog for confirmations.

import { commands, labelOf, pointerHelp } from "./commands.js";
import { written } from "./keyboard.js";

export class Help {
    #board;
    /** @type {HTMLDialogElement} */
    #dialog = document.getElementById("help");
    #sheet = document.getElementById("help-sheet");

    constructor(board) {
        this.#board = board;
    }

    show() {
        this.#sheet.replaceChildren(...this.#sections());
        this.#dialog.showModal();
    }

    #sections() {
        const groups = Map.groupBy?.(commands, ({ group }) => group) ?? grouped(commands);
        const sections = Array.from(groups, ([group, members]) => section(group, members.map((command) => row(
            command.short ?? labelOf(command, this.#board), command.keys.map(written), command))));
        return [section("Pointer", pointerHelp.map(([what, how]) => row(what, [], { how }))), ...sections];
    }
}

function grouped(list) {
    const groups = new Map();
    for (const item of list) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
    return groups;
}

function section(name, rows) {
    const whole = document.createElement("section");
    const heading = document.createElement("h3");
    heading.textContent = name;
    const list = document.createElement("dl");
    list.append(...rows);
    whole.append(heading, list);
    return whole;
}

function row(what, keys, /** @type {{ id?: string, how?: string, menus?: string[] }} */ { id, how, menus = [] }) {
    const whole = document.createElement("div");
    if (id) whole.dataset.command = id;
    const term = document.createElement("dt");
    term.textContent = what;
    const detail = document.createElement("dd");
    for (const [index, key] of keys.entries()) {
        if (index > 0) detail.append(" or ");
        detail.append(Object.assign(document.createElement("kbd"), { textContent: key }));
    }
    if (how) detail.textContent = how;
    else if (!keys.length) detail.textContent = menus.includes("palette") ? "in the palette’s menu" : "in the menu";
    whole.append(term, detail);
    return whole;
}

/** Asks for confirmation: {title, text, action}. Resolves to whether the person confirmed. */
export function ask({ title, text, action }) {
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

for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
}

// A press outside a dialog closes it, as Escape does.
for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("pointerdown", (event) => {
        if (event.target !== dialog) return;
        const { clientX: x, clientY: y } = event;
        const { left, right, top, bottom } = dialog.getBoundingClientRect();
        if (x < left || x > right || y < top || y > bottom) dialog.close();
    });
}

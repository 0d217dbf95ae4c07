// The bars of buttons and the items of the menus, made from the table of commands.

import { canRun, commands, valueFor } from "./commands.js";
import { make } from "./elements.js";
import { ariaKeys, formatKeys } from "./keyboard.js";
import { openAt, openBelow } from "./menu.js";
import { boardGroup, selectionMenuName } from "./words.js";

const menuLabels = { board: boardGroup, chosen: selectionMenuName, empty: boardGroup };

/** One of the page's icons, which have the same markup. */
function icon(name) {
    const picture = /** @type {Element} */ (document.querySelector("#board .icon").cloneNode(true));
    picture.querySelector("use").setAttribute("href", `#icon-${name}`);
    return picture;
}

export class Toolbars {
    #board;
    /** Pairs of a button and its command. */
    #buttons = [];

    constructor(board) {
        this.#board = board;
        for (const bar of document.querySelectorAll("[data-bar]")) this.#fill(bar);
        for (const menu of ["board", "chosen"]) {
            const button = document.getElementById(`${menu}-menu`);
            button.addEventListener("click", () => openBelow(button, this.#items(menu), menuLabels[menu]));
        }
    }

    #fill(bar) {
        const board = this.#board;
        for (const command of commands.filter((command) => command.bar === bar.dataset.bar)) {
            const button = make("button", {
                type: "button", class: "tool", "data-command": command.id,
                "aria-keyshortcuts": ariaKeys(command.keys[0]),
            });
            if (command.icon) button.append(icon(valueFor(board, command.icon)));
            // A disabled command does nothing, or explains that the selected emoji are locked.
            button.addEventListener("click", () => board.run(command.id));
            bar.append(button);
            this.#buttons.push([button, command]);
            if (command.list) bar.append(this.#listButton(command));
        }
    }

    #listButton({ id, list, listLabel: label }) {
        const button = make("button", {
            type: "button", class: "tool tool-list", "data-list": id, title: label, "aria-label": label,
            "aria-haspopup": "menu", "aria-expanded": false,
        }, icon("down"));
        button.addEventListener("click", () => openBelow(button, list(this.#board), label));
        return button;
    }

    /** The items of a menu, with a heading for each group of commands. */
    #items(menu) {
        const board = this.#board;
        if (board.isGone) return [];
        // The menu of an empty place omits disabled commands.
        const listed = commands.filter((command) => command.menus.includes(menu)
            && (canRun(command, board) || (menu !== "empty" && !command.isOptional)));
        return Array.from(Map.groupBy(listed, ({ group }) => group), ([heading, members]) =>
            [{ heading }, ...members.map((command) => this.menuItem(command))]).flat();
    }

    /** A command as a menu item. */
    menuItem(command) {
        const board = this.#board;
        const { id, label, keys, href, isDownload } = command;
        return {
            id, isDownload, label: valueFor(board, label), keys: keys[0], href: valueFor(board, href),
            isEnabled: canRun(command, board), run: command.run && (() => board.run(id)),
        };
    }

    /** Opens the menu of the selection, or of an empty place. */
    showMenuAt(x, y, isEmpty) {
        const menu = isEmpty ? "empty" : "chosen";
        openAt(x, y, this.#items(menu), menuLabels[menu]);
    }

    refresh() {
        const board = this.#board;
        for (const [button, command] of this.#buttons) {
            const label = valueFor(board, command.label);
            const [keys] = command.keys;
            set(button, "title", keys ? `${label} (${formatKeys(keys)})` : label);
            set(button, "aria-label", label);
            // A disabled button would lose the focus, so buttons are only marked as disabled.
            set(button, "aria-disabled", !canRun(command, board));
            if (command.isOn) set(button, "aria-pressed", command.isOn(board));
            if (command.icon) set(button.querySelector("use"), "href", `#icon-${valueFor(board, command.icon)}`);
        }
    }
}

function set(button, name, value) {
    if (button.getAttribute(name) !== String(value)) button.setAttribute(name, String(value));
}

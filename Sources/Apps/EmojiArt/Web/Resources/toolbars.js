// The bars of buttons and the items of the menus, made from the table of commands.

import { canRun, commands, iconOf, labelOf } from "./commands.js";
import { formatKeys } from "./keyboard.js";
import { openAt, openBelow } from "./menu.js";
import { boardGroup, selectionMenuName } from "./words.js";

const svgNamespace = "http://www.w3.org/2000/svg";

/** One of the page's icons. */
export function icon(name) {
    const picture = document.createElementNS(svgNamespace, "svg");
    picture.setAttribute("class", "icon");
    picture.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(svgNamespace, "use");
    use.setAttribute("href", `#icon-${name}`);
    picture.append(use);
    return picture;
}

export class Toolbars {
    #board;
    /** Pairs of a button and its command. */
    #buttons = [];

    constructor(board) {
        this.#board = board;
        for (const bar of document.querySelectorAll("[data-bar]")) this.#fill(bar);
        this.#menuButton("board-menu", "board", boardGroup);
        this.#menuButton("chosen-menu", "chosen", selectionMenuName);
    }

    #fill(bar) {
        for (const command of commands.filter((command) => command.bar === bar.dataset.bar)) {
            const button = document.createElement("button");
            button.type = "button";
            button.className = "tool";
            button.dataset.command = command.id;
            if (command.icon) button.append(icon(iconOf(command, this.#board)));
            // A disabled command does nothing, or explains that the selected emoji are locked.
            button.addEventListener("click", () => this.#board.run(command.id));
            bar.append(button);
            this.#buttons.push([button, command]);
            if (command.list) bar.append(this.#listButton(command));
        }
    }

    #listButton(command) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "tool tool-list";
        button.dataset.list = command.id;
        const label = command.listLabel;
        button.title = label;
        button.setAttribute("aria-label", label);
        button.setAttribute("aria-haspopup", "menu");
        button.setAttribute("aria-expanded", "false");
        button.append(icon("down"));
        button.addEventListener("click", () => openBelow(button, command.list(this.#board), label));
        return button;
    }

    #menuButton(id, menu, label) {
        const button = document.getElementById(id);
        button.addEventListener("click", () => openBelow(button, this.#items(menu), label));
    }

    /** The items of a menu, with a heading for each group of commands. */
    #items(menu) {
        const board = this.#board;
        const items = [];
        let group = null;
        // The menu of an empty place omits disabled commands.
        const isListed = (command) => command.menus.includes(menu)
            && (canRun(command, board) || (menu !== "empty" && !command.isOptional));
        for (const command of commands.filter(isListed)) {
            if (command.group !== group) items.push({ heading: command.group });
            group = command.group;
            items.push(this.menuItem(command));
        }
        return board.isGone ? [] : items;
    }

    /** A command as a menu item. */
    menuItem(command) {
        const board = this.#board;
        return {
            id: command.id,
            label: labelOf(command, board),
            keys: command.keys[0],
            href: command.download ? `/art/boards/${board.id}/${command.download}` : command.href,
            download: Boolean(command.download),
            isEnabled: canRun(command, board),
            run: command.download ? (event) => download(board, event) : command.run && (() => board.run(command.id)),
        };
    }

    /** Opens the menu of the selection, or of an empty place. */
    showMenuAt(x, y, isEmpty) {
        if (isEmpty) openAt(x, y, this.#items("empty"), boardGroup);
        else openAt(x, y, this.#items("chosen"), selectionMenuName);
    }

    refresh() {
        const board = this.#board;
        for (const [button, command] of this.#buttons) {
            const label = labelOf(command, board);
            const keys = command.keys[0];
            const title = keys ? `${label} (${formatKeys(keys)})` : label;
            if (button.title !== title) {
                button.title = title;
                button.setAttribute("aria-label", label);
                if (keys) button.setAttribute("aria-keyshortcuts", shortcuts(keys));
            }
            // A disabled button would lose the focus, so buttons are only marked as disabled.
            set(button, "aria-disabled", !canRun(command, board));
            if (command.isOn) set(button, "aria-pressed", command.isOn(board));
            if (command.icon) set(button.querySelector("use"), "href", `#icon-${iconOf(command, board)}`);
        }
    }
}

function download(board, event) {
    event.preventDefault();
    void board.files.download(event.currentTarget.href);
}

function set(button, name, value) {
    if (button.getAttribute(name) !== String(value)) button.setAttribute(name, String(value));
}

function shortcuts(keys) {
    return keys.replace("Mod", /Mac|iPhone|iPad/.test(navigator.platform) ? "Meta" : "Control");
}

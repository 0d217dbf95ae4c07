// The bars of buttons and the items of the menus, made from the table of commands, and the elements that float over a
// board: the hint on an empty board, the bar of the selection, and the button back to the content.

import { canRun, commands, isOffered, valueFor } from "./commands.js";
import { make } from "./elements.js";
import { ariaKeys, formatKeys } from "./keyboard.js";
import { openAt, openBelow } from "./menu.js";
import { post, request } from "./requests.js";
import { boardGroup, countSelected, selectionMenuName } from "./words.js";

const menuLabels = { board: boardGroup, chosen: selectionMenuName, empty: boardGroup };

const invitation = document.getElementById("invitation");
const selectionBar = document.getElementById("chosen");
const backButton = document.getElementById("back-to-content");

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
        backButton.addEventListener("click", () => board.run("content"));
    }

    #fill(bar) {
        const board = this.#board;
        for (const command of commands.filter((command) => command.bar === bar.dataset.bar && isOffered(command, board))) {
            const { id, keys, list, listLabel: label } = command;
            const button = make("button", {
                type: "button", class: "tool", "data-command": id, "aria-keyshortcuts": ariaKeys(keys[0]),
            });
            if (command.icon) button.append(icon(valueFor(board, command.icon)));
            // A disabled command does nothing, or explains that the selected emoji are locked.
            button.addEventListener("click", () => board.run(id));
            bar.append(button);
            this.#buttons.push([button, command]);
            if (!list) continue;
            const listButton = make("button", {
                type: "button", class: "tool tool-list", "data-list": id, title: label, "aria-label": label,
                "aria-haspopup": "menu", "aria-expanded": false,
            }, icon("down"));
            listButton.addEventListener("click", () => openBelow(listButton, list(board), label));
            bar.append(listButton);
        }
    }

    /** The items of a menu, with a heading for each group of commands. */
    #items(menu) {
        const board = this.#board;
        if (board.isGone) return [];
        // The menu of an empty place omits disabled commands.
        const listed = commands.filter((command) => command.menus.includes(menu) && isOffered(command, board)
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
            else button.textContent = board.camera.percent;
        }
        const { backdrop, drawing, model, selection, stage, sync, isGone } = board;
        const hasContent = sync.art.emojis.size > 0 || backdrop.shown !== null;
        invitation.hidden = board.isViewOnly || hasContent || isGone || sync.picture.state === "fetching";
        backButton.hidden = !hasContent || isGone || model.isContentVisible();
        const hadFocus = selectionBar.contains(document.activeElement);
        // Like the handles, the bar is hidden during a drag, which it would cover.
        selectionBar.hidden = board.isViewOnly || sync.availability.targets === 0 || drawing.isDragging || isGone;
        // A hidden button loses the focus, and the Tab key would start again at the top of the page.
        if (hadFocus && selectionBar.hidden) stage.focus({ preventScroll: true });
        const { size } = selection;
        document.getElementById("chosen-count").textContent = size > 1 ? countSelected({ count: size }) : "";
        if (!selectionBar.hidden) placeSelectionBar(model, stage);
    }
}

function set(button, name, value) {
    if (button.getAttribute(name) !== String(value)) button.setAttribute(name, String(value));
}

/** Places the selection's bar where the model wants it. */
function placeSelectionBar(model, stage) {
    const { offsetWidth: width, offsetHeight: height, style } = selectionBar;
    const { left: x, top: y } = stage.getBoundingClientRect();
    // The other elements that the bar must not cover. A hidden element has no area, and so covers nothing.
    const elements = document.querySelectorAll("#background-problem, #back-to-content, .over-tools, .over-view");
    const obstacles = Array.from(elements, (element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        return [left - x, top - y, right - x, bottom - y];
    });
    const place = model.barPlace(width, height, document.getElementById("saving-detail").offsetHeight, obstacles);
    if (place) [style.left, style.top] = place.map((length) => `${length}px`);
}

/** Shows that the board was deleted: only restoring it is possible. */
export function showGone({ address, isShared, stage, sync, toasts }) {
    document.getElementById("gone").hidden = false;
    stage.inert = true;
    const palette = document.getElementById("palette");
    if (palette) palette.inert = true;
    const reload = () => location.reload();
    const check = () => request(`${address}/state`).then(reload);
    if (!isShared) {
        const button = document.getElementById("restore");
        button.focus();
        // The board may already have been restored, which makes the request fail.
        button.onclick = () => post(`${address}/restore`)
            .then(reload, ({ message }) => check().catch(() => toasts.alert(message)));
    }
    // Another tab or person may restore the board. A response sent before the deletion sets "saved" too, so check.
    sync.addEventListener("status", () => sync.status === "saved" && check().catch(() => {}));
}

// A board's page: creates its parts and runs commands.

import { Announcer } from "./announcer.js";
import { Backdrop } from "./backdrop.js";
import { BoardBackground } from "./background.js";
import { BoardHeader } from "./board-header.js";
import { BoardSync } from "./board-sync.js";
import { Camera } from "./camera.js";
import { Clipboard } from "./clipboard.js";
import { changesSelection, commands } from "./commands.js";
import { Help } from "./dialogs.js";
import { BoardDownloads } from "./downloads.js";
import { Drawing } from "./drawing.js";
import { Editing } from "./editing.js";
import { Gestures } from "./gestures.js";
import { Glyphs } from "./glyphs.js";
import { BoardImport } from "./importing.js";
import { Keyboard } from "./keyboard.js";
import { Nudging } from "./nudging.js";
import { Overlays } from "./overlays.js";
import { PaletteBar } from "./palette-bar.js";
import { PaletteEditor } from "./palette-editor.js";
import { PaletteList } from "./palette-list.js";
import { Selection } from "./selection.js";
import { Toasts } from "./toasts.js";
import { Toolbars } from "./toolbars.js";
import { Viewing } from "./viewing.js";
import { wheel } from "./wheel.js";
import { emojiAreLocked, emojiIsLocked, unlockLabel } from "./words.js";

class Board {
    /** Whether the board was deleted. */
    isGone = false;
    /** Whether a refresh is scheduled for the next frame. */
    #isRefreshScheduled = false;

    constructor({ dataset }) {
        const read = (id) => JSON.parse(document.getElementById(id).textContent);
        this.id = dataset.id;
        this.stage = document.getElementById("stage");
        this.toasts = new Toasts();
        this.announcer = new Announcer(this);
        this.sync = new BoardSync({ id: this.id, state: read("state") });
        const art = () => this.sync.art;
        this.glyphs = new Glyphs();
        this.selection = new Selection(art, this.glyphs);
        this.camera = new Camera(() => this.#viewDidChange());
        this.backdrop = new Backdrop(() => this.#pictureDidLoad(), () => this.background?.pictureDidFail());
        const { stage, camera, glyphs, selection, backdrop } = this;
        const [paper, front] = [document.getElementById("paper"), document.getElementById("front")];
        this.drawing = new Drawing({ stage, paper, front, camera, glyphs, selection, backdrop, art });
        this.palettes = new PaletteList(read("palettes"), (message) => this.#showPaletteMessage(message));
        this.sync.addEventListener("palettes", () => this.palettes.handleVersion(this.sync.palettes));
        this.viewing = new Viewing(this);
        this.editing = new Editing(this);
        this.nudging = new Nudging(() => this.editing.beginNudge());
        this.gestures = new Gestures(this);
        this.keyboard = new Keyboard(this);
        this.clipboard = new Clipboard(this);
        this.toolbars = new Toolbars(this);
        this.header = new BoardHeader(this);
        this.background = new BoardBackground(this);
        this.paletteBar = new PaletteBar(this);
        this.paletteEditor = new PaletteEditor(this);
        this.importing = new BoardImport(this);
        this.downloads = new BoardDownloads(this);
        this.help = new Help(this);
        this.overlays = new Overlays(this);
        wheel(this);
        this.#follow();
        this.viewing.open();
        // On a new board, the keys apply to the board at once, and Tab continues from it.
        if (this.sync.art.emojis.size === 0 && document.activeElement === document.body) {
            stage.focus({ preventScroll: true });
        }
        stage.dataset.ready = "";
    }

    #follow() {
        const { sync, selection, drawing } = this;
        sync.addEventListener("change", () => {
            selection.prune();
            drawing.invalidateFront();
            this.refresh();
        });
        sync.addEventListener("history", () => this.refresh());
        sync.addEventListener("refused", (/** @type {CustomEvent<{ messages: string[] }>} */ { detail }) => {
            for (const message of detail.messages) this.toasts.alert(message);
        });
        sync.addEventListener("gone", () => this.#setGone());
        selection.addEventListener("change", () => {
            drawing.invalidateFront();
            this.refresh();
        });
    }

    #viewDidChange() {
        this.drawing?.invalidate();
        this.refresh();
    }

    #pictureDidLoad() {
        this.drawing.invalidate();
        this.viewing.pictureDidLoad();
        this.background.pictureDidLoad();
        this.refresh();
    }

    /** Shows a message about palettes: in the editor while it is open, because its dialog covers toasts. */
    #showPaletteMessage(message) {
        if (this.paletteEditor?.isOpen) this.paletteEditor.showMessage(message);
        else this.toasts.alert(message);
    }

    #setGone() {
        this.cancel();
        this.isGone = true;
        /** @type {NodeListOf<HTMLDialogElement>} */
        const dialogs = document.querySelectorAll("dialog[open]");
        for (const dialog of dialogs) dialog.close();
        this.overlays.showGone();
        this.refresh();
    }

    /** Updates buttons and hints, at most once per frame. */
    refresh() {
        if (this.#isRefreshScheduled || !this.overlays) return;
        this.#isRefreshScheduled = true;
        requestAnimationFrame(() => {
            this.#isRefreshScheduled = false;
            this.toolbars.refresh();
            this.overlays.refresh();
        });
    }

    // --- Commands.

    /** Runs a command. Returns whether it could run. */
    run(id) {
        const command = commands.find((command) => command.id === id);
        if (this.isGone) return false;
        // End a step of the arrow keys before checking `isEnabled`: Undo is enabled only once the step has ended.
        if (!command.isNudge) this.settle();
        if (!(command.isEnabled?.(this) ?? true)) {
            if (changesSelection(command)) this.#explainLock();
            return false;
        }
        if (!command.href) return command.run(this) ?? true;
        location.assign(command.href);
        return true;
    }

    /** Explains why a command doesn't change the selected emoji, if all of them are locked. */
    #explainLock() {
        const { length } = this.selection.targets;
        if (length === 0) return;
        const message = length === 1 ? emojiIsLocked : emojiAreLocked;
        this.toasts.show(message, { label: unlockLabel, run: () => this.run("lock") });
    }

    /** Ends a step of the arrow keys, and stops the view from following new content. */
    settle() {
        this.viewing.isUntouched = false;
        this.nudging.end();
    }

    /** Cancels the current drag, gesture or nudge. Returns whether there was one. */
    cancel() {
        const wasNudging = this.nudging.cancel();
        if (this.paletteBar.drag.cancel()) return true;
        if (!this.gestures.isActive) return wasNudging;
        this.gestures.cancel();
        return true;
    }
}

const element = document.getElementById("board");

/** The page's board. */
export const board = element ? new Board(element) : null;

// A board's page: creates its parts and runs commands.

import { Announcer } from "./announcer.js";
import { Backdrop } from "./backdrop.js";
import { BoardBackground } from "./background.js";
import { BoardHeader } from "./board-header.js";
import { BoardSync } from "./board-sync.js";
import { Camera } from "./camera.js";
import { Clipboard } from "./clipboard.js";
import { canRun, commands } from "./commands.js";
import { Help } from "./dialogs.js";
import { BoardDownloads } from "./downloads.js";
import { Drawing } from "./drawing.js";
import { Gestures } from "./gestures.js";
import { Glyphs } from "./glyphs.js";
import { BoardImport } from "./importing.js";
import { Keyboard } from "./keyboard.js";
import { Overlays } from "./overlays.js";
import { PaletteBar } from "./palette-bar.js";
import { PaletteEditor } from "./palette-editor.js";
import { PaletteList } from "./palette-list.js";
import { Selection } from "./selection.js";
import { storeHistory } from "./stored-history.js";
import { Toasts } from "./toasts.js";
import { Toolbars } from "./toolbars.js";
import { Viewing } from "./viewing.js";
import { wheel } from "./wheel.js";
import { unlockLabel } from "./words.js";
import { worded } from "./worded.js";
import { instantiate } from "../site/bridge.js";

class Board {
    /** Whether the board was deleted. */
    isGone = false;
    /** Whether a refresh is scheduled for the next frame. */
    #isRefreshScheduled = false;
    /** The model's timers, by name. */
    #timers = {};

    /** - model: The functions of the board's WebAssembly module. */
    constructor({ dataset }, model) {
        const read = (id) => JSON.parse(document.getElementById(id).textContent);
        this.id = dataset.id;
        this.stage = document.getElementById("stage");
        this.toasts = new Toasts();
        this.announcer = new Announcer(this);
        this.sync = new BoardSync({ id: this.id, state: read("state"), model });
        /** The model's functions; the page carries out the effects of each call. */
        this.model = this.sync.model;
        const art = () => this.sync.art;
        this.glyphs = new Glyphs();
        this.selection = new Selection(this.sync);
        this.camera = new Camera(this.model, () => this.#viewDidChange());
        this.backdrop = new Backdrop(() => this.#pictureDidLoad(), () => this.background?.pictureDidFail());
        const { stage, camera, glyphs, selection, backdrop } = this;
        const [paper, front] = [document.getElementById("paper"), document.getElementById("front")];
        this.drawing = new Drawing({
            stage, paper, front, camera, glyphs, selection, backdrop, model: this.model, art,
        });
        this.palettes = new PaletteList(read("palettes"), (message) => this.paletteEditor.alert(message));
        this.sync.addEventListener("palettes", () => this.palettes.handleVersion(this.sync.palettes));
        this.viewing = new Viewing(this);
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
        storeHistory(this);
        this.#measure(Array.from(new Set(Array.from(this.sync.art.emojis.values(), ({ text }) => text))));
        window.addEventListener("pagehide", () => this.model.endNudge());
        document.addEventListener("visibilitychange", () => document.hidden && this.model.endNudge());
        this.viewing.open();
        // On a new board, the keys apply to the board at once, and Tab continues from it.
        if (this.sync.art.emojis.size === 0 && document.activeElement === document.body) {
            stage.focus({ preventScroll: true });
        }
        stage.dataset.ready = "";
    }

    #follow() {
        const { sync, selection, drawing } = this;
        sync.addEventListener("effects", (/** @type {CustomEvent} */ { detail }) => this.#carryOut(detail));
        sync.addEventListener("change", () => {
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

    /** Carries out the model's effects on this page. */
    #carryOut(effects) {
        const { announcer, camera, drawing, gestures, selection, stage, viewing } = this;
        const hadOtherTool = viewing.tool !== effects.tool;
        viewing.tool = effects.tool;
        gestures.isActive = effects.isGestureActive;
        camera.update(effects);
        selection.update(effects);
        drawing.update(effects);
        if (effects.cursor !== undefined) stage.dataset.cursor = effects.cursor;
        this.#setTimer("longPress", effects.longPress, () => this.model.longPress(), gestures.longPress);
        this.#setTimer("nudge", effects.nudge, () => this.model.endNudge());
        if (effects.vibrates) navigator.vibrate?.(12);
        if (effects.announced) announcer.announce(worded(effects.announced));
        if (effects.described) void announcer.describe(effects.described);
        if (effects.drag || hadOtherTool) this.refresh();
        // Last, because measuring causes effects that are newer than these.
        this.#measure(effects.unmeasured);
    }

    /** Starts or stops a timer of the model: `effect` is [time], or [null] to stop it. `other` replaces the time. */
    #setTimer(name, effect, action, other = null) {
        if (!effect) return;
        clearTimeout(this.#timers[name]);
        const [time] = effect;
        if (time !== null) this.#timers[name] = setTimeout(action, other ?? time);
    }

    /** Measures texts for the model, which has no fonts. */
    #measure(texts = []) {
        if (texts.length) this.model.measure(texts.map((text) => [text, this.glyphs.reach(text)]));
    }

    #viewDidChange() {
        this.drawing?.invalidate();
        this.refresh();
    }

    #pictureDidLoad() {
        this.drawing.invalidate();
        const { shown } = this.backdrop;
        this.model.setPicture(shown ? [shown.width, shown.height] : null);
        this.background.pictureDidLoad();
        this.refresh();
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
        // End a step of the arrow keys before checking `canRun`: Undo can run only once the step has ended.
        if (!command.isNudge) this.settle();
        if (!canRun(command, this)) {
            this.#explain(this.sync.availability.unavailable[id]);
            return false;
        }
        if (!command.href) return command.run(this) ?? true;
        location.assign(command.href);
        return true;
    }

    /** Explains why a command can't run: the selected emoji are locked. `explanation` is the model's, or null. */
    #explain(explanation) {
        if (!explanation) return;
        this.toasts.show(worded(explanation), { label: unlockLabel, run: () => this.run("lock") });
    }

    /** Ends a step of the arrow keys, and stops the view from following new content. */
    settle() {
        this.model.settle();
    }

    /**
     * Adds emoji around a position of the board, [x, y], and selects them; near the middle of the view for null.
     */
    add(texts, position, isPasted = false) {
        this.model.add(isPasted, texts, position);
        this.palettes.addRecent(texts[0]);
    }

    /** Cancels the current drag, gesture or nudge. Returns whether there was one. */
    cancel() {
        const wasNudging = this.model.cancelNudge();
        if (this.paletteBar.drag.cancel()) return true;
        return this.gestures.cancel() || wasNudging;
    }
}

const element = document.getElementById("board");

/** Opens the page's board, as soon as its model is compiled. Without WebAssembly, only a picture of it is shown. */
async function open() {
    let model;
    try {
        model = await instantiate(new URL("board.wasm", import.meta.url));
    } catch (error) {
        console.error(error);
        showPicture(element.dataset.id);
        return null;
    }
    return new Board(element, model);
}

/** Shows a picture of a board, and why it can't be changed. */
function showPicture(id) {
    const notice = document.getElementById("picture-only");
    const picture = document.createElement("img");
    picture.src = `/art/boards/${id}/export.svg`;
    picture.alt = document.getElementById("board-title").textContent;
    notice.append(picture);
    notice.hidden = false;
}

/** A promise of the page's board; of null on a page without one, and if only its picture is shown. */
export const board = element ? open() : Promise.resolve(null);

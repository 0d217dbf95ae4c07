// The board's background: shows progress and errors, and lets a person set another one.

import { addressIn, onFile, pictureOf } from "./data-transfer.js";
import { post } from "./requests.js";
import {
    backgroundNotSet, backgroundRemoved, backgroundSet, backgroundUndecodable, enterAddress, removeBackgroundStep,
    setBackgroundStep,
} from "./words.js";

export class BoardBackground {
    #board;
    /** @type {HTMLDialogElement} */
    #dialog = document.getElementById("background-dialog");
    /** @type {HTMLInputElement} */
    #address = document.getElementById("background-address");
    #removeButton = document.getElementById("background-remove");
    /** @type {HTMLDialogElement} */
    #alert = document.getElementById("background-alert");
    #alertRetry = this.#alert.querySelector("[data-retry]");
    #problem = document.getElementById("background-problem");
    #progress = document.getElementById("progress");
    /**
     * The server's state of the picture before this page requested another one; null unless this page awaits a picture.
     * If the request fails, the page shows an alert; if it succeeds, the whole board.
     */
    #pictureBeforeRequest = null;
    /**
     * The upload of the background that was chosen last: {blob, hasFailed}; null if it has ended, and after another
     * choice. `hasFailed` means a temporary failure: Retry uploads the picture again.
     */
    #upload = null;

    constructor(board) {
        this.#board = board;
        board.sync.addEventListener("picture", () => this.update());
        for (const button of document.querySelectorAll("[data-retry]")) {
            button.addEventListener("click", () => this.retry());
        }
        // While the address is invalid, the browser keeps the dialog open and says why.
        this.#dialog.querySelector("[value=set]").addEventListener("click", () => {
            this.#address.setCustomValidity(addressIn(this.#address.value) ? "" : enterAddress);
        });
        this.#address.addEventListener("input", () => this.#address.setCustomValidity(""));
        this.#address.form.addEventListener("submit", () => this.set(addressIn(this.#address.value)));
        onFile("background-file", (file) => {
            this.upload(file);
            this.#dialog.close();
        });
        this.#removeButton.addEventListener("click", () => {
            this.#dialog.close();
            board.run("removeBackground");
        });
        document.getElementById("background-problem-remove").addEventListener("click", () => {
            // The message closes, and the focus would be lost with it.
            if (board.run("removeBackground")) board.stage.focus({ preventScroll: true });
        });
        this.update();
    }

    // --- Actions.

    /** Opens the dialog for choosing a background. */
    openDialog() {
        const { background } = this.#board.sync.art;
        this.#address.value = background?.address ?? "";
        this.#address.setCustomValidity("");
        this.#removeButton.hidden = background === null;
        this.#dialog.showModal();
        this.#address.select();
    }

    /** Sets the background to an address; uploads the content of a `data:` address. */
    set(address) {
        const isData = /^data:/i.test(address);
        if (!isData) this.#upload = null;
        if (isData) this.upload(address);
        // Setting the same address again fetches it again.
        else if (this.#board.sync.art.background?.address === address) this.retry();
        else this.#request({ address });
    }

    /**
     * Uploads a picture, which may be the content of a `data:` address, and makes it the background, unless another
     * choice is made meanwhile.
     */
    async upload(source) {
        const upload = { blob: null, hasFailed: false };
        try {
            upload.blob = pictureOf(source);
            this.#upload = upload;
            this.update();
            const { picture } = await this.#board.sync.uploadPicture(upload.blob);
            if (this.#upload !== upload) return;
            this.#upload = null;
            this.#request({ picture });
            this.update();
        } catch (error) {
            // A picture that isn't worth uploading doesn't end an earlier upload.
            if (upload.blob && this.#upload !== upload) return;
            upload.hasFailed = Boolean(error.isTemporary);
            if (this.#upload === upload && !upload.hasFailed) this.#upload = null;
            this.update();
            this.#showAlert(backgroundNotSet({ reason: error.message }), upload.hasFailed);
        }
    }

    remove() {
        this.#upload = null;
        this.#board.model.change(removeBackgroundStep, [{ op: "background", background: null }]);
        this.#board.announcer.announce(backgroundRemoved);
    }

    async retry() {
        this.#alert.close();
        if (this.#upload?.hasFailed) {
            await this.upload(this.#upload.blob);
            return;
        }
        this.#beginRequest();
        const { address, sync, toasts } = this.#board;
        // The server fetches a picture with an address again. Any other picture is only decoded again, here.
        if (!sync.art.background?.address) this.update();
        else await post(`${address}/background/retry`).catch(({ message }) => toasts.alert(message));
    }

    #request(background) {
        this.#beginRequest();
        this.#board.model.change(setBackgroundStep, [{ op: "background", background }]);
    }

    #beginRequest() {
        this.#pictureBeforeRequest = this.#board.sync.picture;
        this.#board.backdrop.forgetFailure();
    }

    #showAlert(message, canRetry) {
        this.#alert.querySelector("p").textContent = message;
        this.#alertRetry.hidden = !canRetry;
        if (!this.#alert.open) this.#alert.showModal();
    }

    // --- Progress.

    /** Called when the server's state of the picture, an upload, or the picture that can be drawn has changed. */
    update() {
        const { announcer, backdrop, drawing, model, sync } = this.#board;
        const { picture } = sync;
        backdrop.show(picture.picture ?? picture.previous ?? null, picture.state === "shown");
        const isUploading = this.#upload !== null && !this.#upload.hasFailed;
        this.#progress.hidden = picture.state !== "fetching" && !isUploading;
        const isMeasured = typeof picture.fraction === "number" && !isUploading;
        const percent = isMeasured ? String(Math.round(picture.fraction * 100)) : null;
        this.#progress.ariaValueNow = percent;
        this.#progress.style.setProperty("--part", percent && `${percent}%`);
        // The server doesn't decode pictures, so each tab finds out whether its browser can.
        const isUndecodable = picture.state === "shown" && backdrop.failed?.url === picture.picture.url;
        const hasFailed = (picture.state === "failed" || isUndecodable) && !isUploading;
        const isAwaited = this.#pictureBeforeRequest !== null;
        const hasChanged = picture !== this.#pictureBeforeRequest;
        const isDrawn = picture.state === "shown" && backdrop.shown?.url === picture.picture.url;
        this.#problem.hidden = !hasFailed || this.#board.isViewOnly;
        if (hasFailed) {
            // Browsers don't tell whether loading or decoding an image has failed.
            const message = isUndecodable ? backgroundUndecodable : picture.message;
            this.#problem.querySelector("p").textContent = message;
            if (isAwaited && (hasChanged || isUndecodable)) this.#showAlert(message, true);
        } else if (this.#alert.open && !this.#upload?.hasFailed && !this.#alertRetry.hidden) {
            this.#alert.close();
        }
        const hasEnded = hasChanged && (picture.state === "failed" || picture.state === "none");
        const isShown = isAwaited && isDrawn && !isUndecodable;
        if (isShown || isUndecodable || hasEnded) this.#pictureBeforeRequest = null;
        if (isShown) {
            // Show the awaited picture with all emoji.
            model.run("fit");
            announcer.announce(backgroundSet);
        }
        this.#board.refresh();
        drawing.invalidate();
    }

    /** Places the progress at the board's origin. */
    placeProgress() {
        if (this.#progress.hidden) return;
        const { x, y } = this.#board.camera.origin;
        this.#progress.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
    }
}

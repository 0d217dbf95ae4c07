// The board's background: shows progress and errors, and lets a person set another one.

import { addressIn, blobOf, inMegabytes, pictureBytes } from "./data-transfer.js";
import {
    backgroundNotSet, backgroundRemoved, backgroundSet, backgroundUndecodable, enterAddress, notAPicture,
    pictureTooLarge, quoted, removeBackgroundStep, setBackgroundStep, thePicture,
} from "./words.js";

export class BoardBackground {
    #board;
    /** @type {HTMLDialogElement} */
    #dialog = document.getElementById("background-dialog");
    /** @type {HTMLDialogElement} */
    #alert = document.getElementById("background-alert");
    #problem = document.getElementById("background-problem");
    #progress = document.getElementById("progress");
    /** Whether this page requested the picture. If so, it shows an alert on failure, and the whole board on success. */
    #isRequestedHere = false;
    /** The server's state of the picture before this page requested another one. */
    #pictureBeforeRequest = null;
    /** The state of the picture that `#update` handled last. */
    #lastPicture = null;
    /** Whether a picture is being uploaded. */
    #isUploading = false;
    /** The number of choices so far. An upload that finishes after a later choice is ignored. */
    #choiceCount = 0;
    /** The picture whose upload failed temporarily, which Retry uploads again. */
    #failedUpload = null;

    constructor(board) {
        this.#board = board;
        const { sync } = board;
        sync.addEventListener("picture", () => this.#update());
        for (const button of document.querySelectorAll("[data-retry]")) {
            button.addEventListener("click", () => this.retry());
        }
        this.#dialog.querySelector("form").addEventListener("submit", (event) => this.#submit(event));
        document.getElementById("background-file").addEventListener("change", (event) => {
            const field = /** @type {HTMLInputElement} */ (event.target);
            const [file] = field.files;
            if (file) this.upload(file);
            field.value = "";
            this.#dialog.close();
        });
        document.getElementById("background-remove").addEventListener("click", () => {
            this.#dialog.close();
            board.run("removeBackground");
        });
        document.getElementById("background-problem-remove").addEventListener("click", () => {
            // The message closes, and the focus would be lost with it.
            if (board.run("removeBackground")) board.stage.focus({ preventScroll: true });
        });
        board.drawing.beforeFrames(() => this.#placeProgress());
        this.#update();
    }

    // --- Actions.

    /** Opens the dialog for choosing a background. */
    openDialog() {
        const address = this.#board.sync.art.background?.address ?? "";
        /** @type {HTMLInputElement} */
        const field = document.getElementById("background-address");
        field.value = address;
        field.setCustomValidity("");
        document.getElementById("background-remove").hidden = this.#board.sync.art.background === null;
        this.#dialog.showModal();
        field.select();
    }

    #submit(event) {
        /** @type {HTMLInputElement} */
        const field = document.getElementById("background-address");
        const address = addressIn(field.value);
        if (address) {
            this.set(address);
            return;
        }
        event.preventDefault();
        field.setCustomValidity(enterAddress);
        field.reportValidity();
        field.addEventListener("input", () => field.setCustomValidity(""), { once: true });
    }

    /** Sets the background to an address; uploads the content of a `data:` address. */
    set(address) {
        if (/^data:/i.test(address)) {
            try {
                this.upload(blobOf(address));
            } catch (error) {
                this.#showFailure(error.message);
            }
            return;
        }
        this.#beginChoice();
        this.#beginRequest();
        const { sync } = this.#board;
        // Setting the same address again fetches it again.
        if (sync.art.background?.address === address) this.retry();
        else sync.change(setBackgroundStep, [{ op: "background", background: { address } }]);
    }

    /** Uploads a picture and makes it the background. */
    async upload(blob) {
        const name = blob.name ? quoted({ text: blob.name }) : thePicture;
        if (blob.size > pictureBytes) {
            const limit = inMegabytes(pictureBytes);
            const size = inMegabytes(blob.size);
            this.#showFailure(pictureTooLarge({ name, size, limit }));
            return;
        }
        if (blob.type && !blob.type.startsWith("image/")) {
            this.#showFailure(notAPicture({ name }));
            return;
        }
        const { sync } = this.#board;
        const number = this.#beginChoice();
        this.#isUploading = true;
        this.#update();
        let failure = null;
        try {
            const { picture } = await sync.requests.uploadPicture(blob);
            if (number !== this.#choiceCount) return;
            this.#beginRequest();
            sync.change(setBackgroundStep, [{ op: "background", background: { picture } }]);
        } catch (error) {
            failure = error;
        }
        if (number !== this.#choiceCount) return;
        this.#isUploading = false;
        this.#update();
        if (failure?.isTemporary) this.#failedUpload = blob;
        if (failure) this.#showFailure(failure.message);
    }

    /** Begins another choice, and discards a pending upload. Returns the choice's number. */
    #beginChoice() {
        this.#isUploading = false;
        this.#failedUpload = null;
        return (this.#choiceCount += 1);
    }

    remove() {
        this.#beginChoice();
        this.#board.sync.change(removeBackgroundStep, [{ op: "background", background: null }]);
        this.#board.announcer.announce(backgroundRemoved);
    }

    async retry() {
        this.#alert.close();
        if (this.#failedUpload) {
            await this.upload(this.#failedUpload);
            return;
        }
        this.#beginRequest();
        const { sync } = this.#board;
        // The server fetches a picture with an address again. Any other picture is only decoded again, here.
        if (!sync.art.background?.address) {
            this.#update();
            return;
        }
        try {
            await sync.requests.retryBackground();
        } catch (error) {
            this.#board.toasts.alert(error.message);
        }
    }

    #beginRequest() {
        this.#isRequestedHere = true;
        this.#pictureBeforeRequest = this.#board.sync.picture;
        this.#board.backdrop.forgetFailure();
    }

    /** Shows why a dropped or chosen background couldn't be set. Only a failed upload can be retried. */
    #showFailure(message) {
        this.#showAlert(backgroundNotSet({ reason: message }), this.#failedUpload !== null);
    }

    #showAlert(message, canRetry) {
        this.#alert.querySelector("p").textContent = message;
        this.#alert.querySelector("[data-retry]").hidden = !canRetry;
        if (!this.#alert.open) this.#alert.showModal();
    }

    // --- Progress.

    #update() {
        const { backdrop, sync, drawing } = this.#board;
        const { picture } = sync;
        // Decode again whenever the server reports the picture: its body may differ, or the connection had failed.
        if (picture !== this.#lastPicture && picture.state === "shown") backdrop.forgetFailure();
        this.#lastPicture = picture;
        backdrop.show(picture.picture ?? picture.previous ?? null);
        const isFetching = picture.state === "fetching" || this.#isUploading;
        this.#progress.hidden = !isFetching;
        const isMeasured = typeof picture.fraction === "number" && !this.#isUploading;
        this.#progress.classList.toggle("is-measured", isMeasured);
        if (isMeasured) {
            const percent = Math.round(picture.fraction * 100);
            this.#progress.setAttribute("aria-valuenow", String(percent));
            this.#progress.style.setProperty("--part", `${percent}%`);
        } else {
            this.#progress.removeAttribute("aria-valuenow");
        }
        const hasChanged = picture !== this.#pictureBeforeRequest;
        // The server doesn't decode pictures, so each tab finds out whether its browser can.
        const isUndecodable = picture.state === "shown" && backdrop.failed?.url === picture.picture.url;
        const hasFailed = (picture.state === "failed" || isUndecodable) && !this.#isUploading;
        this.#problem.hidden = !hasFailed;
        if (hasFailed) {
            // Browsers don't tell whether loading or decoding an image has failed.
            const message = isUndecodable ? backgroundUndecodable : picture.message;
            this.#problem.querySelector("p").textContent = message;
            if (this.#isRequestedHere && (hasChanged || isUndecodable)) this.#showAlert(message, true);
        } else if (this.#alert.open && !this.#failedUpload && !this.#alert.querySelector("[data-retry]").hidden) {
            this.#alert.close();
        }
        const hasEnded = hasChanged && (picture.state === "failed" || picture.state === "none");
        if (isUndecodable || hasEnded) this.#isRequestedHere = false;
        else this.pictureDidLoad();
        this.#board.refresh();
        drawing.invalidate();
    }

    /** Called when this browser couldn't load or decode the picture. */
    pictureDidFail() {
        this.#update();
    }

    /** Called when another picture can be drawn. Shows it with all emoji if it was set in this tab. */
    pictureDidLoad() {
        const { announcer, backdrop, model, sync } = this.#board;
        const { state, picture } = sync.picture;
        if (!this.#isRequestedHere || state !== "shown" || backdrop.shown?.url !== picture.url) return;
        this.#isRequestedHere = false;
        model.run("fit");
        announcer.announce(backgroundSet);
    }

    #placeProgress() {
        if (this.#progress.hidden) return;
        const { x, y } = this.#board.camera.origin;
        this.#progress.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
    }
}

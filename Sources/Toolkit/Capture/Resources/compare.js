// Compares two pictures.

/** The number of rows that are compared at a time. */
const rowsPerStripe = 512;

/**
 * The share of pixels in which two PNG pictures, as Base64, differ in any channel by more than the tolerance (of 255).
 *
 * A pixel that only one of them has is different.
 */
export async function comparePictures(first, second, tolerance) {
    const bitmaps = await Promise.all([first, second].map((text) => {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        return createImageBitmap(new Blob([bytes], { type: "image/png" }));
    }));
    const width = Math.min(...bitmaps.map((bitmap) => bitmap.width));
    const height = Math.min(...bitmaps.map((bitmap) => bitmap.height));
    const total = Math.max(...bitmaps.map((bitmap) => bitmap.width)) * Math.max(...bitmaps.map((bitmap) => bitmap.height));
    const contexts = bitmaps.map(() =>
        new OffscreenCanvas(width, rowsPerStripe).getContext("2d"));
    let different = total - width * height;
    for (let top = 0; top < height; top += rowsPerStripe) {
        const rows = Math.min(rowsPerStripe, height - top);
        const [a, b] = contexts.map((context, index) => {
            context.clearRect(0, 0, width, rowsPerStripe);
            context.drawImage(bitmaps[index], 0, top, width, rows, 0, 0, width, rows);
            return context.getImageData(0, 0, width, rows).data;
        });
        for (let index = 0; index < a.length; index += 4) {
            const isDifferent = Math.abs(a[index] - b[index]) > tolerance
                || Math.abs(a[index + 1] - b[index + 1]) > tolerance
                || Math.abs(a[index + 2] - b[index + 2]) > tolerance
                || Math.abs(a[index + 3] - b[index + 3]) > tolerance;
            if (isDifferent) different += 1;
        }
    }
    return different / total;
}

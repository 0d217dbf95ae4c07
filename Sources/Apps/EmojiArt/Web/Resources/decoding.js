// Whether this browser can draw an image.

/**
 * Returns when an image, of HTML or SVG, is loaded and decoded; throws if this browser can't do that.
 *
 * In Chromium, `decode()` also succeeds for images of which only the header is right; a bitmap of these can't be made. With a
 * size, one can be made of SVG that has none.
 */
export async function decode(image) {
    await image.decode();
    const bitmap = await createImageBitmap(image, { resizeWidth: 1, resizeHeight: 1 });
    bitmap.close();
}

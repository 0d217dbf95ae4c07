// Whether this browser can draw an image.

/**
 * Resolves when an image of HTML or SVG is loaded and decoded; throws if this browser can't do that.
 *
 * In Chromium, `decode()` also succeeds for images with a valid header and broken content, but no bitmap can be made of
 * these. The given size allows bitmaps of SVG without a size.
 */
export async function decode(image) {
    await image.decode();
    const bitmap = await createImageBitmap(image, { resizeWidth: 1, resizeHeight: 1 });
    bitmap.close();
}

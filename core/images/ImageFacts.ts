/**
 * Reads the type and the size of an image from its first bytes, whatever a caller states about them.
 *
 * Sources: PNG (ISO/IEC 15948) 5.2 and 11.2.2, GIF89a 17 and 18, JPEG (ITU-T T.81) B.1 and B.2.2, WebP (RFC 9649) 2.
 *
 * @module
 */
import type { ImageFacts, ImageType } from "../model/Image.ts"

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

const startsWith = (bytes: Uint8Array, expected: ReadonlyArray<number>, from = 0): boolean =>
  expected.every((byte, at) => bytes[from + at] === byte)

const ascii = (bytes: Uint8Array, from: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(from, from + length))

const facts = (type: ImageType, width: number, height: number): ImageFacts | null =>
  width > 0 && height > 0 ? { type, width, height } : null

const pngFacts = (bytes: Uint8Array, view: DataView): ImageFacts | null =>
  bytes.length >= 33 && ascii(bytes, 12, 4) === "IHDR"
    ? facts("image/png", view.getUint32(16), view.getUint32(20))
    : null

const gifFacts = (bytes: Uint8Array, view: DataView): ImageFacts | null =>
  bytes.length >= 13 && /^GIF8[79]a$/.test(ascii(bytes, 0, 6))
    ? facts("image/gif", view.getUint16(6, true), view.getUint16(8, true))
    : null

/** Whether a marker begins a frame header: SOF0 to SOF15, without the markers DHT, JPG and DAC between them. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Reads a JPEG, whose segments follow each other up to the frame header, which has the size. */
const jpegFacts = (bytes: Uint8Array, view: DataView): ImageFacts | null => {
  let at = 2
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return null
    const marker = bytes[at + 1]!
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2
    else if (isFrame(marker)) {
      return at + 9 <= bytes.length
        ? facts("image/jpeg", view.getUint16(at + 7), view.getUint16(at + 5))
        : null
    } else {
      // A scan or the end of the image precedes any frame.
      if (marker === 0xda || marker === 0xd9) return null
      const length = view.getUint16(at + 2)
      if (length < 2) return null
      at += 2 + length
    }
  }
  return null
}

const uint24 = (view: DataView, at: number): number =>
  view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

const webpFacts = (bytes: Uint8Array, view: DataView): ImageFacts | null => {
  if (bytes.length < 30 || ascii(bytes, 8, 4) !== "WEBP") return null
  switch (ascii(bytes, 12, 4)) {
    case "VP8X":
      return facts("image/webp", uint24(view, 24) + 1, uint24(view, 27) + 1)
    case "VP8L": {
      if (bytes[20] !== 0x2f) return null
      const sizes = view.getUint32(21, true)
      return facts("image/webp", (sizes & 0x3fff) + 1, ((sizes >>> 14) & 0x3fff) + 1)
    }
    case "VP8 ":
      return startsWith(bytes, [0x9d, 0x01, 0x2a], 23)
        ? facts("image/webp", view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
        : null
    default:
      return null
  }
}

/** The type and size in the bytes of an image; null if they are not an image, or an image of another type. */
export const imageFacts = (bytes: Uint8Array): ImageFacts | null => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (startsWith(bytes, pngSignature)) return pngFacts(bytes, view)
  if (startsWith(bytes, [0x47, 0x49, 0x46])) return gifFacts(bytes, view)
  if (startsWith(bytes, [0xff, 0xd8])) return jpegFacts(bytes, view)
  return startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) ? webpFacts(bytes, view) : null
}

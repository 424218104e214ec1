/**
 * Images as small as their formats allow, of any size in pixels.
 *
 * @module
 */

const bytesOf = (text: string): ReadonlyArray<number> => Array.from(text, (one) => one.charCodeAt(0))

const number = (size: number, value: number, isLittle: boolean): ReadonlyArray<number> => {
  const bytes = Array.from({ length: size }, (_, at) => Math.floor(value / 256 ** at) % 256)
  return isLittle ? bytes : bytes.reverse()
}

/** A PNG: its signature and its header. */
export const png = (width: number, height: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array([
    ...[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13],
    ...bytesOf("IHDR"),
    ...number(4, width, false),
    ...number(4, height, false),
    ...[8, 6, 0, 0, 0, 0, 0, 0, 0]
  ])

/** A GIF without a frame. */
export const gif = (width: number, height: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array([...bytesOf("GIF89a"), ...number(2, width, true), ...number(2, height, true), 0, 0, 0, 0x3b])

/** A JPEG with metadata before its frame's header. */
export const jpeg = (width: number, height: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 6, 1, 2, 3, 4],
    ...[0xff, 0xff, 0xc4, 0, 3, 0, 0xff, 0xc2, 0, 11, 8],
    ...number(2, height, false),
    ...number(2, width, false),
    ...[1, 1, 0x11, 0, 0xff, 0xd9]
  ])

/** A WebP of one of its three kinds. */
export const webp = (
  kind: "VP8 " | "VP8L" | "VP8X",
  width: number,
  height: number
): Uint8Array<ArrayBuffer> => {
  const content = {
    "VP8 ": [0, 0, 0, 0x9d, 0x01, 0x2a, ...number(2, width, true), ...number(2, height, true)],
    VP8L: [0x2f, ...number(4, (width - 1) | ((height - 1) << 14), true), 0, 0, 0, 0, 0],
    VP8X: [0, 0, 0, 0, ...number(3, width - 1, true), ...number(3, height - 1, true)]
  }[kind]
  return new Uint8Array([
    ...bytesOf("RIFF"),
    ...number(4, 22, true),
    ...bytesOf("WEBP"),
    ...bytesOf(kind),
    ...number(4, 10, true),
    ...content
  ])
}

/** An SVG with a program in it. */
export const svg = new Uint8Array(
  bytesOf('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script>alert(1)</script></svg>')
)

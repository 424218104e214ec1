/**
 * The smallest valid images of each format, with any dimensions.
 *
 * @module
 */

type Part = ReadonlyArray<number>

const joined = (...parts: ReadonlyArray<Part>): Uint8Array<ArrayBuffer> => new Uint8Array(parts.flat())

const ascii = (text: string): Part => Array.from(text, (one) => one.charCodeAt(0))

/** A number in a given number of bytes, little-endian. */
const little = (size: number, value: number): Part =>
  Array.from({ length: size }, (_, at) => Math.floor(value / 256 ** at) % 256)

const big = (size: number, value: number): Part => little(size, value).toReversed()

/** A PNG that consists of its signature and header. */
export const png = (width: number, height: number) =>
  joined(
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13],
    ascii("IHDR"),
    big(4, width),
    big(4, height),
    [8, 6, 0, 0, 0, 0, 0, 0, 0]
  )

/** A GIF without a frame. */
export const gif = (width: number, height: number) =>
  joined(ascii("GIF89a"), little(2, width), little(2, height), [0, 0, 0, 0x3b])

/** A JPEG with metadata and a table before its frame header. */
export const jpeg = (width: number, height: number) =>
  joined(
    [0xff, 0xd8, 0xff, 0xe0, 0, 6, 1, 2, 3, 4],
    [0xff, 0xff, 0xc4, 0, 3, 0, 0xff, 0xc2, 0, 11, 8],
    big(2, height),
    big(2, width),
    [1, 1, 0x11, 0, 0xff, 0xd9]
  )

/** A WebP of one of the three kinds. */
export const webp = (kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number) => {
  const content: Readonly<Record<typeof kind, Part>> = {
    "VP8 ": [[0, 0, 0, 0x9d, 0x01, 0x2a], little(2, width), little(2, height)].flat(),
    VP8L: [[0x2f], little(4, (width - 1) | ((height - 1) << 14)), [0, 0, 0, 0, 0]].flat(),
    VP8X: [[0, 0, 0, 0], little(3, width - 1), little(3, height - 1)].flat()
  }
  return joined(ascii("RIFF"), little(4, 22), ascii("WEBP"), ascii(kind), little(4, 10), content[kind])
}

/** An SVG that contains a script. */
export const svg = joined(
  ascii('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><script>alert(1)</script></svg>')
)

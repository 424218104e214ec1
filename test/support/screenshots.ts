/**
 * Reduces the size of screenshots: converts a PNG to a palette of at most 256 colours, which is visible only at the edges between
 * colours.
 *
 * @module
 */
import { crc32, deflateSync, inflateSync } from "node:zlib"

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The most colours of a palette, and how many of them are chosen only by frequency. */
const maxColours = 256
const frequentColours = 160

/** The chunks of a PNG by type. Chunks of the same type are joined. */
const partsOf = (png: Buffer): ReadonlyMap<string, Buffer> => {
  const parts = new Map<string, Buffer>()
  for (let at = signature.length; at < png.length;) {
    const end = at + 8 + png.readUInt32BE(at)
    const type = png.toString("latin1", at + 4, at + 8)
    parts.set(type, Buffer.concat([parts.get(type) ?? Buffer.alloc(0), png.subarray(at + 8, end)]))
    at = end + 4
  }
  return parts
}

const part = (type: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(content.length)
  const named = Buffer.concat([Buffer.from(type, "latin1"), content])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([head, named, sum])
}

/** The prediction of a PNG filter for a byte, from the bytes to the left, above, and above to the left. */
const expected = (filter: number, left: number, up: number, corner: number): number => {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

/** The colours of an 8-bit PNG, row by row. Transparency is ignored. */
const coloursOf = (png: Buffer) => {
  const parts = partsOf(png)
  const header = parts.get("IHDR")!
  const [width, height, kind] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9]]
  if (header[8] !== 8 || (kind !== 2 && kind !== 6)) throw new Error(`not a screenshot: kind ${kind}`)
  const size = kind === 2 ? 3 : 4
  const raw = inflateSync(parts.get("IDAT")!)
  const stride = width * size
  const bytes = Buffer.alloc(height * stride)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]!
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x
      const left = x < size ? 0 : bytes[at - size]!
      const up = y === 0 ? 0 : bytes[at - stride]!
      const corner = x < size || y === 0 ? 0 : bytes[at - stride - size]!
      bytes[at] = raw[at + y + 1]! + expected(filter, left, up, corner)
    }
  }
  const colours = Array.from({ length: width * height }, (_, at) => bytes.readUIntBE(at * size, 3))
  return { colours, height, width }
}

const distance = (one: number, other: number): number =>
  [16, 8, 0].reduce((sum, bits) => sum + (((one >> bits) & 255) - ((other >> bits) & 255)) ** 2, 0)

/** The most frequent colours, and then those farthest from any chosen colour, so that small elements keep their colours. */
const paletteOf = (counts: ReadonlyMap<number, number>): ReadonlyArray<number> => {
  const byCount = [...counts].toSorted(([, one], [, other]) => other - one)
  const palette = byCount.slice(0, frequentColours).map(([colour]) => colour)
  const rest = new Map(
    byCount
      .slice(frequentColours)
      .map(([colour, count]) => [colour, count * Math.min(...palette.map((one) => distance(one, colour)))])
  )
  while (palette.length < maxColours && rest.size > 0) {
    const [next] = [...rest].reduce((most, one) => (one[1] > most[1] ? one : most))
    palette.push(next)
    rest.delete(next)
    for (const [colour, cost] of rest) {
      rest.set(colour, Math.min(cost, counts.get(colour)! * distance(next, colour)))
    }
  }
  return palette
}

/** The picture in the colours of a palette. Every other colour is replaced by the nearest one. */
export const inFewColours = (png: Buffer): Buffer => {
  const { colours, height, width } = coloursOf(png)
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const palette = paletteOf(counts)
  const places = new Map(palette.map((colour, at) => [colour, at]))
  for (const colour of counts.keys()) {
    if (places.has(colour)) continue
    const near = palette.map((one) => distance(one, colour))
    places.set(colour, near.indexOf(Math.min(...near)))
  }
  // Each row begins with its filter type, which is 0 (none).
  const rows = Buffer.alloc(height * (width + 1))
  for (const [at, colour] of colours.entries()) rows[at + Math.floor(at / width) + 1] = places.get(colour)!
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  const table = Buffer.alloc(palette.length * 3)
  for (const [at, colour] of palette.entries()) table.writeUIntBE(colour, at * 3, 3)
  return Buffer.concat([
    signature,
    part("IHDR", header),
    part("PLTE", table),
    part("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    part("IEND", Buffer.alloc(0))
  ])
}

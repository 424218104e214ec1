/**
 * Compresses bytes by gzip (RFC 1952).
 *
 * @module
 */
import { Effect } from "effect"

/** Compresses bytes. */
export const gzip = (bytes: Uint8Array): Effect.Effect<Uint8Array<ArrayBuffer>> =>
  Effect.promise(async () => {
    const { readable, writable } = new CompressionStream("gzip")
    const writer = writable.getWriter()
    const written = Promise.all([writer.write(bytes), writer.close()])
    const pieces: Array<Uint8Array> = []
    for await (const piece of readable) pieces.push(piece)
    await written
    const packed = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0))
    let at = 0
    for (const piece of pieces) {
      packed.set(piece, at)
      at += piece.length
    }
    return packed
  })

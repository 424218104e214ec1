/**
 * Unpacks the attachment of a report piece by piece: gzip, a zip of one entry, or as it is. Nothing is written to a file, and
 * the name of an entry is not read.
 *
 * @module
 */
import { Gunzip, Unzip, UnzipInflate } from "fflate"
import { reportBounds, type ReportBound } from "../../../core/ports/MailReportReader.ts"

/** Thrown where a report exceeds a bound. */
export class Refusal extends Error {
  readonly bound: ReportBound

  constructor(bound: ReportBound) {
    super(bound)
    this.bound = bound
  }
}

/** Bytes that are unpacked at once: at most 1,032 times as many come of them (RFC 1951). */
const pieceBytes = 4_096

/** A small report of equal records is packed better than that: the ratio counts from here on. */
const ratioFromBytes = 1_048_576

/** The most members of a gzip file: most senders write one. */
const maxMembers = 16
/** The most pieces of a gzip file of which nothing comes: the header of a member is shorter. */
const maxSilent = 16

const startsWith = (bytes: Uint8Array, ...first: ReadonlyArray<number>): boolean =>
  first.every((byte, index) => bytes[index] === byte)

const pieces = (bytes: Uint8Array, push: (piece: Uint8Array, isLast: boolean) => void): void => {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const end = Math.min(bytes.length, at + pieceBytes)
    push(bytes.subarray(at, end), end === bytes.length)
  }
}

/**
 * Gives the unpacked bytes to `take`, in pieces. Throws {@link Refusal}, and what `take` throws.
 */
export const unpack = (packed: Uint8Array, take: (piece: Uint8Array) => void): void => {
  let size = 0
  const receive = (piece: Uint8Array): void => {
    size += piece.length
    if (size > reportBounds.unpacked) throw new Refusal("size")
    if (size > ratioFromBytes && size > reportBounds.ratio * packed.length) throw new Refusal("ratio")
    take(piece)
  }
  const orRefuse = (run: () => void): void => {
    try {
      run()
    } catch (error) {
      // Whatever the library makes of broken bytes.
      throw error instanceof Refusal ? error : new Refusal("archive")
    }
  }
  if (startsWith(packed, 0x1f, 0x8b)) {
    // The library joins what it has of a header with each piece, and reads members one within another.
    let members = 1
    let silent = 0
    const stream = new Gunzip((piece) => {
      silent = 0
      receive(piece)
    })
    stream.onmember = () => {
      if (++members > maxMembers) throw new Refusal("archive")
    }
    return orRefuse(() =>
      pieces(packed, (piece, isLast) => {
        if (++silent > maxSilent) throw new Refusal("archive")
        stream.push(piece, isLast)
      })
    )
  }
  if (startsWith(packed, 0x50, 0x4b)) {
    let entries = 0
    let isComplete = false
    const stream = new Unzip((file) => {
      if (++entries > 1 || (file.compression !== 0 && file.compression !== 8)) throw new Refusal("archive")
      file.ondata = (error, piece, isLast) => {
        if (error !== null) throw error
        receive(piece)
        isComplete ||= isLast
      }
      file.start()
    })
    stream.register(UnzipInflate)
    orRefuse(() => pieces(packed, (piece, isLast) => stream.push(piece, isLast)))
    if (entries !== 1 || !isComplete) throw new Refusal("archive")
    return
  }
  pieces(packed, receive)
}

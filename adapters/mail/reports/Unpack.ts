/**
 * Unpacks the attachment of a report piece by piece: gzip, a zip with one entry, or uncompressed. Nothing is written to a file,
 * and the name of an entry is not read.
 *
 * @module
 */
import { Gunzip, Unzip, UnzipInflate } from "fflate"
import { reportBounds, type ReportBound } from "../../../core/ports/MailReportReader.ts"

/** Thrown if a report exceeds a limit. */
export class Refusal extends Error {
  readonly bound: ReportBound

  constructor(bound: ReportBound) {
    super(bound)
    this.bound = bound
  }
}

/** The number of bytes unpacked at once. They expand to at most 1,032 times as many (RFC 1951). */
const pieceBytes = 4_096

/** A small report with equal records has a higher compression ratio, so the ratio is checked from this size on. */
const ratioFromBytes = 1_048_576

/** The maximum number of members in a gzip file. Most senders write one. */
const maxMembers = 16
/** The maximum number of consecutive pieces of a gzip file without output. The header of a member is shorter. */
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
 * Passes the unpacked bytes to `take`, in pieces. Throws {@link Refusal}, and anything that `take` throws.
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
      // Any error of the library about invalid bytes.
      throw error instanceof Refusal ? error : new Refusal("archive")
    }
  }
  if (startsWith(packed, 0x1f, 0x8b)) {
    // The library joins each piece with the incomplete header before it, and reads members recursively.
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

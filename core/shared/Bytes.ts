/**
 * Text encodings of bytes: hexadecimal, base64 (RFC 4648, 4), and base64url without padding (RFC 4648, 5). Also joins bytes
 * that arrive in pieces.
 *
 * @module
 */

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const valueOf = new Map(Array.from(alphabet, (character, value) => [character, value]))

/** Encodes bytes as lower-case hex. */
export const toHex = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += hexOfByte[byte]!
  return text
}

/** The value of a hex digit by its code. Upper and lower case differ in one bit. */
const hexDigit = (code: number): number => (code <= 57 ? code - 48 : (code | 32) - 87)

/** Decodes an even number of hex digits. */
export const fromHex = (text: string): Uint8Array => {
  const bytes = new Uint8Array(text.length / 2)
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = (hexDigit(text.charCodeAt(2 * index)) << 4) | hexDigit(text.charCodeAt(2 * index + 1))
  }
  return bytes
}

/** Encodes bytes as base64url. */
export const toBase64Url = (bytes: Uint8Array): string => {
  let text = ""
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0x3fff
    for (bits += 8; bits >= 6; bits -= 6) text += alphabet[(held >> (bits - 6)) & 63]!
  }
  return bits === 0 ? text : text + alphabet[(held << (6 - bits)) & 63]!
}

/** Decodes base64url; surplus bits of the last character are ignored. */
export const fromBase64Url = (text: string): Uint8Array => {
  const bytes = new Uint8Array(Math.floor((text.length * 6) / 8))
  let held = 0
  let bits = 0
  let at = 0
  for (const character of text) {
    held = ((held << 6) | (valueOf.get(character) ?? 0)) & 0x3fff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = (held >> bits) & 255
    }
  }
  return bytes
}

/** The value of each base64 character by its code; 255 for any other character. */
const base64Values = new Uint8Array(128).fill(255)
for (const [value, character] of Array.from(`${alphabet.slice(0, 62)}+/`).entries()) {
  base64Values[character.charCodeAt(0)] = value
}

/** The number of bytes that a base64 string encodes. Its length must be a multiple of 4. */
export const base64Size = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0)

/**
 * Decodes base64. Null for a string that no encoder produces: with other characters (including line breaks), without padding, or
 * with surplus bits that are set.
 */
export const fromBase64 = (text: string): Uint8Array | null => {
  if (text.length % 4 !== 0) return null
  const bytes = new Uint8Array(base64Size(text))
  const full = text.length - (bytes.length % 3 === 0 ? 0 : 4)
  let at = 0
  for (let index = 0; index < full; index += 4) {
    const a = valueAt(text, index)
    const b = valueAt(text, index + 1)
    const c = valueAt(text, index + 2)
    const d = valueAt(text, index + 3)
    if ((a | b | c | d) > 63) return null
    bytes[at++] = (a << 2) | (b >> 4)
    bytes[at++] = (b << 4) | (c >> 2)
    bytes[at++] = (c << 6) | d
  }
  if (full === text.length) return bytes
  const a = valueAt(text, full)
  const b = valueAt(text, full + 1)
  const hasTwo = bytes.length % 3 === 2
  const c = hasTwo ? valueAt(text, full + 2) : 0
  if ((a | b | c) > 63 || (hasTwo ? c & 3 : b & 15) !== 0) return null
  bytes[at++] = (a << 2) | (b >> 4)
  if (hasTwo) bytes[at] = (b << 4) | (c >> 2)
  return bytes
}

const valueAt = (text: string, index: number): number => base64Values[text.charCodeAt(index)] ?? 255

/** Encodes bytes as base64 with padding. */
export const toBase64 = (bytes: Uint8Array): string => {
  const text = toBase64Url(bytes).replaceAll("-", "+").replaceAll("_", "/")
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=")
}

/** Joins pieces of bytes. */
const join = (pieces: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const joined = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}

/** The number of pieces that are joined at a time. */
const maxLoose = 256
/** The average size in bytes below which pieces are joined. */
const smallPiece = 1024

/**
 * Bytes that arrive in pieces, such as a body or a message. Small pieces are joined as they arrive: a separate piece of a single
 * byte takes some hundred bytes, and keeps the packet in which it arrived.
 */
export class PiecedBytes {
  /** The number of bytes. */
  size = 0
  #joined: Array<Uint8Array> = []
  #loose: Array<Uint8Array> = []
  #looseSize = 0

  /** Adds a piece, which must not change afterwards. */
  add(piece: Uint8Array): void {
    this.size += piece.length
    this.#looseSize += piece.length
    this.#loose.push(piece)
    if (this.#loose.length < maxLoose) return
    if (this.#looseSize < maxLoose * smallPiece) this.#joined.push(join(this.#loose, this.#looseSize))
    else this.#joined.push(...this.#loose)
    this.#loose = []
    this.#looseSize = 0
  }

  /** Removes all pieces. */
  clear(): void {
    this.size = 0
    this.#joined = []
    this.#loose = []
    this.#looseSize = 0
  }

  /** All bytes. They are not copied if they arrived in one piece. */
  whole(): Uint8Array {
    const pieces = [...this.#joined, ...this.#loose]
    return pieces.length === 1 ? pieces[0]! : join(pieces, this.size)
  }
}

/**
 * Long text that is stored as it was received: as UTF-8 outside the JavaScript heap. A string of 100 KB that waits to be written
 * survives two garbage collections, which makes collections of the whole heap frequent.
 *
 * @module
 */

/** A string, or well-formed UTF-8. */
export type LongText = string | Uint8Array

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true })

/** The text as a string. */
export const stringOf = (text: LongText): string => (typeof text === "string" ? text : decoder.decode(text))

/** The text as UTF-8. */
export const utf8Of = (text: LongText): Uint8Array => (typeof text === "string" ? encoder.encode(text) : text)

const space = 0x20
const del = 0x7f

/** Whether the text is empty or only white space. */
export const isBlank = (text: LongText): boolean => {
  // Most texts begin with a visible ASCII character.
  const first = typeof text === "string" ? text.charCodeAt(0) : (text[0] ?? space)
  return (first <= space || first >= del || Number.isNaN(first)) && stringOf(text).trim() === ""
}

/** Whether the text has more than `max` characters. */
export const isLongerThan = (text: LongText, max: number): boolean =>
  // A character never has fewer bytes than UTF-16 code units.
  text.length > max && stringOf(text).length > max

const tab = 0x09
const lineFeed = 0x0a

/** Whether four bytes may contain one below 0x20 or 0x7f. A borrow can cause a false positive. */
const mayHaveControl = (word: number): boolean =>
  (((word - 0x20202020) | ((word ^ 0x7f7f7f7f) - 0x01010101)) & ~word & 0x80808080) !== 0

/** Whether UTF-8 contains an ASCII control character other than tab and line feed. */
export const hasControls = (bytes: Uint8Array): boolean => {
  const isControl = (byte: number) => (byte < space && byte !== lineFeed && byte !== tab) || byte === del
  const start = (4 - (bytes.byteOffset % 4)) % 4
  if (bytes.length < start + 4) return bytes.some(isControl)
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + start, (bytes.length - start) >> 2)
  for (let at = 0; at < start; at++) if (isControl(bytes[at]!)) return true
  for (let index = 0; index < words.length; index++) {
    if (!mayHaveControl(words[index]!)) continue
    for (let at = start + 4 * index, end = at + 4; at < end; at++) if (isControl(bytes[at]!)) return true
  }
  for (let at = start + 4 * words.length; at < bytes.length; at++) if (isControl(bytes[at]!)) return true
  return false
}

/** Whether the text contains a string of ASCII characters. */
export const includesAscii = (text: LongText, characters: string): boolean => {
  if (typeof text === "string") return text.includes(characters)
  // Horspool's algorithm: the last byte of a position determines the distance to the next possible one.
  const wanted = encoder.encode(characters)
  const last = wanted.length - 1
  const steps = new Uint32Array(256).fill(wanted.length)
  for (let index = 0; index < last; index++) steps[wanted[index]!] = last - index
  for (let end = last; end < text.length; end += steps[text[end]!]!) {
    let index = last
    while (index >= 0 && text[end - last + index] === wanted[index]) index--
    if (index < 0) return true
  }
  return false
}

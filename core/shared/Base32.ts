/**
 * A case-insensitive text encoding of bytes: base32 without padding (RFC 4648, 6), lower case.
 *
 * @module
 */

const alphabet = "abcdefghijklmnopqrstuvwxyz234567"

const valueOf = new Map(Array.from(alphabet, (character, value) => [character, value]))

/** Encodes bytes as lower-case base32. */
export const toBase32 = (bytes: Uint8Array): string => {
  let text = ""
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31]!
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31]!
}

/** Decodes lower-case base32; surplus bits of the last character are ignored. */
export const fromBase32 = (text: string): Uint8Array => {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8))
  let held = 0
  let bits = 0
  let at = 0
  for (const character of text) {
    held = ((held << 5) | (valueOf.get(character) ?? 0)) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = (held >> bits) & 255
    }
  }
  return bytes
}

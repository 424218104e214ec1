/**
 * Bytes as text: hexadecimal, and base64url without padding (RFC 4648, 5).
 *
 * @module
 */

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

const valueOf = new Map(Array.from(alphabet, (character, value) => [character, value]))

/** Lower-case hex. */
export const toHex = (bytes: Uint8Array): string => {
  let text = ""
  for (const byte of bytes) text += hexOfByte[byte]!
  return text
}

/** The bytes of hex digits, of which there is an even number. */
export const fromHex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    Number.parseInt(text.slice(2 * index, 2 * index + 2), 16)
  )

/** Base64url. */
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

/** The bytes of base64url text; what is left over of its last character is ignored. */
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

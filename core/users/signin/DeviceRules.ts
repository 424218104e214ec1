/**
 * Codes that a person reads on one device and types on another (RFC 8628, 6.1).
 *
 * @module
 */

/** Only consonants, so that no code forms a word. */
const letters = "BCDFGHJKLMNPQRSTVWXZ"

/** The number of letters in a code: 34 bits, which limited attempts cannot guess in ten minutes. */
const codeLetters = 8

/** The number of random bytes from which a code is made. */
export const codeBytes = 64

/** A code made of random bytes, with a hyphen in its middle. Bytes that would make some letters more likely are skipped. */
export const userCodeOf = (random: Uint8Array): string => {
  const even = [...random].filter((byte) => byte < 256 - (256 % letters.length)).slice(0, codeLetters)
  const code = even.map((byte) => letters[byte % letters.length]).join("")
  return `${code.slice(0, codeLetters / 2)}-${code.slice(codeLetters / 2)}`
}

/** The form in which codes are compared: upper case, with only the letters of codes. Empty for none. */
export const comparableCode = (given: string): string => {
  const code = [...given.slice(0, 100).toUpperCase()].filter((letter) => letters.includes(letter)).join("")
  return code.length === codeLetters ? code : ""
}

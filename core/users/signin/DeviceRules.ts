/**
 * Codes that a person reads on one device and types on another (RFC 8628, 6.1).
 *
 * @module
 */

/** Consonants alone, so that no code is a word. */
const letters = "BCDFGHJKLMNPQRSTVWXZ"

/** The letters of a code: 34 bits, which attempts that are counted cannot guess in ten minutes. */
const codeLetters = 8

/** The bytes from which a code is made. */
export const codeBytes = 64

/** A code of random bytes, with a hyphen in its middle; a byte that would prefer some letters is left out. */
export const userCodeOf = (random: Uint8Array): string => {
  const even = [...random].filter((byte) => byte < 256 - (256 % letters.length)).slice(0, codeLetters)
  const code = even.map((byte) => letters[byte % letters.length]).join("")
  return `${code.slice(0, codeLetters / 2)}-${code.slice(codeLetters / 2)}`
}

/** A code as it is compared: in upper case, without what is no letter of a code. Empty for none. */
export const comparableCode = (given: string): string => {
  const code = [...given.slice(0, 100).toUpperCase()].filter((letter) => letters.includes(letter)).join("")
  return code.length === codeLetters ? code : ""
}

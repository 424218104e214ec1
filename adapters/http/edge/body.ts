/**
 * Request bodies: strict UTF-8, strict JSON. Refused besides bad syntax: nesting deeper than any body needs, a key
 * given twice (parsers disagree on which one counts), numbers that do not fit a double, whole numbers past 64 bits, and
 * the key `__proto__`.
 *
 * @module
 */

/** Why a body is no JSON the service takes; English, for the client's logs. */
export class JsonRefusal {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** Whole numbers past the 64 bits of an SQL bigint are not kept exactly by anybody on the way. */
const maxInteger = 2 ** 63

/** The deepest nesting taken. */
export const maxDepth = 64

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

/** Parses a body. Linear in its size, whatever it holds. */
export const parseJson = (bytes: Uint8Array): { readonly value: unknown } | JsonRefusal => {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return new JsonRefusal("The body is not valid UTF-8.")
  }
  const scanned = scan(text)
  if (scanned.depth > maxDepth) return new JsonRefusal(`The body is nested deeper than ${maxDepth} levels.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return new JsonRefusal("The body is not valid JSON.")
  }
  const count = { members: 0, refusal: null as string | null }
  inspect(value, count)
  if (count.refusal !== null) return new JsonRefusal(count.refusal)
  return count.members === scanned.members ? { value } : new JsonRefusal("The body gives a key twice.")
}

const quote = 34
const backslash = 92
const colon = 58
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

/** The nesting and the number of object members a text has, if it is JSON. */
const scan = (text: string): { readonly depth: number; readonly members: number } => {
  let depth = 0
  let deepest = 0
  let members = 0
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case quote:
        index = endOfString(text, index)
        break
      case colon:
        members++
        break
      case openBrace:
      case openBracket:
        if (++depth > deepest) deepest = depth
        break
      case closeBrace:
      case closeBracket:
        depth--
    }
  }
  return { depth: deepest, members }
}

/** The index of the quote that ends the string begun at `start`. */
const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

const inspect = (value: unknown, count: { members: number; refusal: string | null }): void => {
  if (typeof value === "number") {
    if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) > maxInteger)) {
      count.refusal = "The body has a number that is out of range."
    }
  } else if (Array.isArray(value)) {
    for (const item of value) inspect(item, count)
  } else if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      count.members++
      if (key === "__proto__") count.refusal = "The body has the key __proto__."
      inspect((value as Record<string, unknown>)[key], count)
    }
  }
}

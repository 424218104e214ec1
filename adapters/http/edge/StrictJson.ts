/**
 * Parses request bodies as strict UTF-8 and strict JSON. Besides bad syntax it rejects: nesting deeper than any body
 * needs, a key given twice (parsers disagree on which one counts), numbers that do not fit a double, whole numbers
 * beyond 64 bits, and the key `__proto__`.
 *
 * @module
 */
import { Result } from "effect"

/** No database column keeps whole numbers beyond the 64 bits of an SQL bigint exactly. */
const maxInteger = 2 ** 63

/** The deepest nesting accepted. */
export const maxDepth = 64

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

/**
 * Parses a body in time linear in its size, whatever it holds. A failure is the reason in English, for the client's
 * logs.
 */
export const parseJson = (bytes: Uint8Array): Result.Result<unknown, string> => {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return Result.fail("The body is not valid UTF-8.")
  }
  const scanned = scan(text)
  if (scanned.depth > maxDepth) return Result.fail(`The body is nested deeper than ${maxDepth} levels.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return Result.fail("The body is not valid JSON.")
  }
  const count = { members: 0, failure: null as string | null }
  inspect(value, count)
  if (count.failure !== null) return Result.fail(count.failure)
  return count.members === scanned.members
    ? Result.succeed(value)
    : Result.fail("The body gives a key twice.")
}

const quote = 34
const backslash = 92
const colon = 58
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

/** The nesting and the number of object members of a string, if it is JSON. */
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

const inspect = (value: unknown, count: { members: number; failure: string | null }): void => {
  if (typeof value === "number") {
    if (!Number.isFinite(value) || (Number.isInteger(value) && Math.abs(value) > maxInteger)) {
      count.failure = "The body has a number that is out of range."
    }
  } else if (Array.isArray(value)) {
    for (const item of value) inspect(item, count)
  } else if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      count.members++
      if (key === "__proto__") count.failure = "The body has the key __proto__."
      inspect((value as Record<string, unknown>)[key], count)
    }
  }
}

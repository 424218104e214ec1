/**
 * Parses request bodies as strict UTF-8 and strict JSON. Besides invalid syntax, it rejects more values or deeper nesting
 * than any body needs, duplicate keys (parsers disagree about which one counts), numbers that do not fit a double, and the
 * key `__proto__`.
 *
 * @module
 */
import { Result } from "effect"
import { exactNumberKey, writtenNumber } from "../../../core/shared/Json.ts"
import { JsonScan, maxDepth, type ScanBounds, type ScanPart } from "./JsonScan.ts"

/** Why bytes are rejected. */
export interface JsonFlaw {
  /** The kind of flaw: invalid JSON, a value that is not accepted, too deep nesting, or more values than the limits. */
  readonly kind: "NotJson" | "Refused" | "TooDeep" | "TooComplex"
  /** A sentence that explains the flaw to the caller. */
  readonly reason: string
  /** The path of a value that is not accepted, such as `a.b[2]`; null if unknown. */
  readonly path: string | null
  /** The parsed value, if there is one despite the flaw; otherwise undefined. */
  readonly value?: unknown
}

/** The limits of a body without a batch. A flow of 1 MB stays below them, as do the emails with the most variables. */
export const bodyBounds: ScanBounds = {
  values: 250_000,
  members: 250_000,
  containers: 100_000,
  keys: 30_000
}

const flawOf = (kind: JsonFlaw["kind"], reason: string, path: string | null = null, value?: unknown) =>
  Result.fail<JsonFlaw>({ kind, reason, path, value })

/** The flaw of JSON with more values than its limits. */
export const tooComplex = flawOf("TooComplex", "The body has too many values.")

/** The flaw of bytes that are not JSON. */
export const notJson = flawOf("NotJson", "The body is not valid JSON.")

/** The form of parsed numbers: doubles, or as written (`WrittenNumber`). */
export type Numbers = "doubles" | "written"

/** Parses a whole body, in time linear in its size whatever its content. */
export const parseJson = (
  bytes: Uint8Array,
  numbers: Numbers = "doubles"
): Result.Result<unknown, JsonFlaw> => {
  const scanned = new JsonScan(bytes, bodyBounds, null).run(bytes.length)
  if (scanned?._tag === "TooComplex") return tooComplex
  return scanned?._tag === "Scanned" ? parsePart(bytes, scanned.whole, numbers) : notJson
}

const decoder = new TextDecoder("utf-8", { fatal: true })
/** Keeps a byte order mark, which only a whole body may begin with. */
const partDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Parses bytes that were scanned: a whole body, or an element of a batch. */
export const parsePart = (
  bytes: Uint8Array,
  part: ScanPart,
  numbers: Numbers
): Result.Result<unknown, JsonFlaw> => {
  const isWhole = part.start === 0
  const isTooDeep = part.depth > maxDepth
  const tooDeep = (value?: unknown) =>
    flawOf("TooDeep", `The body is nested deeper than ${maxDepth} levels.`, null, value)
  if (isTooDeep && !isWhole) return tooDeep()
  let text: string
  try {
    text = (isWhole ? decoder : partDecoder).decode(isWhole ? bytes : bytes.subarray(part.start, part.end))
  } catch {
    return flawOf("NotJson", "The body is not valid UTF-8.")
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return isTooDeep ? tooDeep() : notJson
  }
  if (isTooDeep) return tooDeep(value)
  const found: Found = { members: 0, flaw: null }
  inspect(value, found)
  if (found.flaw !== null) return flawOf("Refused", `The body has ${found.flaw}.`, pathOf(value, ""), value)
  if (found.members !== part.members) return flawOf("Refused", "The body gives a key twice.", null, value)
  return Result.succeed(numbers === "written" && part.hasLongNumbers ? parseWritten(text) : value)
}

/** `JSON.parse` with a reviver that sees the source text (ECMAScript "JSON.parse source text access"). */
const parseWithSource = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown
) => unknown

/** Parses JSON and keeps numbers as written, which costs several times as much. */
const parseWritten = (text: string): unknown =>
  parseWithSource(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined ? writtenNumber(source) : value
  )

interface Found {
  members: number
  flaw: string | null
}

const inspect = (value: unknown, found: Found): void => {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) found.flaw ??= "a number that is out of range"
  } else if (Array.isArray(value)) {
    for (const item of value) inspect(item, found)
  } else if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      found.members++
      if (key === "__proto__" || key === exactNumberKey) found.flaw ??= `the key ${key}`
      inspect((value as Record<string, unknown>)[key], found)
    }
  }
}

/** The path of the first value that is not accepted; null if there is none. */
const pathOf = (value: unknown, path: string): string | null => {
  if (typeof value === "number") return Number.isFinite(value) ? null : path
  if (typeof value !== "object" || value === null) return null
  if (Object.hasOwn(value, "__proto__") || Object.hasOwn(value, exactNumberKey)) return path
  for (const [key, member] of Object.entries(value)) {
    const below = Array.isArray(value) ? `[${key}]` : path === "" ? key : `.${key}`
    const found = pathOf(member, path + below)
    if (found !== null) return found
  }
  return null
}

/**
 * Reads the option headers of a message: the values of the API's fields of the same meaning
 * (docs/contributing/public-api.md "SMTP relay").
 *
 * @module
 */
import { formats } from "../shared/Validate.ts"
import type { ExtraHeader, Labels } from "../model/Submission.ts"
import { decodeWords } from "../shared/EncodedWords.ts"
import type { Code, Issues } from "../shared/Problem.ts"

/** The options of a message; null for a missing header. Labels are not validated yet. */
export interface Options {
  readonly idempotencyKey: string | null
  readonly tags: Labels
  readonly metadata: Labels
  readonly trackOpens: boolean | null
  readonly trackClicks: boolean | null
}

const names = {
  idempotencyKey: "x-svc-idempotency-key",
  tags: "x-svc-tags",
  metadata: "x-svc-metadata",
  trackOpens: "x-svc-track-opens",
  trackClicks: "x-svc-track-clicks"
} as const

/** The names of the option headers, lower case. */
export const optionNames: ReadonlySet<string> = new Set(Object.values(names))

/** Reads the option headers, and adds their issues to `issues`. Names are compared without case. */
export const readOptions = (headers: ReadonlyArray<ExtraHeader>, issues: Issues): Options => {
  const valuesOf = (wanted: string): ReadonlyArray<string> =>
    headers.filter(({ name }) => name.toLowerCase() === wanted).map(({ value }) => decodeWords(value).trim())

  /** The value of a header that may be repeated, but only with the same value. */
  const one = (name: string, code: Code, field: string): string | null => {
    const [first, ...others] = new Set(valuesOf(name))
    if (others.length > 0) issues.add(code, field)
    return first ?? null
  }

  const flag = (name: string, field: string): boolean | null => {
    const value = one(name, "validation.format", field)?.toLowerCase() ?? null
    if (value !== null && value !== "true" && value !== "false")
      issues.add("validation.format", field, null, { expected: formats.flag })
    return value === null ? null : value === "true"
  }

  const metadata = pieces(valuesOf(names.metadata))
  if (metadata.some(([, value]) => value === null)) issues.add("sending.metadata_invalid", "metadata")
  return {
    idempotencyKey: one(names.idempotencyKey, "sending.idempotency_key_mismatch", "idempotencyKey"),
    tags: labelsOf(pieces(valuesOf(names.tags))),
    metadata: labelsOf(metadata),
    trackOpens: flag(names.trackOpens, "tracking.opens"),
    trackClicks: flag(names.trackClicks, "tracking.clicks")
  }
}

/** A name, with its value if it has one. */
type Piece = readonly [name: string, value: string | null]

const pieces = (values: ReadonlyArray<string>): ReadonlyArray<Piece> =>
  values
    .flatMap((value) => value.split(";"))
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "")
    .map((piece): Piece => {
      const at = piece.indexOf("=")
      return at === -1 ? [piece, null] : [piece.slice(0, at).trim(), piece.slice(at + 1).trim()]
    })

const labelsOf = (all: ReadonlyArray<Piece>): Labels =>
  Object.fromEntries(all.map(([name, value]) => [name, value ?? ""]))

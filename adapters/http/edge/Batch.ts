/**
 * Decodes and reports the elements of a batch, each of which succeeds or fails by itself.
 *
 * @module
 */
import { Effect, Result } from "effect"
import { errorsOfEach, firstIssues, type Issue, issue, Problem } from "../../../core/shared/Problem.ts"
import type { BatchListOf } from "../schema/Envelope.ts"
import { BodiesBusy } from "./BodyReader.ts"
import type { Hold } from "./BytesInFlight.ts"
import { JsonScan, type ScanBounds, type ScanEnd, type ScanPart } from "../json/JsonScan.ts"
import { makeShape } from "../json/Shape.ts"
import { bodyBounds, type JsonFlaw, notJson, parsePart, tooComplex } from "../json/StrictJson.ts"
import { bytesOfSlice, yieldToOthers } from "../json/TimeSlices.ts"
import type { UnknownFields } from "../json/UnknownFields.ts"

/** The limits of a batch's body. A thousand orders of a hundred lines each stay below them. */
export const batchBounds: ScanBounds = { ...bodyBounds, members: 500_000, containers: 250_000 }

/** How many bytes are scanned in one time slice. */
const scanBytes = 4 * 1024 * 1024

/** The estimated memory that each parsed value needs in addition to its bytes. */
const valueBytes = 32

/** A decoded element of a batch, or the reason why it fails. */
export type Element<A = unknown> = Result.Result<A, Problem>

/**
 * Returns the elements of a batch's list. The schema types the list as callers send it, whereas the elements were decoded
 * one by one.
 */
export const elementsOf = <A>(list: ReadonlyArray<A>): ReadonlyArray<Element<A>> =>
  list as ReadonlyArray<unknown> as ReadonlyArray<Element<A>>

/** Decodes a batch's body. A flaw concerns the body as a whole. `unknown` collects the fields that the shape does not have. */
export type DecodeBatch = (
  bytes: Uint8Array,
  room: Hold,
  unknown: UnknownFields
) => Effect.Effect<Result.Result<unknown, JsonFlaw>, BodiesBusy>

/**
 * Makes the decoder of a batch's body, once, at start. It returns the body with the {@link Element}s of its list. First it
 * takes the memory they need from `room`. Large bodies are decoded in time slices, so that the server can answer other
 * requests meanwhile.
 *
 * @param fields the names of the body's fields, including the list
 */
export const makeDecodeBatch = (list: BatchListOf, fields: ReadonlyArray<string>): DecodeBatch => {
  const decodeElement = makeDecodeElement(list)
  return Effect.fnUntraced(function* (bytes, room, unknown) {
    const scan = new JsonScan(bytes, batchBounds, list)
    let scanned = scan.run(scanBytes)
    while (scanned === null) {
      yield* yieldToOthers
      scanned = scan.run(scanBytes)
    }
    if (scanned._tag !== "Scanned") return withoutElements(scanned, list)
    if (bytes.length > bytesOfSlice) {
      const values = scanned.elements.reduce((sum, part) => sum + part.values, 0)
      const taken = room.take(bytes.length + values * valueBytes)
      if (taken !== true && !(yield* Effect.promise(() => taken))) return yield* new BodiesBusy()
    }
    const elements: Array<Element> = []
    let since = 0
    for (const part of scanned.elements) {
      unknown.prefix = `${list.name}[${elements.length}].`
      const element = decodeElement(bytes, part, unknown)
      if (element === null) return notJson
      elements.push(element)
      since += part.end - part.start
      if (since < bytesOfSlice) continue
      since = 0
      yield* yieldToOthers
    }
    unknown.prefix = ""
    return Result.map(wholeOf(bytes, scanned, elements, list), (body) => {
      for (const name of namesOf(body)) if (!fields.includes(name)) unknown.add("", name, fields)
      return body
    })
  })
}

type Scanned = Extract<ScanEnd, { readonly _tag: "Scanned" }>

/** The result of a scan that stopped early. */
const withoutElements = (
  { _tag }: Exclude<ScanEnd, Scanned>,
  { maxElements, name }: BatchListOf
): Result.Result<unknown, JsonFlaw> => {
  if (_tag === "TooComplex") return tooComplex
  // The handler rejects the list because of its length.
  return _tag === "NotJson" ? notJson : Result.succeed({ [name]: Array.from({ length: maxElements + 1 }) })
}

const namesOf = (body: unknown): ReadonlyArray<string> =>
  typeof body === "object" && body !== null && !Array.isArray(body) ? Object.keys(body) : []

/** Parses the rest of the body as JSON and adds the decoded elements of its list, if it has the list. */
const wholeOf = (
  bytes: Uint8Array,
  { list, whole }: Scanned,
  elements: ReadonlyArray<Element>,
  { name }: BatchListOf
): Result.Result<unknown, JsonFlaw> => {
  if (list === null) return parsePart(bytes, whole, "doubles")
  const [start, end] = list
  const beside = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
  return Result.map(parsePart(beside, whole, "doubles"), (body) => ({
    ...(body as object),
    [name]: elements
  }))
}

/**
 * Makes the decoder of an element. It returns null if the element is not JSON. Other elements fail with:
 *
 * - validation.type on each field of a wrong type, or without a field if the element itself has a wrong type
 *   (docs/contributing/decisions.md 2)
 * - the field's code in `tooDeep`, or validation.type, if a field is nested too deeply
 * - common.body_too_complex
 */
const makeDecodeElement = ({ element, maxValues, tooDeep = {} }: BatchListOf) => {
  const shape = makeShape(element)
  const problemOf = ({ kind, path }: JsonFlaw, bytes: Uint8Array, part: ScanPart): Problem => {
    if (kind !== "TooDeep") return Problem.of("validation.type", path === "" ? null : path)
    const field = keyOf(bytes, part.deepKey)
    return Problem.of((field === null ? undefined : tooDeep[field]) ?? "validation.type", field)
  }
  return (bytes: Uint8Array, part: ScanPart, unknown: UnknownFields): Element | null => {
    if (part.values > maxValues || part.keys > batchBounds.keys)
      return Result.fail(Problem.of("common.body_too_complex"))
    const parsed = parsePart(bytes, part, shape.numbers)
    if (Result.isFailure(parsed)) {
      const flaw = parsed.failure
      return flaw.kind === "NotJson" ? null : Result.fail(problemOf(flaw, bytes, part))
    }
    const shaped = shape(parsed.success, shape.numbers, unknown)
    if (Result.isSuccess(shaped)) return Result.succeed(shaped.success)
    const { errors, more } = shaped.failure
    const issues = Object.keys(errors).map((field) =>
      issue("validation.type", field === "body" ? null : field)
    )
    return Result.fail(Problem.from(issues, more)!)
  }
}

/** Decodes the key between its quotes; null if there is none. */
const keyOf = (bytes: Uint8Array, between: ScanPart["deepKey"]): string | null => {
  if (between === null) return null
  try {
    return JSON.parse(new TextDecoder().decode(bytes.subarray(...between))) as string
  } catch {
    return null
  }
}

/** The result of a written element. */
interface Written<Status> {
  readonly status: Status
  readonly id: string
}

/** The response of a batch: the result of each element, in order, and the counts. */
export const batchResults = <A>(
  results: ReadonlyArray<Element<A>>,
  show: (written: A) => Written<"Created" | "Updated">
) => {
  const counts = { Created: 0, Updated: 0, Failed: 0 }
  const max = errorsOfEach(results.filter(Result.isFailure).length)
  const shown = results.map((result, index) => {
    const { errors, id, status } = Result.isSuccess(result)
      ? { ...show(result.success), errors: null }
      : { status: "Failed" as const, id: null, errors: firstIssues(result.failure.issues, max).map(errorOf) }
    counts[status]++
    return { index, status, id, errors }
  })
  return { created: counts.Created, updated: counts.Updated, failed: counts.Failed, results: shown }
}

const errorOf = ({ code, field, params }: Issue) => ({ code, field, params })

/** An event that was not accepted, at its index in the call. */
interface RejectedElement {
  readonly index: number
  readonly issues: ReadonlyArray<Issue>
}

/** The codes and fields of rejected elements; `params` only if they count reasons that are not listed. */
export const rejectedElements = (rejected: ReadonlyArray<RejectedElement>) => {
  const max = errorsOfEach(rejected.length)
  return rejected.map(({ index, issues }) => ({
    index,
    reasons: firstIssues(issues, max).map(({ code, field, params }) => {
      const more = params?.["more"]
      return more === undefined ? { code, field } : { code, field, params: { more } }
    })
  }))
}

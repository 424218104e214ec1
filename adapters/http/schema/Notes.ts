/**
 * What the published document says of an endpoint beyond its schemas: the rules in words, the statuses of success, the
 * codes it refuses with, and an example. The black-box suites hold every exchange against it.
 *
 * @module
 */
import { Context } from "effect"
import type { Code } from "../../../core/shared/Problem.ts"

/** A call that works once the examples before it were made, in the document's order. */
export interface OperationExample {
  /** Parameters by name. */
  readonly parameters?: Readonly<Record<string, string | number>>
  /** The body, where the endpoint takes one. */
  readonly body?: unknown
  /** The envelope's value. */
  readonly value: unknown
}

/** A later call whose path parameter this answer gives. */
export interface OperationLink {
  readonly operationId: string
  /** The parameter by name, with the place of its value in the envelope's value, as a JSON pointer (RFC 6901). */
  readonly parameters: Readonly<Record<string, `/${string}`>>
}

/** The notes of an endpoint. */
export interface OperationNotes {
  /** Rules and limits, as Markdown. */
  readonly description: string
  /** What each status of success means. */
  readonly success: Readonly<Partial<Record<200 | 201 | 202, string>>>
  /** The codes of the envelope's errors, but for those every endpoint of the guard has. */
  readonly codes: ReadonlyArray<Code>
  /** The codes of a batch's entries, which fail each on its own. */
  readonly entryCodes?: ReadonlyArray<Code>
  readonly links?: Readonly<Record<string, OperationLink>>
  readonly example: OperationExample
}

/** The annotation that carries an endpoint's notes; null for an endpoint that is not published. */
export const Notes = Context.Reference<OperationNotes | null>("svc/http/Notes", { defaultValue: () => null })

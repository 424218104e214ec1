/**
 * Defines what the published document says about an endpoint in addition to its schemas: rules, success statuses, error codes
 * and an example. The black-box suites check every request and response against it.
 *
 * @module
 */
import { Context } from "effect"
import type { Code } from "../../../core/shared/Problem.ts"

/** A call that succeeds after the examples before it, in the order of the document. */
export interface OperationExample {
  /** Parameters by name. */
  readonly parameters?: Readonly<Record<string, string | number>>
  /** The body, if the endpoint has one. */
  readonly body?: unknown
  /** The envelope's value. */
  readonly value: unknown
}

/** A later call that takes a path parameter from this response. */
export interface OperationLink {
  readonly operationId: string
  /** The parameters by name, each with a JSON pointer (RFC 6901) into the envelope's value. */
  readonly parameters: Readonly<Record<string, `/${string}`>>
}

/** The notes of an endpoint. */
export interface OperationNotes {
  /** Rules and limits, as Markdown. */
  readonly description: string
  /** The meaning of each success status. */
  readonly success: Readonly<Partial<Record<200 | 201 | 202, string>>>
  /** The codes of the envelope's errors, except those of every endpoint with the guard. */
  readonly codes: ReadonlyArray<Code>
  /** The codes of a batch's entries, which fail individually. */
  readonly entryCodes?: ReadonlyArray<Code>
  readonly links?: Readonly<Record<string, OperationLink>>
  readonly example: OperationExample
}

/** The annotation that carries an endpoint's notes; null for an endpoint that is not published. */
export const Notes = Context.Reference<OperationNotes | null>("svc/http/Notes", { defaultValue: () => null })

/**
 * Runs statements and returns their rows in the form that stores need, with the errors that the ports declare.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { WriteConflict } from "../../../core/ports/Transaction.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import { orConflict, orUnavailable } from "./errors.ts"

type Rows<Row> = Effect.Effect<ReadonlyArray<Row>, SqlError>

/** Runs a statement that returns nothing. */
export const execute = (statement: Rows<object>): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(orUnavailable(statement))

/** As `execute`, for a statement that a constraint may reject. */
export const executeOrConflict = (
  statement: Rows<object>
): Effect.Effect<void, WriteConflict | Unavailable> => Effect.asVoid(orConflict(statement))

/** The ids that a statement returns. */
export const idsOf = (
  statement: Rows<{ readonly id: string }>
): Effect.Effect<ReadonlyArray<string>, Unavailable> =>
  Effect.map(orUnavailable(statement), (rows) => rows.map((row) => row.id))

/** The one `count` that a statement returns; 0 without a row. */
export const countOf = (statement: Rows<{ readonly count: number }>): Effect.Effect<number, Unavailable> =>
  Effect.map(orUnavailable(statement), ([row]) => row?.count ?? 0)

/** The counts that a statement returns by status; 0 for a status of `all` without a row. */
export const countsOf = <Status extends string>(
  all: ReadonlyArray<Status>,
  statement: Rows<{ readonly status: Status; readonly count: number }>
): Effect.Effect<Readonly<Record<Status, number>>, Unavailable> =>
  Effect.map(orUnavailable(statement), (rows) => {
    const counted = new Map(rows.map(({ count, status }) => [status, count]))
    return Object.fromEntries(all.map((status) => [status, counted.get(status) ?? 0])) as Record<
      Status,
      number
    >
  })

/** The first row; null if there is none. */
export const first = <A, E>(rows: Effect.Effect<ReadonlyArray<A>, E>): Effect.Effect<A | null, E> =>
  Effect.map(rows, ([row]) => row ?? null)

/** Runs the statement about a list, unless the list is empty. */
export const ifAny =
  (list: ReadonlyArray<unknown>) =>
  <A extends ReadonlyArray<unknown> | void, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    list.length === 0 ? Effect.succeed([] as unknown as A) : effect

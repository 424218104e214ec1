/**
 * Maps a failed statement to an error of the core: the database is unavailable, another writer was first, or the code has a
 * defect.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { WriteConflict } from "../../../core/ports/Transaction.ts"
import { Unavailable } from "../../../core/shared/Problem.ts"
import { withReplyTimeout } from "../engine/ReplyTimeout.ts"

/** The SQLSTATE that `svc_conflict(name)` raises. Its message is the name of the constraint. */
const raisedConflict = "SV001"

const foreignKeyViolation = "23503"

/**
 * SQLSTATE classes and codes of a server that cannot serve statements now: connection exceptions (08), insufficient resources
 * (53), shutting down or starting (57P), a standby (25006), a transaction ended because no statement arrived in time
 * (25P03), and system errors (58).
 */
const unavailableCodes = /^(08|53|57P|58)|^25(006|P03)$/

/** The fields of an error that the server reported, if it was the server. */
const fieldsOf = (error: SqlError): { readonly code: string | null; readonly message: string } => {
  const cause = error.reason.cause
  if (typeof cause !== "object" || cause === null) return { code: null, message: "" }
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : null
  const message = "message" in cause && typeof cause.message === "string" ? cause.message : ""
  return { code, message }
}

const isCodecError = (error: SqlError): boolean => {
  const cause = error.reason.cause
  return typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag === "CodecError"
}

/** The error of the core for a failed statement; null for a defect. */
const meaningOf = (error: SqlError): WriteConflict | Unavailable | null => {
  switch (error.reason._tag) {
    case "UniqueViolation":
      return new WriteConflict({ constraint: error.reason.constraint })
    case "ConstraintError":
      // The row to which another row refers was deleted in the meantime.
      return fieldsOf(error).code === foreignKeyViolation
        ? new WriteConflict({ constraint: "foreign_key" })
        : null
    case "DeadlockError":
      return new WriteConflict({ constraint: "deadlock" })
    case "SerializationError":
      return new WriteConflict({ constraint: "serialization" })
    case "ConnectionError":
    case "AuthenticationError":
    case "LockTimeoutError":
    case "StatementTimeoutError":
      return new Unavailable({ cause: error })
    case "UnknownError": {
      const { code, message } = fieldsOf(error)
      if (code === raisedConflict) return new WriteConflict({ constraint: message })
      if (code === "25P02" || error.reason.operation === "commit") {
        return new WriteConflict({ constraint: "transaction" })
      }
      if (code === null) return isCodecError(error) ? null : new Unavailable({ cause: error })
      return unavailableCodes.test(code) ? new Unavailable({ cause: error }) : null
    }
    default:
      return null
  }
}

/** Maps the errors of a port's statements, for ports that fail with `WriteConflict`. */
export const orConflict = <A, R>(
  self: Effect.Effect<A, SqlError, R>
): Effect.Effect<A, WriteConflict | Unavailable, R> =>
  Effect.catch(withReplyTimeout(self), (error): Effect.Effect<never, WriteConflict | Unavailable> => {
    const meaning = meaningOf(error)
    return meaning === null ? Effect.die(error) : Effect.fail(meaning)
  })

/**
 * Maps the errors of statements that no constraint should reject. A deadlock becomes `Unavailable` with the conflict as its
 * cause. `Transaction.run` turns it back into the conflict, so that its caller decides again.
 */
export const orUnavailable = <A, R>(self: Effect.Effect<A, SqlError, R>): Effect.Effect<A, Unavailable, R> =>
  Effect.catch(withReplyTimeout(self), (error) => {
    const meaning = meaningOf(error)
    if (meaning === null || error.reason._tag === "UniqueViolation") return Effect.die(error)
    return Effect.fail(meaning._tag === "WriteConflict" ? new Unavailable({ cause: meaning }) : meaning)
  })

/** Turns an `Unavailable` that was caused by a deadlock back into `WriteConflict`. */
export const conflictInside = <E>(error: E): E | WriteConflict =>
  error instanceof Unavailable && error.cause instanceof WriteConflict ? error.cause : error

/**
 * As `orUnavailable`, for a statement that commits on its own, in a port that fails with `WriteConflict` on a deadlock.
 */
export const orRetry = <A, R>(
  self: Effect.Effect<A, SqlError, R>
): Effect.Effect<A, WriteConflict | Unavailable, R> => Effect.mapError(orUnavailable(self), conflictInside)

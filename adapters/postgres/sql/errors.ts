/**
 * What a failed statement means to the core: the store is out of reach, somebody else wrote first, or a defect.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { WriteConflict } from "../../../core/ports/Transaction.ts"
import { Unavailable } from "../../../core/shared/Problem.ts"
import { withReplyTimeout } from "../engine/ReplyTimeout.ts"

/** SQLSTATE of a refusal that `svc_conflict(name)` raises; its message is the name of what refused. */
const refusedByRule = "SV001"

/**
 * SQLSTATE classes and codes of a server that cannot serve now: connection (08), resources (53), shutting down or
 * starting (57P), a standby (25006), an input or output error (58).
 */
const outOfReach = /^(08|53|57P|58)|^25006$/

/** The server's own fields of an error, when it came from the server. */
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

/** What a statement's failure is; null for a defect. */
const meaningOf = (error: SqlError): WriteConflict | Unavailable | null => {
  switch (error.reason._tag) {
    case "UniqueViolation":
      return new WriteConflict({ constraint: error.reason.constraint })
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
      if (code === refusedByRule) return new WriteConflict({ constraint: message })
      if (code === "25P02" || error.reason.operation === "commit") {
        return new WriteConflict({ constraint: "transaction" })
      }
      if (code === null) return isCodecError(error) ? null : new Unavailable({ cause: error })
      return outOfReach.test(code) ? new Unavailable({ cause: error }) : null
    }
    default:
      return null
  }
}

/** For statements of a port that answers `WriteConflict`. */
export const orConflict = <A, R>(
  self: Effect.Effect<A, SqlError, R>
): Effect.Effect<A, WriteConflict | Unavailable, R> =>
  Effect.catch(withReplyTimeout(self), (error): Effect.Effect<never, WriteConflict | Unavailable> => {
    const meaning = meaningOf(error)
    return meaning === null ? Effect.die(error) : Effect.fail(meaning)
  })

/**
 * For statements that no constraint refuses in good order. A deadlock is `Unavailable` whose cause is the conflict:
 * `Transaction.run` turns it back, so that its caller decides again.
 */
export const orUnavailable = <A, R>(self: Effect.Effect<A, SqlError, R>): Effect.Effect<A, Unavailable, R> =>
  Effect.catch(withReplyTimeout(self), (error) => {
    const meaning = meaningOf(error)
    if (meaning === null || error.reason._tag === "UniqueViolation") return Effect.die(error)
    return Effect.fail(meaning._tag === "WriteConflict" ? new Unavailable({ cause: meaning }) : meaning)
  })

/** A deadlock inside came out as `Unavailable` where the port knows no conflict; here it is one again. */
export const conflictInside = <E>(error: E): E | WriteConflict =>
  error instanceof Unavailable && error.cause instanceof WriteConflict ? error.cause : error

/** As `orUnavailable`, for statements that commit by themselves where the port answers a deadlock as `WriteConflict`. */
export const orRetry = <A, R>(
  self: Effect.Effect<A, SqlError, R>
): Effect.Effect<A, WriteConflict | Unavailable, R> => Effect.mapError(orUnavailable(self), conflictInside)

/**
 * The access of operators to the personal data of companies. Each operator opens it for a reason and a limited time, and it is
 * shown in the company's audit log (docs/contributing/people.md 1).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { Atomically } from "../kernel/atomically.ts"
import { noAccount } from "../model/Account.ts"
import type { Actor } from "../model/Actor.ts"
import { AccessStore } from "../ports/AccessStore.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { Issues, type Problem, type Unavailable } from "../shared/Problem.ts"
import { checkText, formatDateTime } from "../shared/Validate.ts"

const hourMillis = 3_600_000

/** The longest access, hours. */
export const maxAccessHours = 8

/** The most characters of its reason. */
export const maxAccessReason = 500

/** Why an operator needs access, and for how long. */
export interface AccessRequest {
  readonly reason: string
  readonly hours: number
}

/** The access of operators to the personal data of companies. */
export class OperatorAccess extends Context.Service<
  OperatorAccess,
  {
    /**
     * Opens access for an operator, replacing an earlier one of the same operator. Returns when it ends, epoch milliseconds.
     * validation.*.
     */
    readonly open: (
      companyId: string,
      userId: string,
      request: AccessRequest,
      actor: Actor
    ) => Effect.Effect<number, Problem | Unavailable>
    /** Ends the access of an operator, effective on all nodes at once; without an access it does nothing. */
    readonly close: (companyId: string, userId: string, actor: Actor) => Effect.Effect<void, Unavailable>
  }
>()("svc/companies/OperatorAccess") {
  static readonly layer = Layer.effect(
    OperatorAccess,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const sessions = yield* SessionStore
      const store = yield* AccessStore
      const { record } = yield* AuditTrail

      return OperatorAccess.of({
        open: Effect.fn("OperatorAccess.open")(function* (companyId, userId, { hours, ...given }, actor) {
          const issues = new Issues()
          const reason = checkText(given.reason, "reason", maxAccessReason, issues)
          if (reason === "") issues.add("validation.required", "reason")
          if (!(Number.isInteger(hours) && hours >= 1 && hours <= maxAccessHours)) {
            issues.add("validation.range", "hours", { min: 1, max: maxAccessHours })
          }
          yield* Effect.fromResult(issues.result(null))
          const openedAt = yield* Clock.currentTimeMillis
          const until = openedAt + hours * hourMillis
          yield* atomically(
            Effect.gen(function* () {
              yield* store.open({ companyId, userId, reason, openedAt, until })
              yield* sessions.requireRenewal(userId)
              yield* record(actor, {
                accountId: noAccount,
                companyId,
                action: "access.opened",
                target: userId,
                before: null,
                after: { reason, until: formatDateTime(until) }
              })
            })
          )
          return until
        }),
        close: Effect.fn("OperatorAccess.close")(function* (companyId, userId, actor) {
          yield* atomically(
            Effect.gen(function* () {
              if (!(yield* store.close(companyId, userId))) return
              yield* sessions.requireRenewal(userId)
              const change = { accountId: noAccount, companyId, before: null, after: null }
              yield* record(actor, { ...change, action: "access.closed", target: userId })
            })
          )
        })
      })
    })
  )
}

/**
 * Permits or rejects a call of the management API, according to the right its endpoint requires and the target its path names.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { type Account, type Company, noAccount } from "../../../core/model/Account.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { type Caller, decide, type Requirement, type Target } from "../../../core/users/Caller.ts"
import type { Caller as CallerOfRoute } from "./guard.ts"

/** The target of an account. */
export const targetOf = ({ companyId, id, mode }: Account): Target => ({
  companyId,
  accountId: id,
  accountKind: mode
})

/** The target of a company. */
export const targetOfCompany = ({ id }: Company): Target => ({ companyId: id })

/** The target of the installation. */
export const installation: Target = {}

/** The caller of a route of the management API, whose guard always sets it. */
export const managerOf = ({ manager }: CallerOfRoute): Effect.Effect<Caller> =>
  manager === undefined
    ? Effect.die(new Error("The route has no guard of the management API"))
    : Effect.succeed(manager)

/** The account or company for which the denial of a right is recorded. */
export const placeOf = ({ accountId, companyId }: Target): DeniedPlace =>
  accountId === undefined
    ? { accountId: noAccount, companyId: companyId ?? null }
    : { accountId, companyId: null }

/** The account or company for which a right was denied. */
export interface DeniedPlace {
  readonly accountId: string
  readonly companyId: string | null
}

/**
 * Rejects a caller who lacks the required right at a target. Fails with common.not_found, users.right_missing or
 * users.access_required.
 */
export const permit = (
  caller: Caller,
  requirement: Requirement,
  target: Target | null
): Effect.Effect<void, Problem> => {
  const decision = decide(caller, requirement, target)
  switch (decision._tag) {
    case "Allowed":
      return Effect.void
    case "NotFound":
      return Effect.fail(Problem.of("common.not_found"))
    case "AccessRequired":
      return Effect.fail(Problem.of("users.access_required"))
    case "RightMissing":
      return Effect.fail(Problem.of("users.right_missing", null, null, { right: decision.right }))
  }
}

/**
 * Rejects an operator without access to the company with users.access_required. Routes call it if their reply has personal
 * data that the right they require does not cover.
 */
export const permitPersonal = (caller: Caller, target: Target): Effect.Effect<void, Problem> =>
  hasPersonalAccess(caller, target) ? Effect.void : permit(caller, "emails:read", target)

/** Whether `permitPersonal` accepts the caller. */
export const hasPersonalAccess = (caller: Caller, target: Target): boolean =>
  decide(caller, "emails:read", target)._tag !== "AccessRequired"

/** Fails with users.confirmation_required in a session without a factor given in the last 15 minutes. */
export const requireConfirmation = (caller: Caller): Effect.Effect<void, Problem> =>
  caller._tag !== "Session"
    ? Effect.void
    : Effect.flatMap(Clock.currentTimeMillis, (now) =>
        (caller.confirmedUntil ?? 0) > now
          ? Effect.void
          : Effect.fail(
              Problem.of("users.confirmation_required", null, null, { factors: caller.factors.join(",") })
            )
      )

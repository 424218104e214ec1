/**
 * What every operator's handler of an account begins with.
 *
 * @module
 */
import { Effect } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import { Accounts } from "../../../core/accounts/Accounts.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { Problem, type Unavailable } from "../../../core/shared/Problem.ts"

/** Path parameters of a call. */
export type Params = Readonly<Record<string, string | undefined>>

/** A value, or the refusal that took its place. */
export const asEffect = <A>(value: A | Problem): Effect.Effect<Exclude<A, Problem>, Problem> =>
  value instanceof Problem ? Effect.fail(value) : Effect.succeed(value as Exclude<A, Problem>)

/**
 * A function that finds the account of a path, and refuses a path whose account does not exist or whose `id` cannot
 * be one: common.not_found.
 */
export const makeAccountGate = Effect.map(
  Accounts,
  (accounts) =>
    (params: Params): Effect.Effect<Account, Problem | Unavailable> => {
      const { accountId, id } = params
      const possible = isUuid(accountId ?? "") && (id === undefined || isUuid(id))
      return possible ? accounts.get(accountId!.toLowerCase()) : Effect.fail(Problem.of("common.not_found"))
    }
)

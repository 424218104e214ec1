/**
 * Reads, in one query, everything on which the acceptance of an email depends. The query runs for every email.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { Account } from "../model/Account.ts"
import type { SendingDomain } from "../model/Domain.ts"
import type { Suppression } from "../model/Suppression.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { AccountStore } from "./AccountStore.ts"
import { DomainStore } from "./DomainStore.ts"
import { SuppressionStore } from "./SuppressionStore.ts"

/** What the acceptance of an account's emails depends on. */
export interface AcceptanceFacts {
  /** Null if no account has the id. */
  readonly account: Account | null
  /** The account's verified domains, in no order. */
  readonly verified: ReadonlyArray<SendingDomain>
  /** The entries of those addresses that are suppressed, in no order. */
  readonly suppressed: ReadonlyArray<Suppression>
}

/** The ports from which the data comes. */
export interface AcceptanceSources {
  readonly accounts: AccountStore["Service"]
  readonly domains: DomainStore["Service"]
  readonly suppressions: SuppressionStore["Service"]
}

/** The port of the look-up before an email is accepted. */
export class AcceptanceLookup extends Context.Service<
  AcceptanceLookup,
  {
    /**
     * The ports whose reads this look-up replaces. If another implementation of one of them is provided, each port is read
     * separately instead.
     */
    readonly sources: AcceptanceSources
    /** What the sources return for an account and the addresses. */
    readonly find: (
      accountId: string,
      emails: ReadonlyArray<string>
    ) => Effect.Effect<AcceptanceFacts, Unavailable>
  }
>()("svc/ports/AcceptanceLookup") {
  /** The look-up for a storage without a single query for it: reads the ports concurrently. */
  static readonly ofPorts = Effect.suspend(() => askEach)
}

const askEach = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const domains = yield* DomainStore
  const suppressions = yield* SuppressionStore
  return AcceptanceLookup.of({
    sources: { accounts, domains, suppressions },
    find: (accountId, emails) =>
      Effect.map(
        Effect.all(
          [
            accounts.find([accountId]),
            domains.verified([accountId]),
            suppressions.find(emails.map((email) => ({ accountId, email })))
          ],
          { concurrency: "unbounded" }
        ),
        ([[account = null], verified, suppressed]) => ({ account, verified, suppressed })
      )
  })
})

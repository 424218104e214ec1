/**
 * Reads in one query what accepting an email depends on; every email runs it.
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

/** What accepting an account's emails depends on. */
export interface AcceptanceFacts {
  /** Null when no account has that id. */
  readonly account: Account | null
  /** The account's verified domains, in no order. */
  readonly verified: ReadonlyArray<SendingDomain>
  /** The entries of the suppressed addresses, in no order. */
  readonly suppressed: ReadonlyArray<Suppression>
}

/** The ports whose data is read. */
export interface AcceptanceSources {
  readonly accounts: AccountStore["Service"]
  readonly domains: DomainStore["Service"]
  readonly suppressions: SuppressionStore["Service"]
}

/** The port of what accepting an email depends on. */
export class AcceptanceLookup extends Context.Service<
  AcceptanceLookup,
  {
    /**
     * The ports whose reads the look-up replaces. Where another implementation of one of them is provided, each port is read
     * by itself instead.
     */
    readonly sources: AcceptanceSources
    /** What the sources return for an account and those addresses. */
    readonly find: (
      accountId: string,
      emails: ReadonlyArray<string>
    ) => Effect.Effect<AcceptanceFacts, Unavailable>
  }
>()("svc/ports/AcceptanceLookup") {
  /** The look-up of a storage that has no single query for it: reads the ports concurrently. */
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

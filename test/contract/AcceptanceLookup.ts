/**
 * The contract of `core/ports/AcceptanceLookup`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { AcceptanceLookup } from "../../core/ports/AcceptanceLookup.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { suppressionKinds } from "../../core/model/Suppression.ts"
import { draftDkimKey, draftDomain } from "./drafts.ts"
import {
  byId,
  freshAccount,
  freshAccountId,
  newEmail,
  newId,
  now,
  oddText,
  type StorageTest
} from "./fixtures.ts"

const byEmail = <A extends { readonly email: string }>(rows: ReadonlyArray<A>): ReadonlyArray<A> =>
  rows.toSorted((a, b) => (a.email < b.email ? -1 : 1))

/** Tests of the port `AcceptanceLookup`. */
export const acceptanceLookupContract = (it: StorageTest): void => {
  describe("AcceptanceLookup", () => {
    it.effect("returns what each port returns for an account and addresses", () =>
      Effect.gen(function* () {
        const lookup = yield* AcceptanceLookup
        const domains = yield* DomainStore
        const suppressions = yield* SuppressionStore
        const account = yield* freshAccount({ retentionDays: 7 })
        const other = yield* freshAccountId
        const verified = ["one", "two"].map((name) =>
          draftDomain(account.id, {
            domain: `${name}.example.com`,
            status: "Verified",
            records: [{ type: "TXT", name: oddText, value: oddText, purpose: "DKIM", found: true }],
            keys: [draftDkimKey],
            checkedAt: name === "one" ? now + 3 : null,
            verifiedAt: now + 5
          })
        )
        for (const domain of [
          ...verified,
          draftDomain(account.id),
          draftDomain(other, { status: "Verified" })
        ]) {
          yield* domains.insert(domain)
        }
        const listed = suppressionKinds.map((kind, index) => ({
          accountId: account.id,
          email: index === 0 ? `"o'\\dd"@bücher.example` : newEmail(),
          kind,
          source: "Report" as const,
          createdAt: now + index
        }))
        const notAsked = { ...listed[0]!, email: newEmail() }
        const foreign = { ...listed[0]!, accountId: other, email: newEmail() }
        yield* suppressions.put([...listed, notAsked, foreign])
        const asked = [...listed.map(({ email }) => email), foreign.email, newEmail(), listed[1]!.email]
        const { account: found, suppressed, verified: mayLeave } = yield* lookup.find(account.id, asked)
        expect(found).toEqual(account)
        expect(byId(mayLeave)).toEqual(byId(verified))
        expect(byEmail(suppressed)).toEqual(byEmail(listed))
        const refs = asked.map((email) => ({ accountId: account.id, email }))
        expect([found]).toEqual(yield* (yield* AccountStore).find([account.id]))
        expect(byId(mayLeave)).toEqual(byId(yield* domains.verified([account.id])))
        expect(byEmail(suppressed)).toEqual(byEmail(yield* suppressions.find(refs)))
      })
    )

    it.effect("returns nothing for rows that do not exist", () =>
      Effect.gen(function* () {
        const lookup = yield* AcceptanceLookup
        const account = yield* freshAccount()
        const nothing = { verified: [], suppressed: [] }
        expect(yield* lookup.find(account.id, [newEmail()])).toEqual({ account, ...nothing })
        expect(yield* lookup.find(account.id, [])).toEqual({ account, ...nothing })
        expect(yield* lookup.find(newId(), [newEmail()])).toEqual({ account: null, ...nothing })
      })
    )

    it.effect("sees what its own transaction wrote", () =>
      Effect.gen(function* () {
        const lookup = yield* AcceptanceLookup
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const domain = draftDomain(accountId, { status: "Verified" })
        const insert = (yield* DomainStore).insert(domain)
        const seen = yield* run(Effect.andThen(insert, lookup.find(accountId, [])))
        expect(seen.verified).toEqual([domain])
      })
    )

    it.effect("can be replaced by a lookup over other ports", () =>
      Effect.gen(function* () {
        const { sources } = yield* AcceptanceLookup
        expect(sources.accounts).toBe(yield* AccountStore)
        expect(sources.domains).toBe(yield* DomainStore)
        expect(sources.suppressions).toBe(yield* SuppressionStore)
      })
    )
  })
}

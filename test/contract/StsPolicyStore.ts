/**
 * The contract of `core/ports/StsPolicyStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { StsPolicy } from "../../core/model/StsPolicy.ts"
import { StsPolicyStore } from "../../core/ports/StsPolicyStore.ts"
import { minute, newId, now, type StorageTest } from "./fixtures.ts"

/** Tests of the port `StsPolicyStore`. */
export const stsPolicyStoreContract = (it: StorageTest): void => {
  describe("StsPolicyStore", () => {
    it.effect("keeps the latest policy of a domain until it is pruned", () =>
      Effect.gen(function* () {
        const store = yield* StsPolicyStore
        const domain = `${newId()}.test`
        const policy: StsPolicy = {
          domain,
          policyId: "20260101T000000",
          mode: "enforce",
          mx: ["mx.example.org", "*.example.net"],
          maxAge: 31_557_600,
          fetchedAt: now,
          expiresAt: now - 1000 * 365 * 24 * 60 * minute
        }
        expect(yield* store.find(domain)).toBeNull()
        yield* store.save(policy)
        expect(yield* store.find(domain)).toEqual(policy)
        const later: StsPolicy = { ...policy, policyId: "2", mode: "none", mx: [], fetchedAt: now + minute }
        yield* store.save(later)
        yield* store.save(policy)
        expect(yield* store.find(domain)).toEqual(later)
        const other = { ...policy, domain: `other.${domain}`, expiresAt: now + minute }
        yield* store.save(other)
        expect(yield* store.prune(policy.expiresAt, 10)).toBe(0)
        expect(yield* store.prune(policy.expiresAt + 1, 10)).toBe(1)
        expect(yield* store.find(domain)).toBeNull()
        expect(yield* store.find(other.domain)).toEqual(other)
      })
    )
  })
}

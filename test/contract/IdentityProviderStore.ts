/**
 * The contract of `core/ports/IdentityProviderStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { IdentityProvider } from "../../core/model/IdentityProvider.ts"
import { IdentityProviderStore } from "../../core/ports/IdentityProviderStore.ts"
import {
  atOnce,
  expectOnlyFailures,
  newHash,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const page = { page: 1, pageSize: 200 }

const draft = (values: Partial<IdentityProvider> = {}): IdentityProvider => ({
  id: newId(),
  companyId: newId(),
  name: "A provider",
  issuer: "https://id.example",
  clientId: "svc",
  clientSecret: "sealed",
  emailDomains: [`${newHash().slice(0, 20)}.example`],
  defaultRole: null,
  required: false,
  createdAt: now,
  ...values
})

/** Tests of the port `IdentityProviderStore`. */
export const identityProviderStoreContract = (it: StorageTest): void => {
  describe("IdentityProviderStore", () => {
    it.effect("finds providers by id, owner and domain, and removes those of their owner", () =>
      Effect.gen(function* () {
        const store = yield* IdentityProviderStore
        const own = draft({ name: oddText, defaultRole: "Viewer", required: true })
        const second = draft({ companyId: own.companyId, createdAt: now + 1, emailDomains: own.emailDomains })
        const installed = draft({ companyId: null, emailDomains: [] })
        for (const provider of [own, second, installed]) yield* store.insert(provider)
        expect(yield* store.find(own.id)).toEqual(own)
        expect(yield* store.find(newId())).toBeNull()
        expect((yield* store.list(own.companyId, page)).items).toEqual([second, own])
        expect((yield* store.list(null, page)).items).toContainEqual(installed)
        expect((yield* store.list(newId(), page)).items).toEqual([])
        expect(yield* store.ofDomain(own.emailDomains[0]!)).toEqual([own, second])
        expect(yield* store.ofDomain("none.example")).toEqual([])
        const all = (yield* store.all).map(({ id }) => id)
        expect(all).toEqual(expect.arrayContaining([own.id, second.id, installed.id]))
        yield* store.saveSecret(own.id, "sealed again")
        expect(yield* store.find(own.id)).toEqual({ ...own, clientSecret: "sealed again" })
        expect(yield* store.remove(null, second.id)).toBeNull()
        expect(yield* store.remove(newId(), second.id)).toBeNull()
        expect(yield* store.remove(own.companyId, second.id)).toEqual(second)
        expect(yield* store.remove(null, installed.id)).toEqual(installed)
        expect(yield* store.find(installed.id)).toBeNull()
      })
    )

    it.effect("knows each subject of an issuer as one user", () =>
      Effect.gen(function* () {
        const store = yield* IdentityProviderStore
        const [issuer, subject] = [`https://${newHash().slice(0, 20)}.example`, oddText]
        const drafts = times(4, () => ({ issuer, subject, userId: newId(), createdAt: now }))
        const exits = yield* atOnce(drafts.map(store.insertIdentity))
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
        expect(drafts).toContainEqual(yield* store.findIdentity(issuer, subject))
        expect(yield* store.findIdentity(issuer, `${subject}x`)).toBeNull()
        expect(yield* store.findIdentity("https://other.example", subject)).toBeNull()
      })
    )
  })
}

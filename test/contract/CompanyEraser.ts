/**
 * The contract of `core/ports/CompanyEraser`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Company } from "../../core/model/Account.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { AuditLog } from "../../core/ports/AuditLog.ts"
import { CompanyEraser } from "../../core/ports/CompanyEraser.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { DomainStore } from "../../core/ports/DomainStore.ts"
import { JobQueue } from "../../core/ports/JobQueue.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { UserStore } from "../../core/ports/UserStore.ts"
import { draftDomain, draftSubmission } from "./drafts.ts"
import {
  auditOf,
  changes,
  draftCompany,
  draftContact,
  draftEntry,
  firstPage,
  newId,
  now,
  type StorageTest,
  times
} from "./fixtures.ts"
import { draftMembership, draftUser } from "./userDrafts.ts"

const contactsOf = 5

/** A stored company with rows of several kinds. */
const fill = Effect.gen(function* () {
  const { company, live, sandbox } = draftCompany()
  yield* (yield* AccountStore).insert([company], [live, sandbox])
  const contacts = yield* ContactStore
  for (const contact of times(contactsOf, () => draftContact())) {
    yield* contacts.write(live.id, changes({ inserts: [contact] }))
  }
  yield* (yield* DomainStore).insert(draftDomain(live.id))
  yield* (yield* SubmissionStore).insert(sandbox.id, [draftSubmission(sandbox.id)], [])
  yield* (yield* JobQueue).enqueue([
    { id: newId(), accountId: live.id, queue: "retention", key: "emails", runAt: now * 2, payload: null }
  ])
  yield* (yield* AuditLog).append([draftEntry(live.id), draftEntry(sandbox.id)])
  const user = draftUser()
  yield* (yield* UserStore).insert(user)
  yield* (yield* UserStore).insertMembership(draftMembership(company.id, user.id))
  return { company, user }
})

/** The number of a company's stored rows. */
const countOf = Effect.fnUntraced(function* (company: Company) {
  const { id, liveAccountId: live, sandboxAccountId: sandbox } = company
  const [companies, members, audit] = [yield* AccountStore, yield* UserStore, yield* AuditLog]
  return {
    company: (yield* companies.findCompanies([id])).length,
    accounts: (yield* companies.find([live, sandbox])).length,
    contacts: yield* (yield* ContactStore).count(live),
    domains: (yield* (yield* DomainStore).list(live, firstPage)).items.length,
    emails: yield* (yield* SubmissionStore).countQueued(sandbox, 10),
    entries: (yield* audit.list(auditOf(live), {}, firstPage)).items.length,
    members: (yield* members.members(id, firstPage)).items.length
  }
})

/** Tests of the port `CompanyEraser`. */
export const companyEraserContract = (it: StorageTest): void => {
  describe("CompanyEraser", () => {
    it.effect("erases a company in rounds, and nothing of another", () =>
      Effect.gen(function* () {
        const [erased, other] = [yield* fill, yield* fill]
        const before = yield* countOf(other.company)
        expect(yield* countOf(erased.company)).toEqual(before)
        const { erase } = yield* CompanyEraser
        let rounds = 0
        while ((yield* erase(erased.company, 2)) > 0) rounds++
        expect(rounds).toBeGreaterThanOrEqual(contactsOf / 2)
        expect(Object.values(yield* countOf(erased.company))).toEqual([0, 0, 0, 0, 0, 0, 0])
        expect(yield* countOf(other.company)).toEqual(before)
        expect(yield* erase(erased.company, 2)).toBe(0)
        // Users belong to the installation, so they are kept.
        expect(yield* (yield* UserStore).find([erased.user.id])).toHaveLength(1)
      })
    )
  })
}

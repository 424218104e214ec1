/**
 * The contract of `core/ports/ContactFieldStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type ContactField, fieldTypes, maxFields } from "../../core/model/ContactField.ts"
import { ContactFieldStore } from "../../core/ports/ContactFieldStore.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  changes,
  draftContact,
  expectFailure,
  expectOnlyFailures,
  freshAccountId,
  keys,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = (accountId: string, key: string, values: Partial<ContactField> = {}): ContactField => ({
  accountId,
  key,
  label: key,
  type: "Text",
  description: null,
  createdFrom: "Api",
  createdAt: now,
  archivedAt: null,
  ...values
})

/** Tests of the port `ContactFieldStore`. */
export const contactFieldStoreContract = (it: StorageTest): void => {
  describe("ContactFieldStore", () => {
    it.effect("returns fields as they were added, sorted by key", () =>
      Effect.gen(function* () {
        const store = yield* ContactFieldStore
        const accountId = yield* freshAccountId
        const typed = fieldTypes.map((type, index) => draft(accountId, `typed_${index}`, { type }))
        const full = draft(accountId, "a_b", {
          label: oddText,
          description: oddText,
          createdFrom: "Csv",
          createdAt: now - 1,
          archivedAt: now + 1
        })
        const others = ["ab", "a1", "a", "z"].map((key) => draft(accountId, key, { createdFrom: "Ui" }))
        yield* store.insert(accountId, [...typed, ...others])
        yield* store.insert(accountId, [full])
        yield* store.insert(accountId, [])
        const ordered = [...typed, full, ...others].toSorted((a, b) => (a.key < b.key ? -1 : 1))
        expect(yield* store.list(accountId)).toEqual(ordered)
        expect(yield* store.list(yield* freshAccountId)).toEqual([])
      })
    )

    it.effect("rejects a key of the account with its whole batch, and allows it in another account", () =>
      Effect.gen(function* () {
        const store = yield* ContactFieldStore
        const accountId = yield* freshAccountId
        const otherId = yield* freshAccountId
        const field = draft(accountId, "plan")
        yield* store.insert(accountId, [field])
        const conflict = yield* expectFailure(
          store.insert(accountId, [draft(accountId, "fresh"), draft(accountId, "plan")]),
          "WriteConflict"
        )
        expect(conflict.constraint).toBe("contact_fields_key")
        yield* store.insert(otherId, [draft(otherId, "plan")])
        expect(yield* store.list(accountId)).toEqual([field])
      })
    )

    it.effect("keeps the limit, archived fields included", () =>
      Effect.gen(function* () {
        const store = yield* ContactFieldStore
        const accountId = yield* freshAccountId
        const fields = times(maxFields - 1, (index) =>
          draft(accountId, `field_${index}`, { archivedAt: index % 2 === 0 ? now : null })
        )
        yield* store.insert(accountId, fields)
        const conflict = yield* expectFailure(
          store.insert(accountId, [draft(accountId, "one"), draft(accountId, "two")]),
          "WriteConflict"
        )
        expect(conflict.constraint).toBe("contact_fields_limit")
        yield* store.insert(accountId, [draft(accountId, "one")])
        const full = yield* expectFailure(store.insert(accountId, [draft(accountId, "two")]), "WriteConflict")
        expect(full.constraint).toBe("contact_fields_limit")
        const taken = yield* expectFailure(
          store.insert(accountId, [draft(accountId, "one")]),
          "WriteConflict"
        )
        expect(taken.constraint).toBe("contact_fields_key")
        expect(yield* store.list(accountId)).toHaveLength(maxFields)
      })
    )

    it.effect("keeps the limit between concurrent writers", () =>
      Effect.gen(function* () {
        const store = yield* ContactFieldStore
        const accountId = yield* freshAccountId
        yield* store.insert(
          accountId,
          times(maxFields - 5, (index) => draft(accountId, `field_${index}`))
        )
        const exits = yield* atOnce(
          times(15, (index) => store.insert(accountId, [draft(accountId, `late_${index}`)]))
        )
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(5)
        expect(yield* store.list(accountId)).toHaveLength(maxFields)
      })
    )

    it.effect("accepts one of concurrent fields with the same key", () =>
      Effect.gen(function* () {
        const store = yield* ContactFieldStore
        const accountId = yield* freshAccountId
        const exits = yield* atOnce(
          times(15, (index) => {
            const field = draft(accountId, "plan", { label: String(index) })
            return Effect.as(store.insert(accountId, [field]), field)
          })
        )
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
        expect(yield* store.list(accountId)).toEqual(successes(exits))
      })
    )

    it.effect("replaces a field's label, description and archiving, and nothing else", () =>
      Effect.gen(function* () {
        const store = yield* ContactFieldStore
        const accountId = yield* freshAccountId
        const otherId = yield* freshAccountId
        const field = draft(accountId, "plan")
        const same = draft(otherId, "plan")
        yield* store.insert(accountId, [field])
        yield* store.insert(otherId, [same])
        const saved = { label: oddText, description: oddText, archivedAt: now + 9 }
        yield* store.save({ ...field, ...saved, type: "Number", createdFrom: "Ui", createdAt: now + 5 })
        expect(yield* store.list(accountId)).toEqual([{ ...field, ...saved }])
        yield* store.save(field)
        expect(yield* store.list(accountId)).toEqual([field])
        yield* store.save(draft(accountId, "unknown"))
        expect(yield* store.list(accountId)).toEqual([field])
        expect(yield* store.list(otherId)).toEqual([same])
      })
    )

    it.effect("commits together with contacts or not at all", () =>
      Effect.gen(function* () {
        const store = yield* ContactFieldStore
        const contacts = yield* ContactStore
        const transaction = yield* Transaction
        const accountId = yield* freshAccountId
        const there = draftContact()
        yield* contacts.write(accountId, changes({ inserts: [there] }))
        const writeBoth = (key: string, email: string) =>
          transaction.run(
            Effect.andThen(
              store.insert(accountId, [draft(accountId, key)]),
              contacts.write(
                accountId,
                changes({ inserts: [draftContact({ email, attributes: { [key]: "x" } })] })
              )
            )
          )
        yield* expectFailure(writeBoth("taken", there.email!), "WriteConflict")
        expect(yield* store.list(accountId)).toEqual([])
        yield* writeBoth("fresh", `fresh-${there.email!}`)
        expect(yield* store.list(accountId)).toEqual([draft(accountId, "fresh")])
        yield* expectFailure(writeBoth("fresh", `again-${there.email!}`), "WriteConflict")
        expect(
          yield* contacts.find(
            accountId,
            keys({ emails: [`again-${there.email!}`, `fresh-${there.email!}`] })
          )
        ).toHaveLength(1)
      })
    )
  })
}

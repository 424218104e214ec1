/**
 * Handles the management endpoints that read and write single contacts, and those of contact fields.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { ContactEdits } from "../../../core/audience/contacts/ContactEdits.ts"
import { ContactFields } from "../../../core/audience/fields/ContactFields.ts"
import type { Account } from "../../../core/model/Account.ts"
import type { ConsentEntry } from "../../../core/model/Consent.ts"
import type { ContactWrite } from "../../../core/model/ContactInput.ts"
import { Erasure } from "../../../core/privacy/Erasure.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import type { Caller } from "../edge/guard.ts"
import { managerOf, permit, targetOf } from "../edge/permit.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { encodeField } from "../public/contactFields.ts"
import { encodeContact } from "../public/contacts.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** A change of consent, as the API returns it. */
export const encodeConsent = ({ at, basis, from, proof, source, to }: ConsentEntry) => ({
  from,
  to,
  basis,
  proof: proof === null ? null : { ...proof, givenAt: dateTimeOrNull(proof.givenAt) },
  source,
  at: formatDateTime(at)
})

/** Rejects a write of consent with users.right_missing if the caller may write only the other fields. */
export const permitConsent = Effect.fnUntraced(function* (
  caller: Caller,
  account: Account,
  { consent, topics }: ContactWrite
) {
  if (consent == null && topics == null) return
  yield* permit(yield* managerOf(caller), "consent:write", targetOf(account))
})

/** The routes of single contacts and contact fields. */
export const managedContactsRoutes = Effect.gen(function* () {
  const edits = yield* ContactEdits
  const erasure = yield* Erasure
  const fields = yield* ContactFields
  return bind(ManagementApi.groups.managedContacts, {
    write: Effect.fnUntraced(function* ({ account, actor, caller, payload }) {
      yield* permitConsent(caller, account, payload)
      const written = yield* edits.write(account.id, payload, actor)
      const value = { contact: encodeContact(written.contact), created: written.created }
      return written.created ? created(value) : ok(value)
    }),
    get: ({ account, params }) =>
      Effect.map(edits.get(account.id, params.id), (contact) => ok(encodeContact(contact))),
    change: Effect.fnUntraced(function* ({ account, actor, caller, params, payload }) {
      yield* permitConsent(caller, account, payload)
      return ok(encodeContact(yield* edits.change(account.id, params.id, payload, actor)))
    }),
    erase: Effect.fnUntraced(function* ({ account, actor, params }) {
      const id = yield* Effect.catchTag(erasure.erase(account.id, params.id, actor), "Problem", () =>
        Effect.fail(Problem.of("common.not_found"))
      )
      return ok({ id })
    }),
    consentRecord: Effect.fnUntraced(function* ({ account, actor, params }) {
      const { contact, entries } = yield* edits.consentRecord(account.id, params.id, actor)
      const record = {
        contactId: contact.id,
        email: contact.email,
        consentStatus: contact.consentStatus,
        exportedAt: formatDateTime(yield* Clock.currentTimeMillis),
        changes: entries.map(encodeConsent)
      }
      return {
        _tag: "Reply",
        status: 200,
        headers: {
          // Not application/json, because JSON replies have an envelope.
          "content-type": "application/vnd.svc.consent+json; charset=utf-8",
          "content-disposition": `attachment; filename="consent-${contact.id}.json"`
        },
        body: `${JSON.stringify(record, null, 2)}\n`
      }
    }),
    createField: ({ account, actor, payload }) =>
      Effect.map(fields.create(account.id, payload, "Ui", actor), (field) => created(encodeField(field))),
    listFields: ({ account }) => Effect.map(fields.list(account.id), (list) => ok(list.map(encodeField))),
    updateField: ({ account, actor, params, payload }) =>
      Effect.map(fields.update(account.id, params.key, payload, actor), (field) => ok(encodeField(field)))
  })
})

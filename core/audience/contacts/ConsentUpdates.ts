/**
 * Moves the consent of contacts by address, for what mail tells: bounces and complaints.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { ContactStore } from "../../ports/ContactStore.ts"
import { Ids } from "../../kernel/Ids.ts"
import { type ConsentEntry, nextConsent, verdictConsent } from "../../model/Consent.ts"
import { consentFields, type Contact } from "../../model/Contact.ts"

/** What mail told about an address. */
export interface AddressReport {
  readonly accountId: string
  /** Normalized. */
  readonly email: string
  readonly kind: "Bounced" | "Complained"
}

/**
 * A function that moves the contacts with those addresses to Bounced or Complained, in the caller's transaction. An
 * address without a contact is left out. One read and one write for each account. Answers, for each address once, what
 * is so from then on: of a contact that was Bounced or Complained before, that.
 */
export const makeConsentUpdates = Effect.gen(function* () {
  const store = yield* ContactStore
  const ids = yield* Ids

  const moveAccount = Effect.fnUntraced(function* (
    accountId: string,
    verdicts: ReadonlyArray<AddressReport>
  ) {
    const kinds = new Map(verdicts.map((verdict) => [verdict.email, verdict.kind]))
    const contacts = yield* store.find(accountId, { ids: [], externalIds: [], emails: [...kinds.keys()] })
    const newIds = yield* ids.many(contacts.length)
    const at = yield* Clock.currentTimeMillis
    const updates: Array<Contact> = []
    const consents: Array<ConsentEntry> = []
    const settled = new Map(kinds)
    contacts.forEach((contact, index) => {
      const kind = contact.email === null ? undefined : kinds.get(contact.email)
      if (kind === undefined) return
      const { source, trigger } = verdictConsent[kind]
      const from = contact.consentStatus
      const to = nextConsent(from, trigger)
      if (to === "Bounced" || to === "Complained") settled.set(contact.email!, to)
      if (to === from) return
      updates.push({
        ...contact,
        consentStatus: to,
        consentSource: source,
        consentUpdatedAt: at,
        version: contact.version + 1
      })
      consents.push({
        id: newIds[index]!,
        contactId: contact.id,
        from,
        to,
        basis: null,
        proof: null,
        source,
        at
      })
    })
    if (updates.length > 0)
      yield* store.write(accountId, {
        inserts: [],
        updates,
        released: [],
        updatedFields: consentFields,
        consents,
        contactLimit: null
      })
    return Array.from(settled, ([email, kind]): AddressReport => ({ accountId, email, kind }))
  })

  return (verdicts: ReadonlyArray<AddressReport>) => {
    const byAccount = Map.groupBy(verdicts, (verdict) => verdict.accountId)
    return Effect.map(
      Effect.forEach(byAccount, ([accountId, group]) => moveAccount(accountId, group)),
      (settled) => settled.flat()
    )
  }
})

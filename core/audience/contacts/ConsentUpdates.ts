/**
 * Updates the consent of contacts whose addresses bounced, complained or were unsubscribed elsewhere.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ContactStore } from "../../ports/ContactStore.ts"
import { Ids } from "../../kernel/Ids.ts"
import { type ConsentSource, verdictConsent } from "../../model/Consent.ts"
import { changeConsent, type ConsentChange, consentUpdates } from "./ConsentChange.ts"

/** A bounce or complaint about an address. */
export interface AddressReport {
  readonly accountId: string
  /** Normalized. */
  readonly email: string
  readonly kind: "Bounced" | "Complained"
}

/** A contact's address in an account. */
type AddressRef = Pick<AddressReport, "accountId" | "email">

/** Applies reports about addresses to the consent of contacts. */
export class ConsentUpdates extends Context.Service<ConsentUpdates>()("svc/audience/ConsentUpdates", {
  make: Effect.gen(function* () {
    const store = yield* ContactStore
    const ids = yield* Ids

    const applyToAccount = Effect.fnUntraced(function* (
      accountId: string,
      reports: ReadonlyArray<AddressReport>
    ) {
      const kinds = new Map(reports.map(({ email, kind }) => [email, kind]))
      const contacts = yield* store.find(accountId, { ids: [], externalIds: [], emails: [...kinds.keys()] })
      const newIds = yield* ids.many(contacts.length)
      const at = yield* Clock.currentTimeMillis
      const changes: Array<ConsentChange> = []
      const applied = new Map(kinds)
      contacts.forEach((contact, index) => {
        const kind = contact.email === null ? undefined : kinds.get(contact.email)
        if (kind === undefined) return
        const change = changeConsent(contact, { ...verdictConsent[kind], id: newIds[index]!, at })
        const status = (change?.contact ?? contact).consentStatus
        if (status === "Bounced" || status === "Complained") applied.set(contact.email!, status)
        if (change !== null) changes.push(change)
      })
      if (changes.length > 0) yield* store.write(accountId, consentUpdates(changes))
      return Array.from(applied, ([email, kind]): AddressReport => ({ accountId, email, kind }))
    })

    const unsubscribeIn = Effect.fnUntraced(function* (
      accountId: string,
      emails: ReadonlyArray<string>,
      source: ConsentSource
    ) {
      const contacts = yield* store.find(accountId, {
        ids: [],
        externalIds: [],
        emails: [...new Set(emails)]
      })
      const newIds = yield* ids.many(contacts.length)
      const at = yield* Clock.currentTimeMillis
      const changes = contacts.flatMap((contact, index) => {
        const trigger = { _tag: "Unsubscribed" } as const
        return changeConsent(contact, { trigger, source, id: newIds[index]!, at }) ?? []
      })
      if (changes.length > 0) yield* store.write(accountId, consentUpdates(changes))
    })

    return {
      /**
       * Sets the contacts with the addresses to Unsubscribed, except those that bounced or complained, in the caller's
       * transaction. One read and one write for each account.
       */
      unsubscribe: Effect.fn("ConsentUpdates.unsubscribe")(function* (
        addresses: ReadonlyArray<AddressRef>,
        source: ConsentSource
      ) {
        const byAccount = Map.groupBy(addresses, ({ accountId }) => accountId)
        yield* Effect.forEach(
          byAccount,
          ([accountId, group]) =>
            unsubscribeIn(
              accountId,
              group.map(({ email }) => email),
              source
            ),
          { discard: true }
        )
      }),
      /**
       * Sets the contacts with the reported addresses to Bounced or Complained, in the caller's transaction. A report about an
       * address without a contact has no effect. One read and one write for each account. Returns one report for each address,
       * with the status that applies from now on: a contact that was already Bounced or Complained keeps its status.
       */
      applyReports: Effect.fn("ConsentUpdates.applyReports")(function* (
        reports: ReadonlyArray<AddressReport>
      ) {
        const byAccount = Map.groupBy(reports, ({ accountId }) => accountId)
        const applied = yield* Effect.forEach(byAccount, ([accountId, group]) =>
          applyToAccount(accountId, group)
        )
        return applied.flat()
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ConsentUpdates, ConsentUpdates.make)
}

/**
 * Starts a double opt-in, which asks a person to confirm that they want marketing email (docs/contributing/decisions.md 3).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import type { ConsentStatus } from "../../model/Consent.ts"
import { changeConsent, consentUpdates } from "../contacts/ConsentChange.ts"
import { ContactLinks } from "./ContactLinks.ts"

/** A request for confirmation: the contact's consent status, and the confirmation link with the address to which it is bound. */
export interface ConfirmationAsked {
  readonly consentStatus: ConsentStatus
  /** The address to which the link is bound; null for a contact without one. */
  readonly email: string | null
  /** A path relative to the base URL. */
  readonly confirm: string
}

/** Starts double opt-ins. */
export class DoubleOptIn extends Context.Service<
  DoubleOptIn,
  {
    /**
     * Sets a contact to PendingConfirmation, as a sign-up form does, and returns the confirmation link for the contact's current
     * address. A contact that is Subscribed, Bounced or Complained keeps its status. common.not_found for an unknown or erased
     * contact.
     */
    readonly ask: (
      accountId: string,
      contactId: string,
      actor: Actor
    ) => Effect.Effect<ConfirmationAsked, Problem | Unavailable>
  }
>()("svc/audience/DoubleOptIn") {
  static readonly layer = Layer.effect(
    DoubleOptIn,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const links = yield* ContactLinks
      const atomically = yield* Atomically
      const { record } = yield* AuditTrail
      const ids = yield* Ids

      const setPending = Effect.fnUntraced(function* (accountId: string, contactId: string, actor: Actor) {
        const [contact] = yield* contacts.find(accountId, { ids: [contactId], externalIds: [], emails: [] })
        if (contact === undefined || contact.erasedAt !== null) return yield* Problem.of("common.not_found")
        const { consentStatus } = contact
        const change = changeConsent(contact, {
          trigger: { _tag: "FormSubmitted" },
          source: "DoubleOptIn",
          id: yield* ids.next,
          at: yield* Clock.currentTimeMillis
        })
        if (change === null) return { consentStatus, email: contact.email }
        const { to } = change.entry
        yield* contacts.write(accountId, consentUpdates([change]))
        yield* record(actor, {
          accountId,
          action: "contact.confirmation_asked",
          target: contactId,
          before: { consentStatus },
          after: { consentStatus: to }
        })
        return { consentStatus: to, email: contact.email }
      })

      return DoubleOptIn.of({
        ask: Effect.fn("DoubleOptIn.ask")(function* (accountId, contactId, actor) {
          const { consentStatus, email } = yield* atomically(setPending(accountId, contactId, actor))
          const { confirm } = yield* links.make({ accountId, contactId, email })
          return { consentStatus, email, confirm }
        })
      })
    })
  )
}

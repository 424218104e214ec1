/**
 * Finds the limits of people's marketing: how much they got recently, their quiet hours, and whether they are held out.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { AddressHash } from "../../audience/contacts/AddressHash.ts"
import { type Account, type FrequencyCap, maxCapEmails } from "../../model/Account.ts"
import type { Contact } from "../../model/Contact.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { capsMillis, holdoutName, isInHoldout, quietUntil, zoneOf } from "./MarketingRules.ts"

/** The limits of a person's marketing. Times are epoch milliseconds. */
export interface PersonLimits {
  readonly isHeldOut: boolean
  readonly caps: ReadonlyArray<FrequencyCap>
  /** When marketing was submitted to the person, as far back as the caps count, newest first. */
  readonly times: ReadonlyArray<number>
  /** When the quiet hours end; null outside them. */
  readonly quietUntil: number | null
}

/** Finds the limits of people. */
export class PeopleLimits extends Context.Service<
  PeopleLimits,
  {
    /**
     * Returns the limits of contacts by their ids, in the caller's transaction, which submits to them. If the account has
     * frequency caps, this needs two statements and locks the contacts until the transaction ends, in one order, so that of
     * two emails at the same time the second counts the first. Without caps, it needs none.
     */
    readonly of: (
      account: Account,
      contacts: ReadonlyArray<Contact>,
      now: number
    ) => Effect.Effect<ReadonlyMap<string, PersonLimits>, Unavailable>
  }
>()("svc/sending/PeopleLimits") {
  static readonly layer = Layer.effect(
    PeopleLimits,
    Effect.gen(function* () {
      const addressHash = yield* AddressHash
      const contactStore = yield* ContactStore
      const submissions = yield* SubmissionStore
      return PeopleLimits.of({
        of: Effect.fn("PeopleLimits.of")(function* ({ id: accountId, settings }, contacts, now) {
          const { holdoutPercent, marketingCaps: caps, quietHours } = settings
          const ids = contacts.map(({ id }) => id)
          const isCapped = caps.length > 0 && ids.length > 0
          if (isCapped) yield* contactStore.lock(accountId, { ids, externalIds: [], emails: [] })
          const times = isCapped
            ? yield* submissions.marketingTimes(accountId, ids, now - capsMillis(caps), maxCapEmails)
            : new Map<string, ReadonlyArray<number>>()
          const hashOf = yield* addressHash.get
          return new Map(
            contacts.map((contact) => [
              contact.id,
              {
                isHeldOut:
                  holdoutPercent > 0 &&
                  isInHoldout(hashOf(accountId, holdoutName(contact.id)), holdoutPercent),
                caps,
                times: times.get(contact.id) ?? [],
                quietUntil: quietUntil(quietHours, zoneOf(contact, settings), now)
              }
            ])
          )
        })
      })
    })
  )
}

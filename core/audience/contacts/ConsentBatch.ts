/**
 * Applies the consent of a batch of contact writes, and collects the entries it adds to the consent history.
 *
 * Source: docs/contributing/public-api.md "POST /contacts rules", docs/contributing/decisions.md 3.
 *
 * @module
 */
import { deepEqual } from "../../shared/Json.ts"
import type { SuppressionKind } from "../../model/Suppression.ts"
import {
  basisOf,
  type ConsentEntry,
  type ConsentSource,
  nextConsent,
  verdictConsent
} from "../../model/Consent.ts"
import type { Contact } from "../../model/Contact.ts"
import { withConsent } from "./ConsentChange.ts"
import type { ContactCommand } from "./ContactWrite.ts"

/** The state on which the consent of a batch is decided. */
export interface ConsentState {
  /** Two new ids for each command; the second is for its entry in the consent history. */
  readonly ids: ReadonlyArray<string>
  readonly source: ConsentSource
  /** Epoch milliseconds. */
  readonly now: number
  /** Suppressed addresses that no stored contact has, and that contacts of the batch may take. */
  readonly suppressed: ReadonlyMap<string, SuppressionKind>
}

type Status = Contact["consentStatus"]

/** The consent changes of a batch. */
export class ConsentBatch {
  readonly #state: ConsentState
  /** The entries that the batch adds to the consent history. */
  readonly entries: Array<ConsentEntry> = []

  constructor(state: ConsentState) {
    this.#state = state
  }

  /** Applies the command's consent to the contact; `from` is null for a new contact. */
  apply(contact: Contact, command: ContactCommand, index: number, from: Status | null): Contact {
    const trigger = command.consent
    if (trigger === null) return contact
    const to = nextConsent(contact.consentStatus, trigger)
    const newProof =
      trigger._tag === "Subscribed" && to === "Subscribed" && !deepEqual(contact.consentProof, trigger.proof)
    if (from !== null && to === contact.consentStatus && !newProof) return contact
    const { source } = this.#state
    return this.#change(contact, index, { from, to, basis: basisOf(trigger), proof: command.proof, source })
  }

  /**
   * Applies the suppression of an address that the contact has just taken: if the address bounced or its owner complained, even
   * before being erased, the contact becomes Bounced or Complained, like the suppression list. The command's own consent cannot
   * change that status, so the history gets at most one entry.
   */
  suppress(contact: Contact, index: number, from: Status | null): Contact {
    const kind = contact.email === null ? undefined : this.#state.suppressed.get(contact.email)
    if (kind === undefined || kind === "Protected") return contact
    const { source, trigger } = verdictConsent[kind]
    const to = nextConsent(contact.consentStatus, trigger)
    if (to === contact.consentStatus) return contact
    return this.#change(contact, index, { from, to, basis: null, proof: null, source })
  }

  #change(
    contact: Contact,
    index: number,
    values: Pick<ConsentEntry, "basis" | "from" | "proof" | "source" | "to">
  ): Contact {
    const { ids, now } = this.#state
    const change = withConsent(contact, { ...values, id: ids[2 * index + 1]!, at: now })
    this.entries.push(change.entry)
    return change.contact
  }
}

/** Whether two contacts have the same consent with the same proof, regardless of its source. */
export const hasSameConsent = (a: Contact, b: Contact): boolean =>
  a.consentStatus === b.consentStatus && deepEqual(a.consentProof, b.consentProof)

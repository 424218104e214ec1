/**
 * The consent of contacts while a batch of writes is applied, and what it adds to the history.
 *
 * Source: public-api "POST /contacts rules", decisions 3.
 *
 * @module
 */
import type { SuppressionKind } from "../../model/Suppression.ts"
import {
  basisOf,
  type ConsentEntry,
  type ConsentProof,
  type ConsentSource,
  nextConsent,
  verdictConsent
} from "../../model/Consent.ts"
import type { Contact } from "../../model/Contact.ts"
import type { ContactCommand } from "./ContactWrite.ts"

/** What a batch's consent is decided on. */
export interface ConsentState {
  /** Two new ids for each command; the second is that of its line of the history. */
  readonly ids: ReadonlyArray<string>
  readonly source: ConsentSource
  /** Epoch milliseconds. */
  readonly now: number
  /** Addresses that are suppressed and no stored contact's, which contacts may take. */
  readonly suppressed: ReadonlyMap<string, SuppressionKind>
}

type Status = Contact["consentStatus"]

export class ConsentBatch {
  readonly #state: ConsentState
  /** What the batch adds to the history. */
  readonly entries: Array<ConsentEntry> = []

  constructor(state: ConsentState) {
    this.#state = state
  }

  /** The contact as the command's consent leaves it; `from` is null for a new one. */
  apply(contact: Contact, command: ContactCommand, index: number, from: Status | null): Contact {
    const trigger = command.consent
    if (trigger === null) return contact
    const to = nextConsent(contact.consentStatus, trigger)
    const newProof =
      trigger._tag === "Subscribed" &&
      to === "Subscribed" &&
      !isSameProof(contact.consentProof, trigger.proof)
    if (from !== null && to === contact.consentStatus && !newProof) return contact
    const { now, source } = this.#state
    const { proof } = command
    this.#record(contact, index, { from, to, basis: basisOf(trigger), proof, source })
    return {
      ...contact,
      consentStatus: to,
      consentSource: source,
      consentUpdatedAt: now,
      consentProof: proof ?? contact.consentProof
    }
  }

  /**
   * The contact as its address leaves it, which it has just taken: one that bounced, or whose owner complained, also
   * before being erased, stays so, and contact and suppression list agree. A command's own consent cannot move it then, so
   * that there is one line of the history at most.
   */
  suppress(contact: Contact, index: number, from: Status | null): Contact {
    const kind = contact.email === null ? undefined : this.#state.suppressed.get(contact.email)
    if (kind === undefined || kind === "Protected") return contact
    const { source, trigger } = verdictConsent[kind]
    const to = nextConsent(contact.consentStatus, trigger)
    if (to === contact.consentStatus) return contact
    this.#record(contact, index, { from, to, basis: null, proof: null, source })
    return { ...contact, consentStatus: to, consentSource: source, consentUpdatedAt: this.#state.now }
  }

  #record(
    contact: Contact,
    index: number,
    move: Pick<ConsentEntry, "basis" | "from" | "proof" | "source" | "to">
  ): void {
    const { ids, now } = this.#state
    this.entries.push({ id: ids[2 * index + 1]!, contactId: contact.id, ...move, at: now })
  }
}

/** Whether two contacts have the same consent by the same evidence, however they came to it. */
export const hasSameConsent = (a: Contact, b: Contact): boolean =>
  a.consentStatus === b.consentStatus && isSameProof(a.consentProof, b.consentProof)

/** Whether two proofs say the same, so that a repeated call leaves what the first call left. */
const isSameProof = (a: ConsentProof | null, b: ConsentProof | null): boolean =>
  a === null || b === null
    ? a === b
    : a.text === b.text &&
      a.textVersion === b.textVersion &&
      a.locale === b.locale &&
      a.ipAddress === b.ipAddress &&
      a.givenAt === b.givenAt

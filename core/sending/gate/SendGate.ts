/**
 * The gate of deliveries: whether an email may still be sent to its recipient. Suppressions, addresses, consent and topics may
 * have changed since the email was accepted. The gate therefore decides when a delivery is claimed, and storage decides by the
 * same rule when the last byte is about to be sent (docs/contributing/decisions.md 4).
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { AddressHash } from "../../audience/contacts/AddressHash.ts"
import type { Delivery, UnloadedSubmission } from "../../model/Submission.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import type { GatedClaim } from "../../ports/SubmissionStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { SuppressionLookup } from "../suppressions/SuppressionLookup.ts"
import { contactAt, type GateRefusal, gateRefusal } from "./GateRules.ts"

/** A delivery, with the consent that its email needs and the hash of its content. */
export interface GatedDelivery {
  readonly delivery: Pick<Delivery, "accountId" | "claims" | "email" | "id">
  readonly submission: Pick<UnloadedSubmission, "contentHash" | "marketing">
}

/** Decides whether deliveries may be sent. */
export class SendGate extends Context.Service<SendGate>()("svc/sending/SendGate", {
  make: Effect.gen(function* () {
    const campaigns = yield* CampaignStore
    const contacts = yield* ContactStore
    const topics = yield* TopicStore
    const suppressions = yield* SuppressionLookup
    const addressHash = yield* AddressHash

    /** The contacts and topics that the marketing emails of an account depend on. */
    const loadMarketing = Effect.fnUntraced(function* (
      accountId: string,
      group: ReadonlyArray<GatedDelivery>
    ) {
      const gates = group.flatMap(({ submission }) => submission.marketing ?? [])
      if (gates.length === 0) return { contacts: new Map(), topics: new Map() }
      const ids = [...new Set(gates.map(({ contactId }) => contactId))]
      const found = yield* contacts.find(accountId, { ids, externalIds: [], emails: [] })
      const all = gates.some(({ topicId }) => topicId !== null) ? yield* topics.list(accountId) : []
      return {
        contacts: new Map(found.map((contact) => [contact.id, contact])),
        topics: new Map(all.map((topic) => [topic.id, topic]))
      }
    })

    return {
      /**
       * Returns the refusals of deliveries that must not be sent, by account and id. Needs one read, one more for campaigns,
       * and one or two for each account with marketing emails among them.
       */
      refusals: Effect.fn("SendGate.refusals")(function* (deliveries: ReadonlyArray<GatedDelivery>) {
        const suppressed = new Map(
          (yield* suppressions.find(deliveries.map(({ delivery }) => delivery))).map(
            ({ accountId, email, kind }) => [`${accountId}/${email}`, kind]
          )
        )
        const statuses = yield* campaigns.statuses(
          deliveries.flatMap(({ delivery: { accountId }, submission: { marketing } }) =>
            marketing?.campaign === undefined ? [] : [{ accountId, id: marketing.campaign.id }]
          )
        )
        const refused = new Map<string, GateRefusal>()
        for (const [accountId, group] of Map.groupBy(deliveries, (one) => one.delivery.accountId)) {
          const found = yield* loadMarketing(accountId, group)
          for (const { delivery, submission } of group) {
            const { marketing } = submission
            const refusal = gateRefusal({
              suppression: suppressed.get(`${accountId}/${delivery.email}`),
              marketing: marketing && {
                contact: contactAt(found.contacts.get(marketing.contactId), delivery.email),
                topic: marketing.topicId === null ? null : found.topics.get(marketing.topicId)
              },
              campaign:
                marketing?.campaign === undefined
                  ? null
                  : (statuses.get(`${accountId}/${marketing.campaign.id}`) ?? "Gone")
            })
            if (refusal !== null) refused.set(`${accountId}/${delivery.id}`, refusal)
          }
        }
        return refused
      }),
      /** The claims of deliveries, each with what storage checks before the last byte of the message is sent. */
      claims: (deliveries: ReadonlyArray<GatedDelivery>) =>
        Effect.map(addressHash.get, (hash) =>
          deliveries.map(({ delivery: { accountId, claims, email, id }, submission }): GatedClaim => ({
            accountId,
            id,
            claim: claims,
            email,
            addressHash: hash(accountId, email),
            marketing: submission.marketing,
            contentHash: submission.contentHash ?? null
          }))
        )
    }
  })
}) {
  static readonly layer = Layer.effect(SendGate, SendGate.make).pipe(
    Layer.provide(SuppressionLookup.layer),
    builtOnce
  )
}

/**
 * Checks the consent of marketing emails when they leave: consent and topics may have changed since they were accepted
 * (docs/contributing/decisions.md 4).
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Contact } from "../../model/Contact.ts"
import { hasTopic, type Topic } from "../../model/Topic.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import type { SubmissionContent } from "../../model/Submission.ts"

type Gated = Pick<SubmissionContent, "accountId" | "id" | "marketing">

const isConsentRevoked = (
  { topicId }: NonNullable<Gated["marketing"]>,
  contact: Contact | undefined,
  topics: ReadonlyArray<Topic>
): boolean => {
  if (contact?.consentStatus !== "Subscribed" && contact?.consentStatus !== "SoftOptIn") return true
  if (topicId === null) return false
  const topic = topics.find(({ id }) => id === topicId)
  return topic === undefined || topic.isArchived || !hasTopic(topic, contact.topics ?? {})
}

/** Checks the consent of marketing emails. */
export class ConsentGate extends Context.Service<ConsentGate>()("svc/sending/ConsentGate", {
  make: Effect.gen(function* () {
    const contacts = yield* ContactStore
    const topics = yield* TopicStore
    return {
      /** The ids of the submissions that are marketing to which their contact no longer consents. */
      findRevoked: Effect.fn("ConsentGate.findRevoked")(function* (submissions: ReadonlyArray<Gated>) {
        const revoked = new Set<string>()
        const marketing = submissions.filter((submission) => submission.marketing !== null)
        for (const [accountId, group] of Map.groupBy(marketing, (submission) => submission.accountId)) {
          const ids = [...new Set(group.map((submission) => submission.marketing!.contactId))]
          const found = yield* contacts.find(accountId, { ids, externalIds: [], emails: [] })
          const byId = new Map(found.map((contact) => [contact.id, contact]))
          const hasTopics = group.some((submission) => submission.marketing!.topicId !== null)
          const all = hasTopics ? yield* topics.list(accountId) : []
          for (const { id, marketing: gate } of group) {
            if (isConsentRevoked(gate!, byId.get(gate!.contactId), all)) revoked.add(id)
          }
        }
        return revoked
      })
    }
  })
}) {
  static readonly layer = Layer.effect(ConsentGate, ConsentGate.make)
}

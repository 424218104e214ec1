/**
 * Whether marketing on its way is still wanted: consent and topic as they are when it leaves (decisions 4).
 *
 * @module
 */
import { Effect } from "effect"
import { hasTopic } from "../../model/Topic.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import type { SubmissionContent } from "../../model/Submission.ts"

/** A function that answers the ids of the submissions that are marketing their person no longer agrees to. */
export const makeConsentGate = Effect.gen(function* () {
  const contacts = yield* ContactStore
  const topics = yield* TopicStore

  return Effect.fnUntraced(function* (
    submissions: ReadonlyArray<Pick<SubmissionContent, "accountId" | "id" | "marketing">>
  ) {
    const consentRevoked = new Set<string>()
    const marketing = submissions.filter((submission) => submission.marketing !== null)
    for (const [accountId, group] of Map.groupBy(marketing, (submission) => submission.accountId)) {
      const ids = [...new Set(group.map((submission) => submission.marketing!.contactId))]
      const people = yield* contacts.find(accountId, { ids, externalIds: [], emails: [] })
      const known = new Map(people.map((contact) => [contact.id, contact]))
      const hasTopics = group.some((submission) => submission.marketing!.topicId !== null)
      const all = hasTopics ? yield* topics.list(accountId) : []
      for (const { id, marketing: gate } of group) {
        const contact = known.get(gate!.contactId)
        const agrees = contact?.consentStatus === "Subscribed" || contact?.consentStatus === "SoftOptIn"
        const topic = all.find((one) => one.id === gate!.topicId)
        const isOn =
          gate!.topicId === null ||
          (topic !== undefined && !topic.isArchived && hasTopic(topic, contact?.topics ?? {}))
        if (!agrees || !isOn) consentRevoked.add(id)
      }
    }
    return consentRevoked
  })
})

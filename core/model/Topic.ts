/**
 * Topics that a contact can turn on and off (docs/contributing/public-api.md "Topic").
 *
 * @module
 */

/** A topic of an account. Its key is unique in the account and never changes. */
export interface Topic {
  readonly id: string
  readonly accountId: string
  readonly key: string
  readonly name: string
  readonly description: string | null
  /** Whether a contact that never chose has the topic (docs/contributing/decisions.md 3). */
  readonly defaultOn: boolean
  readonly isArchived: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A contact's choices, by topic id. A topic without an entry was never chosen. */
export type TopicChoices = { readonly [topicId: string]: boolean }

/** Whether a contact has a topic. */
export const hasTopic = (topic: Topic, choices: TopicChoices): boolean => choices[topic.id] ?? topic.defaultOn

/** A topic as a contact has it. */
export interface ContactTopic extends Pick<Topic, "key" | "name"> {
  readonly on: boolean
  /** Whether the contact chose; otherwise it is the topic's default. */
  readonly chosen: boolean
}

/** The topics that are not archived, as a contact has them by its choices. */
export const topicsOf = (topics: ReadonlyArray<Topic>, choices: TopicChoices): ReadonlyArray<ContactTopic> =>
  topics
    .filter(({ isArchived }) => !isArchived)
    .map((topic) => ({
      key: topic.key,
      name: topic.name,
      on: hasTopic(topic, choices),
      chosen: Object.hasOwn(choices, topic.id)
    }))

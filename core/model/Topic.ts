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
  /** Whether the topic is on for contacts who never chose (docs/contributing/decisions.md 3). */
  readonly defaultOn: boolean
  readonly isArchived: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A contact's choices, by topic id. A missing entry means that the contact never chose. */
export type TopicChoices = { readonly [topicId: string]: boolean }

/** Whether a contact has a topic on. */
export const hasTopic = (topic: Topic, choices: TopicChoices): boolean => choices[topic.id] ?? topic.defaultOn

/** A topic with its state for a contact. */
export interface ContactTopic extends Pick<Topic, "key" | "name"> {
  readonly on: boolean
  /** Whether the contact chose; otherwise the topic's default applies. */
  readonly chosen: boolean
}

/** The topics that are not archived, with their state for a contact with these choices. */
export const topicsOf = (topics: ReadonlyArray<Topic>, choices: TopicChoices): ReadonlyArray<ContactTopic> =>
  topics
    .filter(({ isArchived }) => !isArchived)
    .map((topic) => ({
      key: topic.key,
      name: topic.name,
      on: hasTopic(topic, choices),
      chosen: Object.hasOwn(choices, topic.id)
    }))

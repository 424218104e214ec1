/**
 * The rules of topics, and what a write's choices come to.
 *
 * Source: public-api "POST /contacts rules" 5, management-api, decisions 3.
 *
 * @module
 */
import type { TopicPatch } from "../../model/ContactInput.ts"
import { type Issue, issue } from "../../shared/Problem.ts"
import { checkText } from "../../shared/Validate.ts"
import type { Topic, TopicChoices } from "../../model/Topic.ts"

/** The most characters of a topic's name. */
export const maxTopicName = 100

/** A name as it is kept: trimmed, and never empty. */
export const checkTopicName = (name: string, issues: Array<Issue>): string => {
  const trimmed = checkText(name, "name", maxTopicName, issues)
  if (trimmed === "") issues.push(issue("validation.required", "name"))
  return trimmed
}

/**
 * Applies a patch to a contact's choices, or adds why it is refused to `issues`: topics.not_found, topics.archived.
 * The very same object when nothing changes.
 */
export const chooseTopics = (
  current: TopicChoices,
  patch: TopicPatch,
  topics: ReadonlyMap<string, Topic>,
  issues: Array<Issue>
): TopicChoices => {
  const entries = Object.entries(patch)
  if (entries.length === 0) return current
  const choices = new Map(Object.entries(current))
  let changed = false
  for (const [key, chosen] of entries) {
    const topic = topics.get(key)
    if (topic === undefined) issues.push(issue("topics.not_found", `topics.${key}`))
    else if (topic.isArchived) issues.push(issue("topics.archived", `topics.${key}`))
    else if (choices.get(topic.id) !== chosen) {
      choices.set(topic.id, chosen)
      changed = true
    }
  }
  return changed ? Object.fromEntries(choices) : current
}

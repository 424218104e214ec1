/**
 * The rules of topics: their names, and how a write changes a contact's choices.
 *
 * Source: docs/contributing/public-api.md "POST /contacts rules" 5, docs/contributing/management-api.md,
 * docs/contributing/decisions.md 3.
 *
 * @module
 */
import type { TopicPatch } from "../../model/ContactInput.ts"
import type { Issues } from "../../shared/Problem.ts"
import { checkText } from "../../shared/Validate.ts"
import type { Topic, TopicChoices } from "../../model/Topic.ts"

/** The most characters of a topic's name. */
export const maxTopicName = 100

/** Parses a name: trimmed; it must not be empty. */
export const parseTopicName = (name: string, issues: Issues): string => {
  const trimmed = checkText(name, "name", maxTopicName, issues)
  if (trimmed === "") issues.add("validation.required", "name")
  return trimmed
}

/**
 * Applies a patch to a contact's choices, or adds issues: topics.not_found, topics.archived. Returns the same object if nothing
 * changes.
 */
export const chooseTopics = (
  current: TopicChoices,
  patch: TopicPatch,
  topics: ReadonlyMap<string, Topic>,
  issues: Issues
): TopicChoices => {
  const entries = Object.entries(patch)
  if (entries.length === 0) return current
  const choices = new Map(Object.entries(current))
  let changed = false
  for (const [key, chosen] of entries) {
    const topic = topics.get(key)
    if (topic === undefined) issues.add("topics.not_found", `topics.${key}`)
    else if (topic.isArchived) issues.add("topics.archived", `topics.${key}`)
    else if (choices.get(topic.id) !== chosen) {
      choices.set(topic.id, chosen)
      changed = true
    }
  }
  return changed ? Object.fromEntries(choices) : current
}

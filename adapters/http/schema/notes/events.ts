/**
 * Documents the events endpoint and the trigger URL of flows (docs/contributing/public-api.md "Events" and "Flow API
 * trigger").
 *
 * @module
 */
import { maxEvents, maxPropertiesBytes, maxPropertiesLevels } from "../../../../core/events/EventRules.ts"
import type { OperationNotes } from "../Notes.ts"
import { contactWriteCodes } from "./contacts.ts"
import { exampleIds } from "./examples.ts"

const propertiesRule = `\`properties\` is a JSON object of at most ${maxPropertiesBytes / 1024} KB and ${maxPropertiesLevels} levels.`

/** POST /events. */
export const acceptEvents: OperationNotes = {
  description:
    `Records 1 to ${maxEvents} events, each accepted or rejected on its own. \`id\` is your own and unique in the ` +
    "account: a repeat counts as a duplicate and is not recorded twice. `name` is up to 64 lowercase letters, digits, " +
    "`_` and `.`, a letter first; the prefixes `order.`, `cart.`, `customer.`, `subscriber.`, `contact.`, `email.` and " +
    "`svc.` are reserved. `occurredAt` is at most 30 days ago, never in the future, and now where left out. " +
    `${propertiesRule} \`contact\` needs one of \`id\`, \`externalId\` and \`email\`; the person is found or created in ` +
    "the background. An accepted event is on the person's timeline and starts every published flow of its name. Counts " +
    "as one call for the rate limit. Safe to repeat.",
  success: { 200: "Every event was accepted or rejected by itself" },
  codes: ["activity.batch_too_large"],
  entryCodes: [
    "common.body_too_complex",
    "validation.range",
    "validation.type",
    "activity.event_contact_required",
    "activity.event_id_invalid",
    "activity.event_name_invalid",
    "activity.event_name_reserved",
    "activity.event_occurred_at_invalid",
    "activity.event_properties_invalid",
    "activity.event_properties_too_deep",
    "activity.event_properties_too_large"
  ],
  example: {
    body: {
      events: [
        {
          id: "signup-42",
          name: "user.signed_up",
          contact: { externalId: "user-42", email: "ada@example.com" },
          properties: { plan: "pro" }
        }
      ]
    },
    value: { accepted: 1, duplicates: 0, rejected: [] }
  }
}

/** POST of a flow's trigger URL. */
export const triggerFlow: OperationNotes = {
  description:
    "Starts a published flow for a person, with that flow's own token; the URL is shown with the flow. `id` is your own " +
    "for this call: the same twice starts the flow once. Needs `email` or `externalId`; the other fields are those of " +
    "POST /contacts, and the person is found or created as there. Without `consent` the person is treated as a " +
    `customer. ${propertiesRule} Conditions and emails read them as \`event.*\`. Safe to repeat.`,
  success: { 200: "The flow was started, or had been by the same id" },
  codes: [
    "automation.api_trigger_invalid",
    "automation.trigger_call_id_invalid",
    "automation.trigger_contact_required",
    "automation.trigger_properties_invalid",
    "automation.workflow_not_published",
    ...contactWriteCodes
  ],
  example: {
    parameters: { flowId: exampleIds.flow },
    body: { id: "call-1", email: "ada@example.com", properties: { plan: "pro" } },
    value: { contactId: exampleIds.contact, duplicate: false }
  }
}

/**
 * Documents the contact fields endpoints (docs/contributing/public-api.md "Contact fields").
 *
 * @module
 */
import { maxFields } from "../../../../core/model/ContactField.ts"
import { maxKey } from "../../../../core/audience/fields/FieldRules.ts"
import type { OperationNotes } from "../Notes.ts"
import { exampleTimestamp } from "./examples.ts"

const field = {
  key: "plan",
  label: "Plan",
  type: "Text",
  description: "What they pay for",
  createdFrom: "Api",
  createdAt: exampleTimestamp,
  archivedAt: null
}

/** POST /contact-attributes. */
export const createField: OperationNotes = {
  description:
    `A key is up to ${maxKey} lowercase letters, digits and underscores, a letter first. Key and type never change. ` +
    `\`label\` defaults to the key made readable, \`type\` to Text. An account has at most ${maxFields} fields.`,
  success: { 201: "The field was created" },
  codes: [
    "validation.format",
    "validation.max_length",
    "audience.attribute_exists",
    "audience.attribute_key_invalid",
    "audience.attribute_limit_reached",
    "audience.attribute_reserved"
  ],
  example: {
    body: { key: "plan", label: "Plan", type: "Text", description: "What they pay for" },
    value: field
  }
}

/** GET /contact-attributes. */
export const listFields: OperationNotes = {
  description: "All fields, archived ones included, ordered by key.",
  success: { 200: "The fields" },
  codes: [],
  example: { value: [field] }
}

/** PATCH /contact-attributes/{key}. */
export const updateField: OperationNotes = {
  description:
    "Changes what is given. An archived field is hidden from pickers and rejects writes; its values are kept. " +
    "Safe to repeat.",
  success: { 200: "The field as it is now" },
  codes: ["validation.format", "validation.max_length", "audience.attribute_not_found"],
  example: {
    parameters: { key: "plan" },
    body: { label: "Subscription plan", archived: false },
    value: { ...field, label: "Subscription plan" }
  }
}

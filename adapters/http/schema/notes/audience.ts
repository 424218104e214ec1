/**
 * Documents the segments and topics endpoints (docs/contributing/public-api.md "Segments and topics").
 *
 * @module
 */
import type { OperationNotes } from "../Notes.ts"
import { exampleIds } from "./examples.ts"

/** GET /segments. */
export const listSegments: OperationNotes = {
  description:
    "All segments: the built-in ones, then your own, oldest first. `count` is everyone the rules pick now, " +
    "`sendableCount` those who may be emailed.",
  success: { 200: "The segments" },
  codes: [],
  example: {
    value: [
      {
        id: exampleIds.segment,
        name: "Londoners",
        description: null,
        definition: { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: "London" }] },
        builtInKey: null,
        count: 120,
        sendableCount: 97
      }
    ]
  }
}

/** GET /topics. */
export const listTopics: OperationNotes = {
  description: "All topics but archived ones.",
  success: { 200: "The topics" },
  codes: [],
  example: {
    value: [
      {
        id: exampleIds.topic,
        key: "product_news",
        name: "Product news",
        description: "What is new, once a month",
        isArchived: false
      }
    ]
  }
}

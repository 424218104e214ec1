/**
 * Tests that a change which breaks callers of the published contract fails unless it is recorded.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import type { OpenApiDocument } from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import {
  currentContract,
  readBaseline,
  readRecord,
  type RecordedChange,
  unrecordedChanges
} from "./baseline.ts"
import { breakingChanges } from "./changes.ts"

let baseline: OpenApiDocument
let record: ReadonlyArray<RecordedChange>
const current = currentContract()
beforeAll(async () => {
  baseline = await readBaseline()
  record = await readRecord()
})

it("the contract has no breaking change since the baseline except those in public-v1.changes.json", () => {
  expect(unrecordedChanges(baseline, current, record)).toEqual([])
})

it("the baseline is complete: npm run contract:record", () => {
  expect(baseline).toEqual(current)
})

it("every recorded change has a reason", () => {
  for (const { change, reason } of record) expect([change, /\w{3}/.test(reason)]).toEqual([change, true])
})

type Draft = { [key: string]: Draft & Array<Draft> } & { [key: string]: unknown }

/** The contract with a change. */
const changed = (change: (draft: Draft) => void): OpenApiDocument => {
  const draft = structuredClone(current)
  change(draft as never)
  return draft
}

const contacts = "/api/v1/contacts"
const schemaOf = (draft: Draft, name: string) => draft["components"]!["schemas"]![name]! as Draft
const property = (draft: Draft, name: string, field: string) =>
  schemaOf(draft, name)["properties"]![field]! as Draft
const operationOf = (draft: Draft, method: string, path: string) => draft["paths"]![path]![method]! as Draft
const set = (draft: unknown, name: string, value: unknown) => {
  ;(draft as Record<string, unknown>)[name] = value
}
const drop = (draft: unknown, name: string) => {
  delete (draft as Record<string, unknown>)[name]
}

const breaking: ReadonlyArray<readonly [string, (draft: Draft) => void, RegExp]> = [
  ["a path goes", (draft) => drop(draft["paths"], contacts), /path: \/api\/v1\/contacts was removed/],
  [
    "a method goes",
    (draft) => drop(draft["paths"]![contacts], "post"),
    /POST \/api\/v1\/contacts was removed/
  ],
  [
    "a status goes",
    (draft) => drop(operationOf(draft, "post", contacts)["responses"], "201"),
    /status: 201 was removed/
  ],
  [
    "a media type goes",
    (draft) =>
      drop(operationOf(draft, "post", contacts)["responses"]!["400"]!["content"], "application/problem+json"),
    /400: application\/problem\+json was removed/
  ],
  [
    "a response header is removed",
    (draft) => drop(operationOf(draft, "get", contacts)["responses"]!["429"]!["headers"], "Retry-After"),
    /429 header: Retry-After was removed/
  ],
  [
    "a code goes",
    (draft) => operationOf(draft, "post", contacts)["x-error-codes"]!.splice(0, 1),
    /code: \S+ was removed/
  ],
  [
    "another permission is needed",
    (draft) => set(operationOf(draft, "get", contacts), "x-permission", "contacts:write"),
    /the permission changed/
  ],
  [
    "a parameter goes",
    (draft) => operationOf(draft, "get", contacts)["parameters"]!.pop(),
    /segment was removed/
  ],
  [
    "a parameter becomes required",
    (draft) => set(operationOf(draft, "get", contacts)["parameters"]![0], "required", true),
    /page became required/
  ],
  [
    "a parameter takes less",
    (draft) => set(operationOf(draft, "get", contacts)["parameters"]![1]!["schema"], "maximum", 100),
    /pageSize: maximum came down/
  ],
  [
    "a response field is removed",
    (draft) => drop(schemaOf(draft, "Contact")["properties"], "city"),
    /city was removed/
  ],
  [
    "a response field may be missing",
    (draft) => set(schemaOf(draft, "Contact"), "required", ["id"]),
    /email became optional/
  ],
  [
    "a response field may be null",
    (draft) => set(property(draft, "Contact", "id"), "nullable", true),
    /nullable/
  ],
  [
    "a response field has another type",
    (draft) => set(property(draft, "Contact", "orderCount"), "type", "string"),
    /orderCount: the type changed/
  ],
  [
    "a response has a new enum value",
    (draft) => (property(draft, "Contact", "consentStatus")["enum"] as Array<unknown>).push("Keen"),
    /"Keen" was added to the values/
  ],
  [
    "a sent field goes",
    (draft) => drop(schemaOf(draft, "ContactWrite")["properties"], "city"),
    /city was removed/
  ],
  [
    "a sent field becomes required",
    (draft) => set(schemaOf(draft, "ContactWrite"), "required", ["email"]),
    /email became required/
  ],
  [
    "a sent field may not be null",
    (draft) => set(property(draft, "ContactWrite", "city"), "nullable", false),
    /null is/
  ],
  [
    "a sent text is shorter",
    (draft) => set(property(draft, "ContactWrite", "city"), "maxLength", 3),
    /maxLength came/
  ],
  [
    "a request's enum value is rejected",
    (draft) => (property(draft, "ItemWrite", "kind")["enum"] as Array<unknown>).shift(),
    /"product" was taken from the values/
  ],
  [
    "a sent choice goes",
    (draft) => (property(draft, "EmailRequest", "to")["anyOf"] as Array<unknown>).pop(),
    /to: the choices changed/
  ],
  [
    "a batch is smaller",
    (draft) =>
      set(
        operationOf(draft, "post", "/api/v1/items/batch")["requestBody"]!["content"]!["application/json"]![
          "schema"
        ]!["properties"]!["items"],
        "maxItems",
        10
      ),
    /maxItems came down/
  ],
  ["a webhook goes", (draft) => drop(draft["x-webhooks"], "email.sent"), /webhook: email.sent was removed/],
  [
    "a webhook's field goes",
    (draft) => drop(schemaOf(draft, "Webhook.email.sent")["properties"], "created_at"),
    /webhook email.sent.*created_at was removed/
  ]
]

describe("it is a breaking change when", () => {
  it.each(breaking)("%s", (_name, change, line) => {
    const changes = breakingChanges(current, changed(change))
    expect(changes.join("\n")).toMatch(line)
    const meant = changes.map((one) => ({ change: one, reason: "meant" }))
    expect(unrecordedChanges(current, changed(change), meant)).toEqual([])
  })
})

const harmless: ReadonlyArray<readonly [string, (draft: Draft) => void]> = [
  ["a path is added", (draft) => set(draft["paths"], "/api/v1/new", draft["paths"]![contacts])],
  [
    "a response field is added",
    (draft) => set(schemaOf(draft, "Contact")["properties"], "age", { type: "integer" })
  ],
  ["a response field is no longer nullable", (draft) => drop(property(draft, "Contact", "city"), "nullable")],
  [
    "a sent field is added",
    (draft) => set(schemaOf(draft, "ContactWrite")["properties"], "age", { type: "integer" })
  ],
  ["a sent text may be longer", (draft) => set(property(draft, "ContactWrite", "city"), "maxLength", 1000)],
  [
    "a code is added",
    (draft) => (operationOf(draft, "get", contacts)["x-error-codes"] as Array<unknown>).push("a.b")
  ],
  [
    "a parameter is added",
    (draft) =>
      (operationOf(draft, "get", contacts)["parameters"] as Array<unknown>).push({
        name: "q",
        in: "query",
        required: false,
        schema: { type: "string" }
      })
  ],
  ["a webhook is added", (draft) => set(draft["x-webhooks"], "email.new", draft["x-webhooks"]!["email.sent"])]
]

describe("it breaks nothing when", () => {
  it.each(harmless)("%s", (_name, change) => {
    const after = changed(change)
    expect(breakingChanges(current, after)).toEqual([])
    expect(after).not.toEqual(current)
  })
})

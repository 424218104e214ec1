/**
 * Tests that the catalogue has the codes of the public interface, and that a Problem keeps its issues.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { defaultPageSize, mapPage, maxPageSize, offsetOf } from "../../../core/shared/Page.ts"
import { catalogue, type Code, issue, Problem } from "../../../core/shared/Problem.ts"

/** Codes of contacts, events, flows, email and requests in general (docs/contributing/public-api.md "Error codes given", docs/contributing/decisions.md 2 to 5), by status. */
const named: Readonly<Record<number, ReadonlyArray<Code>>> = {
  400: [
    "activity.batch_too_large",
    "activity.event_contact_required",
    "activity.event_id_invalid",
    "activity.event_name_invalid",
    "activity.event_name_reserved",
    "activity.event_occurred_at_invalid",
    "activity.event_properties_invalid",
    "activity.event_properties_too_deep",
    "activity.event_properties_too_large",
    "audience.attribute_archived",
    "audience.attribute_key_invalid",
    "audience.attribute_limit_reached",
    "audience.attribute_reserved",
    "audience.attribute_type_mismatch",
    "audience.attribute_unknown",
    "audience.batch_too_large",
    "audience.consent_proof_required",
    "audience.contact_email_required",
    "audience.contact_limit_reached",
    "audience.contact_reference_invalid",
    "audience.contact_store_managed",
    "automation.trigger_call_id_invalid",
    "automation.trigger_contact_required",
    "automation.trigger_properties_invalid",
    "sending.content_required",
    "sending.idempotency_key_mismatch",
    "topics.archived",
    "topics.not_found",
    "validation.email",
    "validation.format",
    "validation.max_length",
    "validation.min_length",
    "validation.range",
    "validation.required",
    "validation.type"
  ],
  401: ["automation.api_trigger_invalid"],
  404: ["audience.contact_not_found", "common.not_found"],
  409: ["audience.attribute_exists", "audience.contact_identity_conflict"],
  503: ["common.unavailable"]
}

/** The statuses of conditions without a code in the contract (docs/contributing/decisions.md 2). */
const conditions: ReadonlyArray<readonly [Code, number]> = [
  ["auth.unauthorized", 401],
  ["auth.forbidden", 403],
  ["common.method_not_allowed", 405],
  ["common.body_too_large", 413],
  ["common.rate_limited", 429]
]

const codes = Object.keys(catalogue) as ReadonlyArray<Code>

/** Codes about ids in the body of a request rather than in its path. */
const namedInBody: ReadonlySet<string> = new Set([
  "campaigns.segment_not_found",
  "campaigns.variant_not_found",
  "sending.template_not_found",
  "topics.not_found"
])

describe("catalogue", () => {
  it("has the codes of the public interface, each with its status", () => {
    for (const [status, list] of Object.entries(named)) {
      for (const code of list) expect([code, catalogue[code]?.status]).toEqual([code, Number(status)])
    }
    for (const [code, status] of conditions) expect([code, catalogue[code]?.status]).toEqual([code, status])
  })

  it("gives rules the status 400, except those that say otherwise", () => {
    for (const code of codes) {
      const { status } = catalogue[code]
      const area = code.split(".")[0]
      if (area === "validation") expect(status).toBe(400)
      if (code.endsWith("_not_found") && !namedInBody.has(code)) expect(status).toBe(404)
      if (code.endsWith("_conflict") || code.endsWith("_exists")) expect(status).toBe(409)
      // A limit on calls within a time, not on a number of things.
      if (code === "campaigns.test_limit_reached") continue
      // The missing approval must be given by another person.
      if (code === "campaigns.approval_required") continue
      const isRule = /_(invalid|required|mismatch|too_large|limit_reached|unknown)$/.test(code)
      // Codes about users say how to sign in, or which right the caller lacks.
      if (isRule && area !== "common" && area !== "users" && code !== "automation.api_trigger_invalid") {
        expect([code, status]).toEqual([code, 400])
      }
    }
  })

  it("names codes as area.what, each with a sentence as its message", () => {
    for (const code of codes) {
      expect(code).toMatch(/^[a-z]+\.[a-z_]+$/)
      expect(catalogue[code].message).toMatch(/^\S.*\.$/)
    }
  })
})

describe("Problem", () => {
  it("keeps its issues in order and has the status of the first", () => {
    const anyIssue = fc
      .tuple(fc.constantFrom(...codes), fc.option(fc.string()), fc.option(fc.constant({ max: 3 })))
      .map(([code, field, params]) => issue(code, field, params))
    fc.assert(
      fc.property(fc.array(anyIssue), (issues) => {
        const problem = Problem.from(issues)
        expect(problem?.issues ?? []).toEqual(issues)
        expect(problem?.status).toBe(issues[0] && catalogue[issues[0].code].status)
        for (const entry of issues) expect(problem!.message).toContain(entry.code)
      })
    )
    expect(Problem.of("validation.range", "page", { min: 1 }).issues).toEqual([
      { code: "validation.range", field: "page", params: { min: 1 } }
    ])
  })
})

describe("Page", () => {
  it("has the sizes of the public interface", () => {
    expect([defaultPageSize, maxPageSize]).toEqual([50, 200])
  })

  it("of any size follows the previous one without gap or overlap", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 1, max: maxPageSize }),
        (page, pageSize) => {
          expect(offsetOf({ page: 1, pageSize })).toBe(0)
          expect(offsetOf({ page: page + 1, pageSize })).toBe(offsetOf({ page, pageSize }) + pageSize)
        }
      )
    )
    const page = { items: [1, 2], page: 3, pageSize: 2, totalCount: 6, totalIsExact: true, next: null }
    expect(mapPage(page, String)).toEqual({ ...page, items: ["1", "2"] })
  })
})

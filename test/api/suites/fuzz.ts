/**
 * Tests random bodies and paths against every route. `call` fails on a 500, and on a response that is neither an envelope nor
 * problem+json.
 *
 * @module
 */
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { smallShare } from "../../fixtures/hostile/Hostile.ts"
import { brokenBodies, hostileBodies } from "../../fixtures/hostile/bodies.ts"
import { costlyDocuments, hostileQueries, hostileRequests } from "../../fixtures/hostile/requests.ts"
import { near, shape, text } from "../../support/randomValues.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const runs = 60

const labels = near(fc.dictionary(text, near(text), { maxKeys: 5 }))
const mailbox = near(fc.oneof(text, fc.record({ email: text, name: near(text) })))
const proof = near(
  fc.record(
    {
      text: near(text),
      textVersion: near(text),
      locale: near(text),
      ipAddress: near(fc.oneof(text, fc.ipV6())),
      givenAt: near(text)
    },
    { requiredKeys: [] }
  )
)

const attributeKey = fc.oneof(text, fc.constantFrom("plan", "seats", "seen", "constructor", "email"))

const contact = shape({
  id: near(text),
  externalId: near(text),
  email: near(fc.emailAddress()),
  firstName: near(text),
  phone: near(text),
  city: near(text),
  countryCode: near(text),
  language: near(text),
  attributes: near(fc.dictionary(attributeKey, fc.oneof(text, fc.jsonValue()), { maxKeys: 3 })),
  consent: near(fc.record({ basis: near(text), proof }, { requiredKeys: [] })),
  topics: near(fc.dictionary(text, near(fc.boolean()), { maxKeys: 3 }))
})

const email = shape({
  to: mailbox,
  subject: near(text),
  html: near(text),
  text: near(text),
  idempotencyKey: near(text),
  tags: labels,
  metadata: labels,
  tracking: near(fc.record({ opens: near(fc.boolean()), clicks: near(fc.boolean()) }, { requiredKeys: [] }))
})

const number = near(fc.oneof(fc.integer(), fc.double(), fc.maxSafeInteger()))
const tracking = near(fc.record({ opens: near(fc.boolean()), clicks: near(fc.boolean()) }))

const settings = shape({
  autoCreateAttributes: near(fc.boolean()),
  tracking,
  flowTracking: tracking,
  contactLimit: number,
  dailySendLimit: number,
  retentionDays: number,
  recipientRetentionDays: number,
  defaultSender: mailbox
})

const apiKey = shape({
  name: near(text),
  permissions: near(fc.array(text, { maxLength: 3 })),
  expiresInDays: number
})
const domain = shape({ domain: near(fc.oneof(text, fc.domain())) })
const suppression = shape({
  email: near(fc.oneof(text, fc.emailAddress())),
  kind: near(fc.constantFrom("Bounced", "Complained", "Protected"))
})

const batch = shape({ contacts: near(fc.array(fc.oneof(contact, fc.jsonValue()), { maxLength: 6 })) })
const item = shape({
  id: near(fc.oneof(text, fc.constantFrom("a", "b"))),
  kind: near(fc.constantFrom("product", "plan", "other")),
  name: near(text),
  description: near(text),
  url: near(fc.oneof(text, fc.webUrl())),
  imageUrl: near(fc.oneof(text, fc.webUrl())),
  price: near(fc.oneof(fc.double(), fc.integer({ min: 0 }))),
  comparePrice: near(fc.oneof(fc.double(), fc.integer({ min: 0 }))),
  currency: near(fc.constantFrom("EUR", "usd", "XX")),
  inStock: near(fc.boolean()),
  stockQuantity: near(fc.oneof(fc.integer(), fc.double())),
  categories: near(fc.array(text, { maxLength: 3 })),
  attributes: near(fc.dictionary(text, near(text), { maxKeys: 4 })),
  active: near(fc.boolean())
})
const items = shape({ items: near(fc.array(fc.oneof(item, fc.jsonValue()), { maxLength: 6 })) })
const event = shape({
  id: near(text),
  name: near(fc.oneof(text, fc.stringMatching(/^[a-z][a-z.]{0,9}$/))),
  occurredAt: near(fc.oneof(text, fc.constant(null))),
  contact: near(contact),
  properties: near(fc.dictionary(text, near(fc.jsonValue()), { maxKeys: 3 }))
})
/** Events that are mostly accepted, about an unusual person. */
const acceptable = fc.record({
  id: fc.uuid(),
  name: fc.constant("user.odd"),
  contact: fc.record(
    { externalId: text, email: near(fc.emailAddress()), firstName: text, phone: text, countryCode: text },
    { requiredKeys: ["externalId"] }
  ),
  properties: fc.dictionary(text, near(text), { maxKeys: 3 })
})
const events = shape({
  events: near(fc.array(fc.oneof(event, acceptable, fc.jsonValue()), { maxLength: 6 }))
})
const contactField = shape({
  key: near(fc.oneof(text, fc.stringMatching(/^[a-z][a-z0-9_]{0,3}$/))),
  label: near(text),
  type: near(fc.constantFrom("Text", "Number", "Boolean", "Date", "DateTime", "TextList")),
  description: near(text)
})
const fieldPatch = shape({ label: near(text), description: near(text), archived: near(fc.boolean()) })
const topic = shape({
  key: near(fc.oneof(text, fc.stringMatching(/^[a-z][a-z0-9_]{0,3}$/))),
  name: near(text),
  description: near(text),
  defaultOn: near(fc.boolean())
})

const rule = shape({
  fieldKey: near(
    fc.oneof(text, fc.constantFrom("city", "tags", "orderCount", "addedAt", "attributes.plan", "events.x"))
  ),
  operator: near(
    fc.constantFrom("Equals", "In", "Contains", "GreaterThan", "On", "InLastDays", "HasAny", "IsSet")
  ),
  value: near(fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.integer(), fc.double()))
})
const definition = near(
  fc.record({ join: near(fc.constantFrom("All", "Any")), rules: near(fc.array(rule, { maxLength: 3 })) })
)
const segment = shape({ name: near(text), description: near(text), definition })

export const fuzzSuite = (target: () => Target) =>
  describe("random input", () => {
    let account: TestAccount
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Fuzz")).sandbox
      await account.manage("PATCH", "/settings", { autoCreateAttributes: true })
    })

    it.each<readonly [string, string, fc.Arbitrary<unknown>]>([
      ["POST", "/contacts", contact],
      ["POST", "/contacts/batch", batch],
      ["POST", "/events", events],
      ["POST", "/contact-attributes", contactField],
      ["PATCH", "/contact-attributes/plan", fieldPatch],
      ["POST", "/items", item],
      ["POST", "/items/batch", items],
      ["POST", "/sending/emails", email]
    ])("gets a valid response from %s %s", async (method, path, arbitrary) => {
      await fc.assert(
        fc.asyncProperty(arbitrary, async (json) => {
          const first = await account.api(method, path, json)
          expect([200, 201, 400, 404, 409]).toContain(first.status)
        }),
        { numRuns: runs }
      )
    })

    it.each<readonly [string, string, fc.Arbitrary<unknown>]>([
      ["PATCH", "/settings", settings],
      ["POST", "/api-keys", apiKey],
      ["POST", "/domains", domain],
      ["POST", "/suppressions", suppression],
      ["POST", "/topics", topic],
      ["POST", "/segments", segment],
      ["POST", "/segments/preview", shape({ definition })]
    ])("gets a valid response from %s %s", async (method, path, arbitrary) => {
      await fc.assert(
        fc.asyncProperty(arbitrary, async (json) => {
          expect([200, 201, 400, 404, 409]).toContain((await account.manage(method, path, json)).status)
        }),
        { numRuns: runs }
      )
    })

    it("is processed in accepted events", async () => {
      // In one of twenty test runs, none of the random events would fail.
      const withoutEmail = {
        id: "withoutEmail",
        name: "user.odd",
        contact: { externalId: "without an address" }
      }
      const reported = await account.api<{ accepted: number }>("POST", "/events", { events: [withoutEmail] })
      expect(reported.value).toMatchObject({ accepted: 1 })
      const list = async (status: string) =>
        (
          await account.manage<{
            totalCount: number
            items: ReadonlyArray<{ failure: { code: string } | null }>
          }>("GET", `/events?pageSize=200&status=${status}`)
        ).value
      const waiting = await eventually(
        () => list("Accepted"),
        ({ totalCount }) => totalCount === 0
      )
      expect(waiting.totalCount).toBe(0)
      const { items: failed } = await list("Failed")
      expect(failed.length).toBeGreaterThan(0)
      expect(failed.map(({ failure }) => failure?.code)).not.toContain("common.internal")
    })

    it("gets a valid response from POST /manage/v1/companies", async () => {
      await fc.assert(
        fc.asyncProperty(shape({ name: near(text) }), async (json) => {
          const token = target().managementToken
          const answer = await call(target(), "POST", "/manage/v1/companies", { token, json })
          expect([201, 400]).toContain(answer.status)
        }),
        { numRuns: 20 }
      )
    })

    it("gets a valid response as bodies of any bytes", async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
          const body = new Uint8Array(bytes)
          const answer = await call(target(), "POST", "/api/v1/contacts", { token: account.key, body })
          expect(answer.status).toBe(400)
        }),
        { numRuns: runs }
      )
    })

    it("gets a valid response as bodies that are almost JSON", async () => {
      const edited = fc
        .tuple(contact, fc.nat(), fc.nat({ max: 3 }), fc.string({ maxLength: 3 }))
        .map(([json, at, cut, put]) => {
          const body = JSON.stringify(json)
          const start = at % (body.length + 1)
          return body.slice(0, start) + put + body.slice(start + cut)
        })
      await fc.assert(
        fc.asyncProperty(edited, async (body) => {
          const answer = await call(target(), "POST", "/api/v1/contacts", { token: account.key, body })
          expect([200, 201, 400, 404, 409]).toContain(answer.status)
        }),
        { numRuns: runs }
      )
    })

    it("gets a valid response as documents that cost much", async () => {
      for (const { make } of costlyDocuments) {
        for (const path of ["/contacts", "/contacts/batch", "/items", "/sending/emails"]) {
          const body = make(smallShare)
          const answer = await call(target(), "POST", `/api/v1${path}`, { token: account.key, body })
          expect([200, 201, 400]).toContain(answer.status)
        }
      }
    })

    it("gets a valid response as bodies that were made for a route", async () => {
      for (const { door, make, path } of [...hostileBodies, ...brokenBodies, ...hostileRequests]) {
        if (door !== "api") continue
        const body = make(smallShare)
        const answer = await call(target(), "POST", `/api/v1${path}`, { token: account.key, body })
        expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 201, 400])])
      }
    })

    it("gets a valid response as queries", async () => {
      for (const { make } of hostileQueries) {
        for (const path of ["/contacts", "/commerce/orders", "/segments"]) {
          const answer = await account.api("GET", path + make(0.1))
          expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 400])])
        }
      }
    })

    it("gets a valid response as references", async () => {
      const reference = fc.oneof(
        text,
        text.map((rest) => `ext:${rest}`),
        text.map((rest) => `email:${rest}`)
      )
      await fc.assert(
        fc.asyncProperty(
          reference.filter((value) => value.isWellFormed() && !/^\.{0,2}$/.test(value)),
          async (value) => {
            const answer = await account.api("GET", `/contacts/${encodeURIComponent(value)}`)
            expect([200, 400, 404]).toContain(answer.status)
          }
        ),
        { numRuns: runs }
      )
    })
  })

/**
 * Tests what error messages contain besides the code: the value, name or limit concerned, and the remedy. The wording may change,
 * so the tests only look for these.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Answer, call } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

/** The messages of a response's errors, joined. */
const said = ({ envelope, refusal }: Answer<unknown>): string =>
  [
    ...(envelope?.errors ?? []).map(({ message }) => message),
    ...Object.values(refusal?.errors ?? {}).flat()
  ].join(" ")

export const messagesSuite = (target: () => Target) =>
  describe("messages", () => {
    let live: TestAccount
    let sandbox: TestAccount
    beforeAll(async () => {
      ;({ live, sandbox } = await openWorkspace(target(), "Messages"))
    })

    it("say which kind of key belongs to a route when another kind was sent", async () => {
      const flow = `svc_flow_${"0".repeat(49)}`
      const id = "0198c2f0-6d5e-7a31-9b5c-2f1e4d3c2b1a"
      const cases = [
        ["GET", "/api/v1/contacts", target().managementToken, /management token.*API key \(svc_live_/],
        ["GET", "/api/v1/contacts", flow, /token of a flow.*API key/],
        ["GET", "/api/v1/contacts", undefined, /Authorization: Bearer.*API key/],
        ["GET", "/api/v1/contacts", `${live.key.slice(0, -1)}!`, /mistyped, unknown, revoked or expired/],
        ["GET", "/manage/v1/companies", sandbox.key, /API key.*SVC_ADMIN_TOKEN/],
        ["POST", `/flows/${id}/trigger`, sandbox.key, /API key.*token of this flow \(svc_flow_/],
        ["POST", `/ingest/v1/stores/${id}/events`, sandbox.key, /API key.*token of this store \(svc_store_/]
      ] as const
      for (const [method, path, token, words] of cases) {
        const answer = await call(target(), method, path, {
          token,
          ...(method === "POST" ? { json: { events: [] } } : {})
        })
        expect([path, answer.status]).toEqual([path, 401])
        expect(said(answer)).toMatch(words)
        if (token !== undefined) expect(answer.text).not.toContain(token.slice(0, 20))
      }
    })

    it("say which permission a key lacks", async () => {
      const { key } = await sandbox.issueKey(["emails:read"])
      const answer = await call(target(), "GET", "/api/v1/contacts", { token: key })
      expect(answer.status).toBe(403)
      expect(said(answer)).toContain("contacts:read")
    })

    it("name the methods of a path", async () => {
      const answer = await call(target(), "PUT", "/api/v1/contacts?token=secret", { token: sandbox.key })
      expect(answer.status).toBe(405)
      expect(answer.headers.get("allow")).toBe("POST, GET, HEAD")
      expect(said(answer)).toBe("/api/v1/contacts supports only POST, GET, HEAD.")
    })

    it("name the nearest route of an unknown path", async () => {
      const cases = [
        ["/api/v1/contact", "/api/v1/contacts"],
        ["/api/v1/xyzzy", null],
        ["/api/v1/email", "/api/v1/sending/emails"],
        ["/contacts", "/api/v1/contacts"],
        ["/api/v1/emails?token=secret", "/api/v1/sending/emails"],
        ["/api/v2/contacts", "/api/v1/contacts"],
        ["/api/v1/sending/email/1", "/api/v1/sending/emails/{id}"],
        ["/manage/v1/Company/", null],
        ["/manage/v1/companie", "/manage/v1/companies"],
        ["/nothing/of/the/kind", null],
        [`/${"a/".repeat(2000)}`, null],
        [`/api/v1/${"contacts".repeat(400)}`, null]
      ] as const
      for (const [path, nearest] of cases) {
        const answer = await call(target(), "GET", path, { token: sandbox.key })
        expect([path, answer.status]).toEqual([path, 404])
        expect(answer.codes).toEqual(["common.not_found"])
        if (nearest === null) expect(said(answer)).toMatch(/^There is no route \/[^;]*\.$/)
        else expect(said(answer)).toBe(`There is no route ${path.split("?")[0]}; the nearest is ${nearest}.`)
        expect(said(answer).length).toBeLessThan(300)
      }
    })

    it("name the route of a path with a slash too many", async () => {
      for (const [method, path] of [
        ["POST", "/api/v1/contacts/"],
        ["PUT", "/api/v1/items/"],
        ["POST", "/manage/v1/companies/"]
      ] as const) {
        const answer = await call(target(), method, path, { token: sandbox.key, json: {} })
        expect([path, answer.status, answer.codes]).toEqual([path, 404, ["common.not_found"]])
        expect(said(answer)).toContain(`the nearest is ${path.slice(0, -1)}`)
      }
    })

    it("name keys whole, topics by their key, and what a list has too much of", async () => {
      const contact = await sandbox.api("POST", "/contacts", {
        email: "keys@messages.example",
        topics: { "no.such": true },
        attributes: { "not.there": 1 }
      })
      expect(said(contact)).toContain("no topic no.such;")
      expect(said(contact)).toContain("no contact field not.there;")
      const campaign = await sandbox.manage("POST", "/campaigns", { name: "A campaign", topic: "no_such" })
      expect(said(campaign)).toContain("no topic no_such;")
      const settings = await sandbox.manage("PATCH", "/settings", {
        testAddresses: Array.from({ length: 51 }, (_, index) => `t${index}@messages.example`)
      })
      expect(said(settings)).toBe("testAddresses must have at most 50 addresses.")
    })

    it("name the route of what was not found, without the ids", async () => {
      const id = "0198c2f0-6d5e-7a31-9b5c-2f1e4d3c2b1a"
      const email = await sandbox.api("GET", `/sending/emails/${id}`)
      expect(said(email)).toContain(" /api/v1/sending/emails/{id}: ")
      const template = await sandbox.manage("GET", `/templates/${id}`)
      expect(template.codes).toEqual(["common.not_found"])
      expect(said(template)).toContain(" /manage/v1/accounts/{accountId}/templates/{id}: ")
      expect(email.text + template.text).not.toContain(id)
    })

    it("name the sender's domain and where it is verified", async () => {
      const answer = await live.api("POST", "/sending/emails", {
        to: "ada@example.org",
        from: "Shop <shop@unverified.example>",
        subject: "Hello",
        html: "<p>Hello</p>"
      })
      expect(answer.codes).toEqual(["deliverability.sender_domain_not_verified"])
      expect(said(answer)).toContain("unverified.example")
      expect(said(answer)).toContain(`/manage/v1/accounts/${live.accountId}/domains`)
      expect(said(answer)).not.toContain("shop@")
    })

    it("warn of an email that waits for a verified domain", async () => {
      const email = { to: "ada@example.org", subject: "Hello", html: "<p>Hello</p>" }
      const waiting = await live.api<{ reason: string }>("POST", "/sending/emails", email)
      expect(waiting.status).toBe(201)
      expect(waiting.value.reason).toBe("sending.no_verified_sender")
      expect(waiting.headers.get("x-svc-warnings")).toBe("no_verified_sender")
      const sent = await sandbox.api("POST", "/sending/emails", email)
      expect(sent.status).toBe(201)
      expect(sent.headers.get("x-svc-warnings")).toBeNull()
    })

    it("say that to is one address, and where others go", async () => {
      const answer = await sandbox.api("POST", "/sending/emails", {
        to: ["ada@example.org", "bob@example.org"],
        subject: "Hello",
        html: "<p>Hello</p>"
      })
      expect(answer.refusal?.errors["to"]).toEqual([
        expect.stringMatching(/to is one address; others are given in cc and bcc/)
      ])
    })

    it("name the format, the limit and the field", async () => {
      const email = { to: "ada@example.org", subject: "Hello", html: "<p>Hello</p>" }
      const cases = [
        ["/sending/emails", { ...email, sendAt: "tomorrow" }, /^sendAt must be a date-time of ISO 8601/],
        [
          "/sending/emails",
          { ...email, subject: "x".repeat(999) },
          /^subject must be at most \d+ characters/
        ],
        ["/sending/emails", { ...email, to: "ada" }, /^to must be one valid email address/],
        ["/sending/emails", { ...email, headers: { "Reply-To": "x" } }, /^Reply-To is not allowed/],
        [
          "/contacts",
          { email: "a@b.example", countryCode: "Germany" },
          /^countryCode must be a country code/
        ],
        ["/contacts", { email: "a@b.example", language: "english!" }, /^language must be a language tag/],
        ["/contacts", { email: "a@b.example", id: "1" }, /^id must be a UUID/],
        [
          "/contacts",
          { email: "a@b.example", consent: { basis: "Yes" } },
          /^consent\.basis must be one of Customer, Subscribed, Unsubscribed/
        ],
        [
          "/contacts",
          { email: "a@b.example", attributes: { shoe_size: 41 } },
          /contact field shoe_size.*POST/
        ],
        [
          "/contacts",
          { email: "a@b.example", attributes: { first_name: "Ada" } },
          /contact field first_name; firstName is a built-in field/
        ],
        ["/contact-attributes", { key: "first_name" }, /^first_name is the name of a built-in field/],
        ["/contact-attributes", { key: "Shoe" }, /^Shoe is not a key: it must be/],
        ["/contacts", { email: "a@b.example", topics: { news: true } }, /no topic news/],
        [
          "/sending/emails",
          { to: "ada@example.org", templateId: "0198c2f0-6d5e-7a31-9b5c-2f1e4d3c2b1a" },
          /template of the account; GET \/manage\/v1/
        ],
        ["/items", { id: "x", name: "X", price: -1, currency: "EUR" }, /^-1 is not possible: price must be/],
        ["/items", { id: "x", name: "X", kind: "thing" }, /^thing is not a kind of item: .*product, plan/],
        ["/items", { id: "x", name: "X", price: 1, currency: "Euro" }, /^Euro is not a currency: .*EUR/]
      ] as const
      for (const [path, json, words] of cases) {
        const answer = await sandbox.api("POST", path, json)
        expect(answer.status).toBe(400)
        expect(said(answer)).toMatch(words)
      }
      const listed = await sandbox.api("GET", "/contacts?pageSize=1000")
      expect(said(listed)).toBe("pageSize must be from 1 to 200.")
    })

    it("name what the operator sent and what is possible", async () => {
      const cases = [
        [
          "/api-keys",
          { name: "Shop", permissions: ["emails:write"], expiresInDays: 30 },
          /^emails:write is not a permission; the permissions are contacts:read, /
        ],
        [
          "/webhooks",
          { url: "https://hook.example/", events: ["email.lost"] },
          /^email\.lost is not a webhook event; the events are email\./
        ],
        ["/domains", { domain: "not a domain" }, /^not a domain is not a domain name/],
        [
          "/api-keys",
          { name: "Shop", permissions: ["contacts:read"], expiresInDays: 31 },
          /^31 is not possible: expiresInDays must be 30, 90, 365 or null/
        ],
        [
          "/flows",
          { name: "F", trigger: { kind: "Call" }, steps: [] },
          /^Call is not a kind of trigger: .*Event or Api/
        ],
        [
          "/flows",
          { name: "F", trigger: { kind: "Api" }, steps: [{ id: "w", kind: "Wait", duration: "3 days" }] },
          /^3 days is not a duration: .*P3D/
        ],
        ["/topics", { key: "News!", name: "News" }, /^News! is not a key: it must be/],
        [
          "/segments/preview",
          {
            definition: { join: "All", rules: [{ fieldKey: "orderCount", operator: "Between", value: [1] }] }
          },
          /^With Between of orderCount, value must be two numbers, \[from, to\] or \{from, to\}/
        ],
        [
          "/flows",
          {
            name: "F",
            trigger: {
              kind: "Event",
              name: "user.seen",
              filter: { join: "All", rules: [{ fieldKey: "event.plan", operator: "Like", value: "x" }] }
            },
            steps: []
          },
          /^Like is not an operator for properties; its operators are Equals, /
        ]
      ] as const
      for (const [path, json, words] of cases) {
        const answer = await sandbox.manage("POST", path, json)
        expect(answer.status).toBe(400)
        expect(said(answer)).toMatch(words)
      }
    })
  })

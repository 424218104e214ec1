/**
 * Tests bodies that are valid except for a few values, and random queries, against the operator's routes and those of stores and
 * triggers. `call` fails on a 500, and on a response that is neither an envelope nor problem+json.
 *
 * @module
 */
import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { readArchive } from "../../support/archives.ts"
import { emailStep, type Flow } from "../../support/flows.ts"
import { smallShare } from "../../fixtures/hostile/Hostile.ts"
import { brokenBodies, hostileBodies } from "../../fixtures/hostile/bodies.ts"
import { hostileFiles } from "../../fixtures/hostile/files.ts"
import { hostileQueries, hostileRequests } from "../../fixtures/hostile/requests.ts"
import { hostileRenders, hostileSources } from "../../fixtures/hostile/templates.ts"
import { membersOf, near, shape, spoilt, text } from "../../support/randomValues.ts"
import { connectStore, type TestStore } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const runs = 40

const rule = { fieldKey: "event.plan", operator: "Equals", value: "pro" }
const filter = { join: "All", rules: [rule, { fieldKey: "event.seats", operator: "GreaterThan", value: 3 }] }
const flow = {
  name: "Flow",
  trigger: { kind: "Event", name: "user.signed_up", filter },
  stopEvents: [{ name: "user.left", filter: { join: "Any", rules: [rule] } }],
  steps: [
    emailStep("mail", {
      subject: "Hello {{ contact.firstName }}",
      html: "<p>{% if event.plan %}{{ event.plan | upcase }}{% endif %}</p>"
    }),
    { id: "wait", kind: "Wait", duration: "P1DT2H" },
    { id: "nine", kind: "WaitUntil", time: "09:00", timeZone: "Europe/Berlin", timeZoneAttribute: "zone" },
    { id: "moment", kind: "WaitUntil", at: "2030-01-01T00:00:00Z", timeZone: "UTC" },
    {
      id: "branch",
      kind: "Branch",
      condition: { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: "Oslo" }, rule] },
      then: [{ id: "exit", kind: "Exit" }],
      else: [
        {
          id: "split",
          kind: "Split",
          paths: [
            { weight: 50, steps: [emailStep("half", { purpose: "Marketing" })] },
            { weight: 50, steps: [] }
          ]
        }
      ]
    },
    {
      id: "event",
      kind: "WaitForEvent",
      name: "user.activated",
      filter,
      timeout: "P3D",
      then: [
        {
          id: "update",
          kind: "UpdateContact",
          attributes: { plan: "pro" },
          topics: {},
          tags: { add: ["a"], remove: ["b"] }
        }
      ],
      else: []
    },
    { id: "hook", kind: "Webhook", url: "https://hooks.example/x" }
  ]
}

const story = {
  contact: {
    email: "ada@example.org",
    firstName: "Ada",
    attributes: { zone: "Europe/Berlin" },
    topics: {},
    consent: { basis: "Subscribed", proof: { text: "Yes." } }
  },
  event: { occurredAt: "2025-03-27T12:00:00Z", properties: { plan: "pro", seats: 4 } },
  events: [{ name: "user.activated", after: "P2D", properties: { plan: "pro", seats: 4 } }]
}

const template = {
  name: "Template",
  subject: "{{ contact.firstName }}, hello",
  html: '<mjml><mj-body><mj-section><mj-column><mj-text>{{ event.plan | default: "x" }}</mj-text></mj-column></mj-section></mj-body></mjml>',
  text: "{% for line in event.lines %}{{ line.name }}{% endfor %}"
}
const liquid = fc
  .array(
    fc.constantFrom(
      "{{",
      "}}",
      "{%",
      "%}",
      " if ",
      " endif ",
      " for a in (1..9) ",
      " endfor ",
      "a",
      ".b",
      "[0]",
      " | ",
      "date: '%Y'",
      "slice: 0, 9",
      "'",
      " raw ",
      " assign x = ",
      "<p>"
    ),
    { maxLength: 14 }
  )
  .map((parts) => parts.join(""))
const written = fc.oneof(
  spoilt(template),
  fc.record({ name: fc.constant("Liquid"), subject: liquid, html: liquid, text: liquid }),
  membersOf([...hostileRenders, ...hostileSources]).map(({ html }) => ({ name: "h", subject: "s", html }))
)

const customer = {
  id: "7",
  email: "buyer@shop.example",
  firstName: "Bo",
  lastName: "Buyer",
  phone: "+4512345678",
  countryCode: "DK",
  language: "da",
  tags: ["vip"],
  createdAt: "2024-01-01T00:00:00Z",
  acceptsMarketing: true,
  consent: { text: "Yes.", ipAddress: "192.0.2.1", givenAt: "2024-01-01T00:00:00Z" }
}
const lines = [{ productId: "1", name: "Tea", quantity: 2, price: "10.50" }]
const order = {
  id: "1001",
  number: "#1001",
  status: "Paid",
  currency: "EUR",
  total: "21.00",
  customer,
  lines
}
const cart = { id: "c1", currency: "EUR", total: "21.00", customer, lines, url: "https://shop.example/c/1" }
const storeEvents = (
  [
    ["order.placed", order],
    ["order.updated", { ...order, updatedAt: "2024-02-01T00:00:00Z", cartId: "c1" }],
    ["cart.updated", cart],
    ["cart.cleared", { id: "c1" }],
    ["contact.identified", { ...customer, cartId: "c1" }],
    ["customer.upserted", customer],
    ["subscriber.created", customer],
    ["subscriber.removed", customer],
    ["contact.erasure_requested", { email: "nobody@shop.example" }]
  ] as const
).map(([name, data]) => ({ id: "e", name, occurredAt: "2024-03-01T00:00:00Z", data }))

const address = { city: "Aarhus", country_code: "DK" }
const shopifyCustomer = {
  id: 7,
  email: "buyer@shop.example",
  first_name: "Bo",
  last_name: "Buyer",
  phone: "+4512345678",
  tags: "vip, b2b",
  created_at: "2024-01-01T00:00:00Z",
  updated_at: "2024-01-01T00:00:00Z",
  email_marketing_consent: { state: "subscribed", consent_updated_at: "2024-01-01T00:00:00Z" },
  default_address: address
}
const shopifyOrder = {
  id: 1001,
  name: "#1001",
  email: "buyer@shop.example",
  currency: "EUR",
  total_price: "21.00",
  current_total_price: "21.00",
  financial_status: "paid",
  cancelled_at: null,
  created_at: "2024-01-01T00:00:00Z",
  updated_at: "2024-01-01T00:00:00Z",
  cart_token: "t1",
  checkout_token: "t2",
  customer: shopifyCustomer,
  line_items: [{ product_id: 1, title: "Tea", quantity: 2, price: "10.50" }]
}
const shopifyProduct = {
  id: 1,
  title: "Tea",
  body_html: "<p>Green</p>",
  handle: "tea",
  product_type: "Drinks",
  tags: "a, b",
  status: "active",
  updated_at: "2024-01-01T00:00:00Z",
  images: [{ src: "https://shop.example/1.png" }],
  variants: [{ price: "10.50", compare_at_price: "12.00", inventory_quantity: 3 }]
}
const shopify: ReadonlyArray<readonly [string, object]> = [
  ["orders/create", shopifyOrder],
  ["orders/updated", shopifyOrder],
  ["checkouts/update", { ...shopifyOrder, token: "t2", abandoned_checkout_url: "https://shop.example/c" }],
  ["customers/update", shopifyCustomer],
  ["products/update", shopifyProduct],
  ["customers/redact", { customer: { id: 7, email: "nobody@shop.example" }, orders_to_redact: [1] }],
  ["customers/data_request", { customer: { id: 7, email: "buyer@shop.example" } }]
]
const wooOrder = {
  id: 1001,
  number: "1001",
  status: "processing",
  currency: "EUR",
  total: "21.00",
  date_created_gmt: "2024-01-01T00:00:00",
  date_modified_gmt: "2024-01-01T00:00:00",
  date_paid_gmt: "2024-01-01T00:00:00",
  customer_id: 7,
  billing: { first_name: "Bo", last_name: "Buyer", email: "buyer@shop.example", phone: "1", ...address },
  line_items: [{ product_id: 1, name: "Tea", quantity: 2, price: 10.5 }]
}
const wooProduct = {
  id: 1,
  name: "Tea",
  permalink: "https://shop.example/tea",
  description: "<p>Green</p>",
  price: "10.50",
  regular_price: "12.00",
  status: "publish",
  stock_status: "instock",
  stock_quantity: 3,
  date_modified_gmt: "2024-01-01T00:00:00",
  categories: [{ name: "Drinks" }],
  images: [{ src: "https://shop.example/1.png" }]
}
const wooCommerce: ReadonlyArray<readonly [string, object]> = [
  ["order.created", wooOrder],
  ["order.updated", wooOrder],
  ["product.updated", wooProduct],
  ["customer.updated", { ...wooOrder.billing, id: 7, role: "customer", billing: wooOrder.billing }]
]

/** A campaign with every writable field. */
const campaignTo = (segmentId: string) => ({
  name: "Spring",
  content: null,
  test: {
    variants: ["a", "b"].map((id) => ({ id, name: id, content: { subject: id, text: "Hello" } })),
    share: 20,
    metric: "Clicks",
    after: "PT2H",
    decide: "Auto",
    confidence: 0.9,
    undecided: "Ask"
  },
  from: null,
  replyTo: "ada@example.org",
  topic: null,
  audience: { segments: [segmentId], exclude: [] },
  schedule: { at: "2030-01-01T00:00:00Z" },
  pace: { emails: 10, per: "Hour" },
  tracking: { opens: true, clicks: false },
  utm: { source: "mail", medium: "email", campaign: "spring", term: null, content: null },
  whenCapped: { action: "Wait", hours: 3 },
  window: { from: "09:00", to: "17:00", days: [1, 2] },
  quietHours: "Ignore",
  holdoutPercent: 5,
  archive: { public: false, slug: null, title: "Spring", summary: "News" },
  tags: ["spring"]
})
/** Calls that act on a campaign. */
const campaignCalls: ReadonlyArray<readonly [string, object]> = [
  [
    "preview",
    { contactId: null, variantId: "a", content: { subject: "{{ contact.email }}", text: "Hello" } }
  ],
  ["test", { to: ["ada@example.org"], variantId: "b" }],
  ["approval", { action: "Request", comment: "Please" }],
  ["winner", { variantId: "a" }],
  ["retry", { what: ["RenderFailed", "NotDelivered"] }],
  ["copy", { name: "Again", to: "NotOpened" }],
  ["launch", { reason: "It is time" }],
  ["pause", { reason: "Wait" }],
  ["resume", { reason: "Go on" }],
  ["cancel", { reason: "No" }]
]

/** Every list, to be called with the query parameters of all lists. */
const lists = [
  "/api-keys",
  "/audit-log",
  "/contacts",
  "/domains",
  "/emails",
  "/events",
  "/export",
  "/flows",
  "/imports",
  "/inbox",
  "/segments",
  "/stats",
  "/stores",
  "/suppressions",
  "/templates",
  "/topics",
  "/webhooks"
]
const asked = fc.dictionary(
  fc.constantFrom(
    "page",
    "pageSize",
    "status",
    "to",
    "from",
    "flowId",
    "search",
    "q",
    "after",
    "storeId",
    "segmentId",
    "consentStatus",
    "email",
    "kind",
    "name",
    "sort"
  ),
  // Four escaped values stay below the limit of 16 KB for the request line and headers.
  fc.oneof(
    text.map((value) => value.slice(0, 300)),
    fc.integer().map(String),
    fc.constantFrom("0", "1", "200", "2024-01-01", "Active")
  ),
  { maxKeys: 4 }
)

export const fuzzManagementSuite = (target: () => Target) =>
  describe("random input to the operator's routes", () => {
    let account: TestAccount
    let custom: TestStore
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Fuzz of management")).sandbox
      await account.manage("PATCH", "/settings", { autoCreateAttributes: true })
      for (const key of ["plan", "zone"])
        await account.api("POST", "/contact-attributes", { key, type: "Text" })
      custom = await connectStore(target(), account)
    })
    const holds = <Value>(
      arbitrary: fc.Arbitrary<Value>,
      check: (value: Value) => Promise<void>,
      numRuns = runs
    ) => fc.assert(fc.asyncProperty(arbitrary, check), { numRuns })
    const refusals = [400, 404, 409]

    /** Checks that an example is valid. With an invalid one, only the first check of a route would be tested. */
    const isRight = async (path: string, example: object) => {
      const answer = await account.manage<{ id: string }>("POST", path, example)
      expect([answer.codes, answer.fields, answer.status]).toEqual([[], [], 201])
      return answer.value.id
    }

    it("gets campaigns rejected by field, or written and acted on", async () => {
      const segment = {
        name: "Oslo",
        definition: { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: "Oslo" }] }
      }
      const campaign = campaignTo(await isRight("/segments", segment))
      await isRight("/campaigns", campaign)
      const done = async (method: string, path: string, body: unknown) => {
        const answer = await account.manage<{ id: string }>(method, path, body as object)
        expect([200, 201, 202, ...refusals, 429]).toContain(answer.status)
        if (answer.status < 400) return answer.value
        // A wrong shape is reported by its path, everything else by a code.
        for (const code of answer.codes) expect(code).toMatch(/^[a-z]+\.[a-z_]+$/)
        if (answer.codes.length === 0) expect(answer.fields).not.toEqual([])
        return null
      }
      const { audience, holdoutPercent, schedule, whenCapped } = campaign
      await holds(
        fc.tuple(
          spoilt(campaign),
          spoilt(campaign),
          spoilt({ audience, topic: null, whenCapped, holdoutPercent, schedule }),
          fc.constantFrom(...campaignCalls).chain(([name, body]) => fc.tuple(fc.constant(name), spoilt(body)))
        ),
        async ([write, change, counted, [action, body]]) => {
          const { id } =
            (await done("POST", "/campaigns", write)) ?? (await done("POST", "/campaigns", campaign))!
          await done("PATCH", `/campaigns/${id}`, change)
          await done("POST", "/campaigns/audience", counted)
          await done("POST", `/campaigns/${id}/check`, {})
          await done("POST", `/campaigns/${id}/${action}`, body)
        },
        12
      )
    })

    it("gets flows rejected, or published and simulated", async () => {
      const whole = await isRight("/flows", flow)
      expect((await account.manage("POST", `/flows/${whole}/publish`)).status).toBe(200)
      expect((await account.manage("POST", `/flows/${whole}/simulate`, story)).status).toBe(200)
      await holds(fc.tuple(spoilt(flow), spoilt(story)), async ([write, scenario]) => {
        const made = await account.manage<Flow>("POST", "/flows", write)
        expect([201, ...refusals]).toContain(made.status)
        if (made.status !== 201) return
        const { id } = made.value
        expect([200, ...refusals]).toContain((await account.manage("POST", `/flows/${id}/publish`)).status)
        const simulated = await account.manage("POST", `/flows/${id}/simulate`, scenario)
        expect([200, ...refusals]).toContain(simulated.status)
        const changed = await account.manage("PUT", `/flows/${id}`, { ...flow, name: scenario })
        expect([200, ...refusals]).toContain(changed.status)
        await account.manage("POST", `/flows/${id}/archive`)
      })
    })

    it("gets templates rejected, or rendered", async () => {
      await isRight("/templates", template)
      const variables = shape({ variables: near(fc.dictionary(text, near(text), { maxKeys: 3 })) })
      await holds(fc.tuple(written, variables), async ([write, given]) => {
        const made = await account.manage<{ id: string }>("POST", "/templates", write)
        expect([201, ...refusals]).toContain(made.status)
        if (made.status !== 201) return
        const path = `/templates/${made.value.id}`
        expect([200, ...refusals]).toContain((await account.manage("POST", `${path}/render`, given)).status)
        expect([200, ...refusals]).toContain((await account.manage("PATCH", path, write)).status)
      })
    })

    it.each<readonly [string, object]>([
      ["/webhooks", { url: "https://hooks.example/x", events: ["email.sent", "email.bounced"] }],
      [
        "/stores",
        {
          platform: "Custom",
          name: "Shop",
          domain: "shop.example",
          consentMode: "Explicit",
          webhookSecret: "hush-hush-secret"
        }
      ]
    ])("gets a valid response from POST %s", async (path, example) => {
      await account.manage("DELETE", `${path}/${await isRight(path, example)}`)
      await holds(spoilt(example), async (json) => {
        const made = await account.manage<{ id: string }>("POST", path, json)
        expect([201, ...refusals]).toContain(made.status)
        if (made.status === 201) await account.manage("DELETE", `${path}/${made.value.id}`)
      })
    })

    it("gets calls of a flow's trigger rejected or accepted", async () => {
      const api = { name: "Called", trigger: { kind: "Api" }, steps: [{ id: "x", kind: "Exit" }] }
      const { id } = (await account.manage<Flow>("POST", "/flows", api)).value
      await account.manage("POST", `/flows/${id}/publish`)
      const { token } = (await account.manage<{ token: string }>("POST", `/flows/${id}/trigger-token`)).value
      const example = { ...story.contact, externalId: "e1", properties: { plan: "pro" } }
      let serial = 0
      await holds(spoilt(example), async (spoiltCall) => {
        const json = { ...(spoiltCall as object), id: `call-${serial++}` }
        const answer = await call(target(), "POST", `/flows/${id}/trigger`, { token, json })
        expect([200, ...refusals]).toContain(answer.status)
      })
    })

    it("gets events of a store rejected one by one, or accepted", async () => {
      let serial = 0
      const whole = storeEvents.map((event) => ({ ...event, id: `e${serial++}` }))
      expect((await custom.report(...whole)).value).toEqual({
        accepted: whole.length,
        duplicates: 0,
        rejected: []
      })
      await holds(
        fc.array(fc.oneof(...storeEvents.map(spoilt)), { minLength: 1, maxLength: 6 }),
        async (events) => {
          const json = {
            events: events.map((event) =>
              typeof event === "object" && event !== null && "id" in event && event.id === "e"
                ? { ...event, id: `e${serial++}` }
                : event
            )
          }
          const path = `/ingest/v1/stores/${custom.id}/events`
          const answer = await call(target(), "POST", path, { token: custom.token, json })
          expect([200, 400]).toContain(answer.status)
        }
      )
    })

    it.each([
      ["Shopify", shopify],
      ["WooCommerce", wooCommerce]
    ] as const)("gets a valid response as webhooks of %s", async (platform, examples) => {
      const secret = "hush-hush-secret"
      const store = await connectStore(target(), account, { platform, webhookSecret: secret })
      const payloads = fc.oneof(
        ...examples.map(([topic, example]) => spoilt(example).map((payload) => [topic, payload] as const))
      )
      await holds(payloads, async ([topic, payload]) => {
        const answer = await store.webhook(topic, payload, secret)
        expect([200, 202, 400]).toContain(answer.status)
      })
    })

    it("gets files of contacts rejected, or read to their end", async () => {
      const cell = fc.oneof(text, fc.constantFrom('"', '""', ",", "\n", "ada@example.org", "Subscribed"))
      const headers = ["email", "firstName", "attributes.plan", "consent.basis", "x"]
      const query = fc.record(
        {
          name: text,
          mapping: fc.oneof(
            text,
            spoilt({ x: "email", email: "ignored" }).map((json) => JSON.stringify(json))
          ),
          consent: fc.oneof(
            text,
            spoilt(story.contact.consent).map((json) => JSON.stringify(json))
          ),
          delimiter: fc.constantFrom(",", ";", "tab", "||")
        },
        { requiredKeys: [] }
      )
      const imports = `/manage/v1/accounts/${account.accountId}/imports`
      const sendFile = (parameters: Readonly<Record<string, string>>, body: string) =>
        call(target(), "POST", `${imports}?${new URLSearchParams(parameters)}`, {
          token: target().managementToken,
          body,
          headers: { "content-type": "text/csv" }
        })
      expect((await sendFile({}, "email,attributes.plan\nada@example.org,pro\n")).status).toBe(202)
      const table = fc.array(fc.array(cell, { maxLength: 6 }), { maxLength: 5 })
      await holds(fc.tuple(query, table), async ([parameters, rows]) => {
        const answer = await sendFile(parameters, [headers, ...rows].map((row) => row.join(",")).join("\n"))
        expect([202, ...refusals]).toContain(answer.status)
      })
      for (const { make } of hostileFiles) {
        const answer = await call(target(), "POST", imports, {
          token: target().managementToken,
          body: make(smallShare),
          headers: { "content-type": "text/csv" }
        })
        expect([202, 400]).toContain(answer.status)
      }
      interface Imports {
        readonly items: ReadonlyArray<{
          readonly status: string
          readonly failure: { readonly code: string } | null
        }>
      }
      const listed = async () => (await account.manage<Imports>("GET", "/imports?pageSize=200")).value.items
      const isEnded = ({ status }: { readonly status: string }) =>
        ["Completed", "Failed", "Cancelled"].includes(status)
      const ended = await eventually(listed, (items) => items.every(isEnded))
      expect(ended.filter((one) => !isEnded(one))).toEqual([])
      expect(ended.map(({ status }) => status)).toContain("Completed")
      expect(ended.map(({ failure }) => failure?.code)).not.toContain("common.internal")
    })

    it("gets lines of an archive rejected one by one, or accepted", async () => {
      await account.api("POST", "/contacts", story.contact)
      await account.api("POST", "/items", { id: "tea", kind: "product", name: "Tea" })
      await account.manage("POST", "/suppressions", { email: "gone@example.org", kind: "Bounced" })
      await account.manage("POST", "/topics", { key: "news", name: "News" })
      await isRight("/templates", template)
      await isRight("/flows", flow)
      await isRight("/webhooks", { url: "https://hooks.example/x", events: [] })
      const city = { fieldKey: "city", operator: "Equals", value: "Oslo" }
      await isRight("/segments", { name: "Cities", definition: { join: "All", rules: [city] } })
      const [header, ...rest] = await readArchive(target(), account.accountId)
      const examples = new Map(
        rest.map((line) => JSON.parse(line) as { kind: string }).map((one) => [one.kind, one])
      )
      expect([...examples.keys()].toSorted()).toEqual([
        "contact",
        "field",
        "flow",
        "item",
        "segment",
        "settings",
        "store",
        "suppression",
        "template",
        "topic",
        "webhook"
      ])
      const line = fc.oneof(...[...examples.values()].map(spoilt))
      await holds(fc.array(line, { minLength: 1, maxLength: 8 }), async (given) => {
        const answer = await call(target(), "POST", `/manage/v1/accounts/${account.accountId}/import`, {
          token: target().managementToken,
          body: `${[header, ...given.map((one) => JSON.stringify(one))].join("\n")}\n`,
          headers: { "content-type": "application/x-ndjson" }
        })
        expect([200, 400]).toContain(answer.status)
      })
    })

    it("gets a valid response as bodies that were made for a route", async () => {
      for (const request of [...hostileBodies, ...brokenBodies, ...hostileRequests]) {
        if (request.door !== "manage" && request.door !== "store") continue
        const { door, make, path } = request
        const isOfStore = door === "store"
        const base = isOfStore ? `/ingest/v1/stores/${custom.id}` : `/manage/v1/accounts/${account.accountId}`
        const answer = await call(target(), "POST", base + path, {
          token: isOfStore ? custom.token : target().managementToken,
          body: make(smallShare),
          ...("contentType" in request ? { headers: { "content-type": request.contentType! } } : {})
        })
        expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 201, 400])])
      }
    })

    it("gets a valid response as queries of lists", async () => {
      await holds(
        fc.tuple(fc.constantFrom(...lists), asked),
        async ([path, parameters]) => {
          const answer = await account.manage("GET", `${path}?${new URLSearchParams(parameters)}`)
          expect([200, ...refusals]).toContain(answer.status)
        },
        4 * runs
      )
      for (const { make } of hostileQueries) {
        for (const path of lists) {
          const answer = await account.manage("GET", path + make(0.1))
          expect([200, ...refusals]).toContain(answer.status)
        }
      }
      await holds(asked, async (parameters) => {
        for (const path of ["/contacts", "/commerce/orders", "/segments", "/topics"]) {
          const answer = await account.api("GET", `${path}?${new URLSearchParams(parameters)}`)
          expect([200, ...refusals]).toContain(answer.status)
        }
      })
    })
  })

/**
 * Compares two adapters of the storage ports. The same random sequence of calls is made on the memory adapter and on another one;
 * all responses and the final states must be equal. This finds differences that no suite of a single port tests.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { makeRandom, type Random, times } from "./fixtures.ts"

const startAt = Date.UTC(2031, 4, 6, 7, 8, 9)
const operations = 40

/** The part of the embedded service that the test uses. */
export interface ComparedService {
  readonly fetch: (request: Request) => Promise<Response>
  readonly baseUrl: string
  readonly managementToken: string
  readonly sandbox: { readonly accountId: string; readonly apiKey: string }
  readonly settle: () => Promise<void>
  readonly advance: (duration: "1 hour") => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a service over an empty database with options of the embedded service. */
export type OpenService = (options: {
  readonly seed: string
  readonly startAt: number
}) => Promise<ComparedService>

/** Few identities, so that the calls move them between contacts. */
const externalIds = ["u0", "u1", "u2", "u3"]
const emails = [
  ...["e0", "e1", "e2", "e.3"].map((name) => `${name}@example.org`),
  "jörg@xn--bcher-kva.example",
  '"e 5"@example.org',
  // The local parts that simulate results in a sandbox.
  "bounce@example.org",
  "complaint@example.org"
]

/** Different spellings of an address that mean the same mailbox. */
const spellingsOf = (email: string): ReadonlyArray<string> => {
  const at = email.lastIndexOf("@")
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)]
  const quoted = local.startsWith('"') ? local : `"${local}"`
  return [
    `${local}@${domain.toUpperCase()}`,
    `${local.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())}@${domain}`,
    `${quoted}@${domain}`,
    `${quoted.replace("e", String.raw`\e`)}@${domain}`,
    ` (a) ${local} (b(c)) @ (d) ${domain} (e)`,
    `${local}@${domain.replace("xn--bcher-kva", "Bücher")}`
  ]
}

/** A call that is sent to both services. */
interface Operation {
  readonly method: string
  readonly path: string
  readonly token: "Api" | "Management" | "Store" | "None"
  readonly body?: string
  /** The kind of thing whose ids, or whose links to a contact's pages, the response contains. */
  readonly makes?: Made
  readonly contentType?: string
  readonly idempotencyKey?: string
}

/** The kinds of things to which later calls refer by index. */
type Made = "contact" | "link" | "segment" | "topic"

/** A service to compare, with the paths of its account. */
interface Subject {
  readonly service: ComparedService
  readonly storeToken: string
  readonly storeId: string
  readonly made: Readonly<Record<Made, Array<string>>>
}

interface Reply {
  readonly status: number
  readonly text: string
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const link = /\/[cpuwoti]\/[\w.~-]{20,}/g

const request = async (subject: Subject, operation: Operation): Promise<Reply> => {
  const { service } = subject
  const token = {
    Api: service.sandbox.apiKey,
    Management: service.managementToken,
    Store: subject.storeToken,
    None: "none"
  }[operation.token]
  const named = (text: string): string =>
    text.replaceAll(/\{(\w+):(\d+)\}/g, (_, kind: Made, place: string) => {
      const made = subject.made[kind]
      return made[Number(place) % made.length] ?? (kind === "link" ? "/u/none" : unknownId)
    })
  const path = named(operation.path)
    .replace("{account}", service.sandbox.accountId)
    .replace("{store}", subject.storeId)
  const response = await service.fetch(
    new Request(service.baseUrl + path, {
      method: operation.method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": operation.contentType ?? "application/json",
        ...(operation.idempotencyKey === undefined ? {} : { "idempotency-key": operation.idempotencyKey })
      },
      ...(operation.body === undefined ? {} : { body: named(operation.body) })
    })
  )
  const text = await response.text()
  if (operation.makes !== undefined && response.status < 300) {
    const made = subject.made[operation.makes]
    for (const [one] of text.matchAll(operation.makes === "link" ? link : uuid)) {
      if (!made.includes(one)) made.push(one)
    }
  }
  return { status: response.status, text }
}

const valueOf = <Value>({ status, text }: Reply): Value => {
  if (status >= 300) throw new Error(`${status} ${text}`)
  return (JSON.parse(text) as { readonly value: Value }).value
}

const ofAccount = "/manage/v1/accounts/{account}"

const json = (
  method: string,
  path: string,
  token: Operation["token"],
  body?: unknown,
  makes?: Made
): Operation => ({
  method,
  path,
  token,
  ...(makes === undefined ? {} : { makes }),
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

const emailStep = (id: string, purpose: "Marketing" | "Transactional", topic?: string) => ({
  id,
  kind: "SendEmail",
  purpose,
  subject: id,
  html: `<p>${id}</p>`,
  ...(topic === undefined ? {} : { topic })
})

/** Flows that send, wait, change the contact and are stopped by events. */
const flows = [
  {
    name: "Things",
    trigger: { kind: "Event", name: "thing.done" },
    steps: [
      {
        id: "tag",
        kind: "UpdateContact",
        attributes: { plan: "flow" },
        topics: {},
        tags: { add: ["done"], remove: ["vip"] }
      },
      emailStep("first", "Marketing", "news"),
      { id: "wait", kind: "Wait", duration: "PT2H" },
      emailStep("second", "Transactional")
    ]
  },
  {
    name: "Welcome",
    trigger: { kind: "Event", name: "contact.subscribed" },
    stopEvents: [{ name: "order.paid" }],
    steps: [
      emailStep("welcome", "Marketing"),
      {
        id: "event",
        kind: "WaitForEvent",
        name: "thing.done",
        timeout: "PT3H",
        then: [emailStep("then", "Marketing")],
        else: [emailStep("else", "Marketing")]
      }
    ]
  }
]

/** Starts a service for a seed, and prepares its account. */
const open = async (seed: string, openService: OpenService): Promise<Subject> => {
  const service = await openService({ seed, startAt })
  const made = { contact: [], link: [], segment: [], topic: [] }
  const subject: Subject = { service, storeToken: "", storeId: "", made }
  await request(
    subject,
    json("PATCH", "/manage/v1/accounts/{account}/settings", "Management", {
      autoCreateAttributes: true,
      rateLimitPerMinute: 100_000
    })
  )
  await request(
    subject,
    json(
      "POST",
      "/manage/v1/accounts/{account}/topics",
      "Management",
      {
        key: "news",
        name: "News"
      },
      "topic"
    )
  )
  await request(subject, json("POST", "/api/v1/contact-attributes", "Api", { key: "plan", type: "Text" }))
  for (const flow of flows) {
    const draft = await request(subject, json("POST", `${ofAccount}/flows`, "Management", flow))
    const { id } = valueOf<{ readonly id: string }>(draft)
    valueOf(await request(subject, json("POST", `${ofAccount}/flows/${id}/publish`, "Management")))
  }
  const { id, token } = valueOf<{ readonly id: string; readonly token: string }>(
    await request(
      subject,
      json("POST", "/manage/v1/accounts/{account}/stores", "Management", {
        platform: "Custom",
        name: "Shop",
        domain: "shop.example",
        consentMode: "Explicit"
      })
    )
  )
  return { ...subject, storeId: id, storeToken: token }
}

const maybe = <Value>(random: Random, value: () => Value): Value | undefined =>
  random.below(2) === 0 ? value() : undefined

/** An address, half of the time in a non-normal spelling. */
const address = (random: Random): string => {
  const email = random.pick(emails)
  return random.below(2) === 0 ? email : random.pick(spellingsOf(email))
}

const consent = (random: Random) =>
  random.pick([
    undefined,
    undefined,
    { basis: "Customer" },
    { basis: "Unsubscribed" },
    { basis: "Subscribed", proof: { text: "Yes, send me the newsletter" } }
  ])

/** A contact write; `undefined` fields are left out of the JSON. */
const contactWrite = (random: Random) => ({
  externalId: maybe(random, () => random.pick(externalIds)),
  email: random.below(4) === 0 ? undefined : address(random),
  firstName: maybe(random, () => random.pick(["Ada", "Bob", null])),
  attributes: random.below(3) === 0 ? { plan: random.pick(["free", "pro", null]) } : undefined,
  consent: consent(random),
  topics: random.below(4) === 0 ? { news: random.below(2) === 0 } : undefined
})

let serial = 0
const nextId = (): string => `n${serial++}`

const storeEvent = (random: Random) => {
  const customer = {
    id: random.pick(externalIds),
    email: address(random),
    firstName: random.pick(["Ada", "Bob"]),
    consent: random.pick([undefined, { text: "Yes, send me offers." }])
  }
  const order = {
    id: random.pick(["o0", "o1", "o2"]),
    status: random.pick(["Pending", "Paid", "Cancelled", "Refunded"]),
    currency: "EUR",
    total: 10 + random.below(90),
    email: address(random),
    placedAt: new Date(startAt - random.below(86_400_000)).toISOString(),
    lines: []
  }
  return random.below(2) === 0
    ? { id: nextId(), name: "customer.upserted", data: customer }
    : { id: nextId(), name: random.pick(["order.placed", "order.updated"]), data: order }
}

const contactReference = (random: Random): string =>
  encodeURIComponent(random.below(2) === 0 ? `ext:${random.pick(externalIds)}` : `email:${address(random)}`)

const several = <Value>(random: Random, make: () => Value): ReadonlyArray<Value> =>
  times(1 + random.below(5), make)

/** A reference to something made before. The sequences make only a few of each kind. */
const named = (random: Random, kind: Made): string => `{${kind}:${random.below(6)}}`

const importCall = (random: Random): Operation => {
  const row = () =>
    [random.pick(["", ...externalIds]), address(random), random.pick(["", "Ada", "Bob"])]
      .map((cell) => `"${cell.replaceAll('"', '""')}"`)
      .join(",")
  return {
    method: "POST",
    path: `${ofAccount}/imports`,
    token: "Management",
    body: ["externalId,email,firstName", ...several(random, row)].join("\n"),
    contentType: "text/csv"
  }
}

const bulkCall = (random: Random): Operation => {
  const action = random.pick([
    { kind: "AddTag", tag: "vip" },
    { kind: "RemoveTag", tag: "vip" },
    { kind: "SetTopic", topic: "news", on: random.below(2) === 0 },
    { kind: "Unsubscribe" },
    ...(random.below(4) === 0 ? [{ kind: "Erase" }] : []),
    { kind: "Export", format: "Csv" }
  ])
  const filter = random.pick([
    { tag: "vip" },
    { consentStatus: ["Subscribed"] },
    { topic: "!news" },
    { q: "e1" },
    { suppressed: "true" },
    { segment: named(random, "segment") },
    { source: "Import" }
  ])
  const aim = random.below(2) === 0 ? { ids: several(random, () => named(random, "contact")) } : { filter }
  return json("POST", `${ofAccount}/contacts/bulk`, "Management", { ...aim, action })
}

/** A form of a contact's page, which confirms, changes topics or unsubscribes. */
const pageCall = (random: Random): Operation => {
  const shown = `shown=${named(random, "topic")}&action=save`
  return {
    method: "POST",
    path: named(random, "link"),
    token: "None",
    body: random.pick([
      "",
      "from=page",
      "List-Unsubscribe=One-Click",
      "action=unsubscribe",
      shown,
      `${shown}&on=${named(random, "topic")}`
    ]),
    contentType: "application/x-www-form-urlencoded"
  }
}

const segmentRules = [
  { fieldKey: "consentStatus", operator: "In", value: ["Subscribed", "SoftOptIn"] },
  { fieldKey: "attributes.plan", operator: "Equals", value: "PRO" },
  { fieldKey: "attributes.plan", operator: "IsNotSet" },
  { fieldKey: "events.thing.done", operator: "HappenedAtLeast", value: { count: 2, days: 3 } },
  { fieldKey: "events.thing.done", operator: "HappenedLessThan", value: { count: 1, days: 1 } },
  { fieldKey: "topics.news", operator: "IsFalse" },
  { fieldKey: "tags", operator: "HasAny", value: ["VIP", "done"] },
  { fieldKey: "tags", operator: "HasNone", value: ["vip"] },
  { fieldKey: "totalSpent", operator: "Between", value: [10, 60] },
  { fieldKey: "lastOrderAt", operator: "InLastDays", value: 1 },
  { fieldKey: "lastEmailedAt", operator: "IsSet" },
  { fieldKey: "email", operator: "Contains", value: "E1" },
  { fieldKey: "firstName", operator: "NotEquals", value: "ada" },
  { fieldKey: "isPayingCustomer", operator: "IsTrue" }
]

const segmentCall = (random: Random): Operation => {
  const rules = several(random, () => random.pick(segmentRules))
  const definition = { join: random.pick(["All", "Any"]), rules }
  const path = `${ofAccount}/segments/${named(random, "segment")}`
  const create = { name: nextId(), definition }
  return random.pick([
    json("POST", `${ofAccount}/segments`, "Management", create, "segment"),
    json("PATCH", path, "Management", { definition }),
    json("DELETE", path, "Management")
  ])
}

const itemCall = (random: Random): Operation => {
  const item = () => ({
    id: random.pick(["i0", "i1", "I1"]),
    name: maybe(random, () => random.pick(["Tea", "Cup"])),
    price: maybe(random, () => random.pick([0, 1.1, 19.99, null])),
    currency: maybe(random, () => "EUR"),
    stockQuantity: maybe(random, () => random.pick([0, 3, null])),
    attributes: maybe(random, () => random.pick([{ a: "1" }, { a: null, b: "x" }])),
    active: maybe(random, () => random.below(2) === 0)
  })
  return random.pick([
    json("POST", "/api/v1/items", "Api", item()),
    json("POST", "/api/v1/items/batch", "Api", { items: several(random, item) }),
    json("DELETE", `/api/v1/items/${random.pick(["i0", "i1", "I1"])}`, "Api")
  ])
}

/** A change of the fields and settings on which contact writes depend. */
const accountCall = (random: Random): Operation => {
  const isArchived = random.below(4) === 0
  const topic = { key: random.pick(["tips", "news"]), name: "Tips", defaultOn: random.below(2) === 0 }
  return random.pick([
    json("PATCH", `${ofAccount}/topics/${named(random, "topic")}`, "Management", { isArchived }),
    json("POST", `${ofAccount}/topics`, "Management", topic, "topic"),
    json("PATCH", "/api/v1/contact-attributes/plan", "Api", { archived: isArchived }),
    json("PATCH", `${ofAccount}/settings`, "Management", { keepErased: random.below(2) === 0 }),
    json("PATCH", `${ofAccount}/settings`, "Management", { contactLimit: random.pick([null, null, 3, 5]) })
  ])
}

const suppressions = `${ofAccount}/suppressions`

const suppressionCall = (random: Random): Operation => {
  const email = address(random)
  return random.below(2) === 0
    ? json("POST", suppressions, "Management", { email, kind: random.pick(["Bounced", "Complained"]) })
    : json("DELETE", `${suppressions}/${encodeURIComponent(email)}`, "Management")
}

const emailCall = (random: Random): Operation => ({
  ...json("POST", "/api/v1/sending/emails", "Api", {
    to: address(random),
    cc: maybe(random, () => several(random, () => address(random))),
    subject: "Hello",
    text: random.pick(["One", "Two"])
  }),
  idempotencyKey: random.pick(["k0", "k1", "k2", nextId()])
})

const contactsOf = (random: Random) => several(random, () => contactWrite(random))

/** The kinds of calls in a sequence; more frequent ones are listed several times. */
const calls: ReadonlyArray<(random: Random) => Operation> = [
  ...times(
    2,
    () => (random: Random) => json("POST", "/api/v1/contacts", "Api", contactWrite(random), "contact")
  ),
  ...times(
    2,
    () => (random: Random) =>
      json("POST", "/api/v1/contacts/batch", "Api", { contacts: contactsOf(random) }, "contact")
  ),
  ...times(
    2,
    () => (random: Random) =>
      json("POST", "/api/v1/events", "Api", {
        events: contactsOf(random).map((contact) => ({ id: nextId(), name: "thing.done", contact }))
      })
  ),
  ...times(2, () => (random: Random) => {
    const events = several(random, () => storeEvent(random))
    return json("POST", "/ingest/v1/stores/{store}/events", "Store", { events })
  }),
  importCall,
  (random) => json("DELETE", `/api/v1/contacts/${contactReference(random)}`, "Api"),
  (random) => json("POST", `${ofAccount}/contacts`, "Management", contactWrite(random), "contact"),
  (random) =>
    json("PATCH", `${ofAccount}/contacts/${named(random, "contact")}`, "Management", contactWrite(random)),
  (random) => json("POST", `${ofAccount}/erasures`, "Management", { contactIds: [named(random, "contact")] }),
  ...times(2, () => bulkCall),
  ...times(4, () => (random: Random) => {
    const asked = random.pick(["double-opt-in", "double-opt-in/email", "links"])
    const path = `${ofAccount}/contacts/${named(random, "contact")}/${asked}`
    return json("POST", path, "Management", undefined, "link")
  }),
  ...times(2, () => pageCall),
  suppressionCall,
  emailCall,
  segmentCall,
  itemCall,
  accountCall
]

const nextOperation = (random: Random): Operation => random.pick(calls)(random)

/** A value with sorted object keys, because a database may return the keys of JSON in another order. */
const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sortKeys(entry)])
  )
}

/**
 * A JSON string whose ids are replaced by the order of their first appearance, because the two services generate different ids.
 */
const withoutIds = (text: string): string => {
  const seen = new Map<string, string>()
  const sorted = /^[[{]/.test(text) ? JSON.stringify(sortKeys(JSON.parse(text))) : text
  return sorted
    .replaceAll(/"next":"[\w-]+"/g, '"next":""')
    .replaceAll(link, (path) => path.slice(0, 3))
    .replaceAll(uuid, (id) => {
      const known = seen.get(id) ?? `id${seen.size}`
      seen.set(id, known)
      return known
    })
}

const listed = [
  "contacts?count=exact&limit=200",
  "contacts?count=exact&q=e1",
  "contacts?count=exact&topic=news",
  "contacts?count=exact&suppressed=true",
  "audit-log?count=exact&limit=200",
  "emails?count=exact&limit=200",
  "events?count=exact&limit=200",
  "segments?count=exact&limit=200",
  "topics?count=exact&limit=200",
  "items?count=exact&limit=200",
  "jobs?count=exact&limit=200",
  "imports?count=exact&limit=200",
  "suppressions?count=exact&limit=200",
  "inbox?count=exact&limit=200"
]

interface Listed {
  readonly id: string
  readonly email: string | null
}

/** What the routes return about the people of the account, sorted independently of the order of insertion. */
const stateOf = async (subject: Subject): Promise<unknown> => {
  const read = async (path: string, token: Operation["token"] = "Api") => {
    const { status, text } = await request(subject, json("GET", path, token))
    return [status, withoutIds(text)]
  }
  const { items } = valueOf<{ readonly items: ReadonlyArray<Listed> }>(
    await request(subject, json("GET", "/api/v1/contacts?pageSize=200", "Api"))
  )
  const people = []
  for (const contact of items.toSorted((a, b) => ((a.email ?? "") < (b.email ?? "") ? -1 : 1))) {
    const of = `${ofAccount}/contacts/${contact.id}`
    people.push({
      ...contact,
      id: "",
      storeId: "",
      consents: await read(`${of}/consent-history?pageSize=200`, "Management"),
      runs: await read(`${of}/runs?pageSize=200`, "Management"),
      timeline: await read(`${of}/timeline?pageSize=200`, "Management")
    })
  }
  /** The entries of a list, in an order that does not depend on their ids. */
  const list = async (path: string) => {
    const reply = await request(subject, json("GET", `${ofAccount}/${path}`, "Management"))
    const found = valueOf<{ readonly items: ReadonlyArray<unknown>; readonly totalCount: number }>(reply)
    return [found.totalCount, ...found.items.map((one) => withoutIds(JSON.stringify(one))).toSorted()]
  }
  const lists = []
  for (const path of listed) lists.push([path, await list(path)])
  const found = []
  for (const key of [...externalIds.map((id) => `ext:${id}`), ...emails.map((email) => `email:${email}`)]) {
    found.push([key, await read(`/api/v1/contacts/${encodeURIComponent(key)}`)])
  }
  return {
    people,
    found,
    lists,
    fields: await read("/api/v1/contact-attributes"),
    usage: await read(`${ofAccount}/usage`, "Management"),
    stats: await read(`${ofAccount}/stats?days=30`, "Management"),
    orders: await read("/api/v1/commerce/orders?page=1&pageSize=200"),
    segments: await read("/api/v1/segments")
  }
}

/** Makes the calls of a seed on both services, and compares every response and the final states. */
const compare = async (seed: number, reference: OpenService, compared: OpenService): Promise<void> => {
  const random = makeRandom(seed)
  const expected = await open(`differential ${seed}`, reference)
  const actual = await open(`differential ${seed}`, compared)
  const subjects = [expected, actual]
  try {
    const sent: Array<Operation> = []
    for (let index = 0; index < operations; index++) {
      // Some calls are repeated, as by a client that received no response.
      const call = sent.length > 0 && random.below(6) === 0 ? random.pick(sent) : nextOperation(random)
      sent.push(call)
      const replies = []
      for (const subject of subjects) {
        const { status, text } = await request(subject, call)
        replies.push({ sent: call, status, text: withoutIds(text) })
      }
      expect(replies[1], `call ${index}`).toEqual(replies[0])
      // Otherwise, the jobs of several calls accumulate and are processed in one batch.
      if (random.below(3) === 0) for (const subject of subjects) await subject.service.settle()
      if (random.below(10) === 0) for (const subject of subjects) await subject.service.advance("1 hour")
    }
    for (const subject of subjects) await subject.service.settle()
    expect({ sent, state: await stateOf(actual) }).toEqual({ sent, state: await stateOf(expected) })
  } finally {
    for (const { service } of subjects) await service.close()
  }
}

/**
 * Registers the differential test of an adapter.
 *
 * @param name the adapter's name
 * @param reference opens the embedded service over memory
 * @param compared opens the embedded service over the adapter: `start({ ...options, store: { ports: layer } })`
 * @param seeds one sequence of 40 calls each
 */
export const differentialContract = (
  name: string,
  reference: OpenService,
  compared: OpenService,
  seeds: ReadonlyArray<number> = times(12, (index) => index + 1)
): void => {
  describe(`${name} beside memory`, () => {
    it.each(seeds)("gives the same responses and ends in the same state, sequence %i", (seed) =>
      compare(seed, reference, compared)
    )
  })
}

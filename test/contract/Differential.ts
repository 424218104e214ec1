/**
 * Compares two adapters of the storage ports: the same random sequence of calls on the memory adapter and on another
 * must get the same responses and end in the same state. It finds differences that no suite of a single port tests.
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
  readonly close: () => Promise<void>
}

/** Opens a service over an empty database with options of the embedded service. */
export type OpenService = (options: {
  readonly seed: string
  readonly startAt: number
}) => Promise<ComparedService>

/** Few identities, so that they move between contacts. */
const externalIds = ["u0", "u1", "u2", "u3"]
const emails = [
  ...["e0", "e1", "e2", "e.3"].map((name) => `${name}@example.org`),
  "jörg@xn--bcher-kva.example",
  '"e 5"@example.org'
]

/** Spellings of the mailbox of an address. */
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
  readonly token: "Api" | "Management" | "Store"
  readonly body?: string
  readonly contentType?: string
  readonly idempotencyKey?: string
}

/** A service to compare, with the paths of its account. */
interface Subject {
  readonly service: ComparedService
  readonly storeToken: string
  readonly storeId: string
}

interface Reply {
  readonly status: number
  readonly text: string
}

const request = async (subject: Subject, operation: Operation): Promise<Reply> => {
  const { service } = subject
  const token = {
    Api: service.sandbox.apiKey,
    Management: service.managementToken,
    Store: subject.storeToken
  }[operation.token]
  const path = operation.path
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
      ...(operation.body === undefined ? {} : { body: operation.body })
    })
  )
  return { status: response.status, text: await response.text() }
}

const valueOf = <Value>({ status, text }: Reply): Value => {
  if (status >= 300) throw new Error(`${status} ${text}`)
  return (JSON.parse(text) as { readonly value: Value }).value
}

const json = (method: string, path: string, token: Operation["token"], body?: unknown): Operation => ({
  method,
  path,
  token,
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

/** Starts a service of a seed and prepares its account. */
const open = async (seed: string, openService: OpenService): Promise<Subject> => {
  const service = await openService({ seed, startAt })
  const subject = { service, storeToken: "", storeId: "" }
  await request(
    subject,
    json("PATCH", "/manage/v1/accounts/{account}/settings", "Management", {
      autoCreateAttributes: true,
      rateLimitPerMinute: 100_000
    })
  )
  await request(
    subject,
    json("POST", "/manage/v1/accounts/{account}/topics", "Management", {
      key: "news",
      name: "News"
    })
  )
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
  return { service, storeId: id, storeToken: token }
}

const maybe = <Value>(random: Random, value: () => Value): Value | undefined =>
  random.below(2) === 0 ? value() : undefined

/** An address, half of the time in another spelling than the normal one. */
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

const suppressions = "/manage/v1/accounts/{account}/suppressions"

const nextOperation = (random: Random): Operation => {
  const several = <Value>(make: () => Value) => times(1 + random.below(5), make)
  switch (random.below(11)) {
    case 0:
    case 1:
      return json("POST", "/api/v1/contacts", "Api", contactWrite(random))
    case 2:
    case 3:
      return json("POST", "/api/v1/contacts/batch", "Api", {
        contacts: several(() => contactWrite(random))
      })
    case 4:
    case 5:
      return json("POST", "/api/v1/events", "Api", {
        events: several(() => ({ id: nextId(), name: "thing.done", contact: contactWrite(random) }))
      })
    case 6: {
      const row = () =>
        [random.pick(["", ...externalIds]), address(random), random.pick(["", "Ada", "Bob"])]
          .map((cell) => `"${cell.replaceAll('"', '""')}"`)
          .join(",")
      return {
        method: "POST",
        path: "/manage/v1/accounts/{account}/imports",
        token: "Management",
        body: ["externalId,email,firstName", ...several(row)].join("\n"),
        contentType: "text/csv"
      }
    }
    case 7:
      return json("DELETE", `/api/v1/contacts/${contactReference(random)}`, "Api")
    case 8: {
      const email = address(random)
      return random.below(2) === 0
        ? json("POST", suppressions, "Management", { email, kind: random.pick(["Bounced", "Complained"]) })
        : json("DELETE", `${suppressions}/${encodeURIComponent(email)}`, "Management")
    }
    case 9:
      return {
        ...json("POST", "/api/v1/sending/emails", "Api", {
          to: address(random),
          cc: maybe(random, () => several(() => address(random))),
          subject: "Hello",
          text: random.pick(["One", "Two"])
        }),
        idempotencyKey: random.pick(["k0", "k1", "k2", nextId()])
      }
    default:
      return json("POST", "/ingest/v1/stores/{store}/events", "Store", {
        events: several(() => storeEvent(random))
      })
  }
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** A value whose objects have sorted keys: a database may return those of JSON in another order. */
const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sortKeys(entry)])
  )
}

/** A JSON string whose ids are replaced by the order of their first appearance: two services generate different ones. */
const withoutIds = (text: string): string => {
  const seen = new Map<string, string>()
  return JSON.stringify(sortKeys(JSON.parse(text))).replaceAll(uuid, (id) => {
    const known = seen.get(id) ?? `id${seen.size}`
    seen.set(id, known)
    return known
  })
}

interface Listed {
  readonly id: string
  readonly email: string | null
}

/** What the routes return about the account's people, sorted independently of the order of insertion. */
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
    const of = `/manage/v1/accounts/{account}/contacts/${contact.id}`
    people.push({
      ...contact,
      id: "",
      storeId: "",
      consents: await read(`${of}/consents?pageSize=200`, "Management"),
      timeline: await read(`${of}/timeline?pageSize=200`, "Management")
    })
  }
  const found = []
  for (const key of [...externalIds.map((id) => `ext:${id}`), ...emails.map((email) => `email:${email}`)]) {
    found.push([key, await read(`/api/v1/contacts/${encodeURIComponent(key)}`)])
  }
  return {
    people,
    found,
    suppressions: await read(`${suppressions}?pageSize=200`, "Management"),
    inbox: await read("/manage/v1/accounts/{account}/inbox?pageSize=200", "Management"),
    orders: await read("/api/v1/commerce/orders?page=1&pageSize=200"),
    segments: await read("/api/v1/segments")
  }
}

/** Runs the sequence of a seed on both and compares every response and the states at the end. */
const compare = async (seed: number, reference: OpenService, compared: OpenService): Promise<void> => {
  const random = makeRandom(seed)
  const expected = await open(`differential ${seed}`, reference)
  const actual = await open(`differential ${seed}`, compared)
  const subjects = [expected, actual]
  try {
    const sent: Array<Operation> = []
    for (let index = 0; index < operations; index++) {
      // Some calls are repeated, as by a caller that got no response.
      const call = sent.length > 0 && random.below(6) === 0 ? random.pick(sent) : nextOperation(random)
      sent.push(call)
      const replies = []
      for (const subject of subjects) {
        const { status, text } = await request(subject, call)
        replies.push({ sent: call, status, text: withoutIds(text) })
      }
      expect(replies[1]).toEqual(replies[0])
      // Otherwise the jobs of several calls are processed in one batch.
      if (random.below(3) === 0) for (const subject of subjects) await subject.service.settle()
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
  seeds: ReadonlyArray<number> = [...times(11, (index) => index + 1), 524]
): void => {
  describe(`${name} beside memory`, () => {
    it.each(seeds)("gives the same responses and ends in the same state, sequence %i", (seed) =>
      compare(seed, reference, compared)
    )
  })
}

/**
 * Tests mail of live accounts through relays chosen by their companies, and the providers' reports about it: each kind of
 * provider end to end, relays that fail, and headers that only the chosen relay gets.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { RelayProvider } from "../../core/model/RelayReport.ts"
import { call, eventually } from "../support/client.ts"
import { type DnsServer, startDnsServer } from "../support/dnsServer.ts"
import { type FakeProvider, startFakeProvider } from "../support/fakeProviders.ts"
import { publish } from "../support/liveDomain.ts"
import { freshDatabase } from "../support/postgres.ts"
import { startReceiver } from "../support/receiver.ts"
import type { Runtime } from "../support/serverProcess.ts"
import { useServers } from "../support/servers.ts"
import { type SmtpSink, startSmtpSink } from "../support/smtpSink.ts"
import { manage as manageOf } from "../support/workspace.ts"

interface Relay {
  readonly id: string
  readonly state: string
  readonly stateReason: string | null
  readonly words: string | null
  readonly feedbackUrl: string
  readonly lastReportAt: string | null
}

interface Email {
  readonly recipients: ReadonlyArray<{ readonly status: string; readonly reason: string | null }>
}

// SES is missing, because its certificate is fetched from SNS itself; test/api/harness.test.ts tests that kind.
const kinds: ReadonlyArray<RelayProvider> = [
  "Postmark",
  "Mailgun",
  "SendGrid",
  "Brevo",
  "Mailjet",
  "SparkPost",
  "Resend"
]

/** The headers that carry the reference for each provider. The other two return the Message-ID. */
const headersOf: Readonly<Record<RelayProvider, ReadonlyArray<string>>> = {
  AmazonSes: ["X-SES-MESSAGE-TAGS"],
  Postmark: ["X-PM-Metadata-svc-delivery"],
  Mailgun: [],
  SendGrid: ["X-SMTPAPI"],
  Brevo: ["X-Mailin-custom"],
  Mailjet: ["X-MJ-CustomID"],
  SparkPost: ["X-MSYS-API"],
  Resend: []
}

describe.each<[Runtime, string]>([
  ["node", "embedded"],
  ["bun", "memory"]
])("relays of companies on %s, store %s", (runtime, store) => {
  const servers = useServers()
  let dns: DnsServer
  const stops: Array<() => Promise<void>> = []

  beforeEach(async () => {
    dns = await startDnsServer()
    stops.push(() => dns.stop())
  })
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
  })

  /** A server, and a company whose live account can send. */
  const begin = async (changes: Readonly<Record<string, string>> = {}) => {
    const env = {
      SVC_STORE: store,
      SVC_DNS_SERVERS: dns.address,
      SVC_SMTP_HOST: "mail.service.example",
      SVC_WEBHOOK_ALLOW_PRIVATE: "true",
      SVC_ADMIN_TOKEN: "management-token-of-the-test-0123456789",
      ...changes
    }
    const server = servers.start(runtime, env)
    let { baseUrl } = await server.ready()
    const target = {
      managementToken: env.SVC_ADMIN_TOKEN,
      fetch: (path: string, init?: RequestInit) => fetch(baseUrl + path, init)
    }
    /** Calls another node from now on. */
    const moveTo = (url: string): void => {
      baseUrl = url
    }
    const manage = <Value>(method: string, path: string, json?: unknown) =>
      manageOf<Value>(target, method, path, json === undefined ? {} : { json })
    const company = (
      await manage<{ readonly id: string; readonly live: { readonly accountId: string } }>(
        "POST",
        "/companies",
        {
          name: "Shop"
        }
      )
    ).value
    const account = `/accounts/${company.live.accountId}`
    const domain = (
      await manage<Parameters<typeof publish>[1]>("POST", `${account}/domains`, { domain: "shop.example" })
    ).value
    publish(dns, domain)
    await manage("POST", `${account}/domains/${domain.id}/verify`)
    await manage("PATCH", `${account}/settings`, {
      defaultSender: { email: "hello@shop.example", name: "Shop" }
    })
    const { key } = (
      await manage<{ readonly key: string }>("POST", `${account}/api-keys`, {
        name: "Live",
        permissions: ["emails:send", "emails:read"],
        expiresInDays: null
      })
    ).value
    const add = async (json: object): Promise<Relay> => {
      const made = await manage<Relay>("POST", `/companies/${company.id}/relays`, { name: "Relay", ...json })
      expect(made.status).toBe(201)
      return made.value
    }
    const relay = async (id: string) =>
      (await manage<Relay>("GET", `/companies/${company.id}/relays/${id}`)).value
    const route = async (...ways: ReadonlyArray<string>) => {
      const changed = await manage("PATCH", `${account}/settings`, {
        delivery: { transactional: ways, marketing: null }
      })
      expect(changed.status).toBe(200)
    }
    const send = async (to: string): Promise<string> => {
      const sent = await call<{ readonly id: string }>(target, "POST", "/api/v1/sending/emails", {
        token: key,
        json: {
          to,
          subject: "Hello",
          html: "<p>Hello</p>",
          headers: { "X-SES-CONFIGURATION-SET": "other", "X-Campaign": "spring" }
        }
      })
      expect(sent.status).toBe(201)
      return sent.value.id
    }
    const status = (id: string, wanted: string) =>
      eventually(
        async () => (await manage<Email>("GET", `${account}/emails/${id}`)).value.recipients[0]!,
        (found) => found.status === wanted
      )
    /** An email that was sent, or waits for a reason. */
    const ended = (id: string) =>
      eventually(
        async () => (await manage<Email>("GET", `${account}/emails/${id}`)).value.recipients[0]!,
        (found) => found.status !== "HandingOff" && (found.status !== "Queued" || found.reason !== null)
      )
    const report = async (url: string, request: ReturnType<FakeProvider["report"]>) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...request.headers },
        body: request.body
      })
      return response.status
    }
    return { account, add, company, ended, env, manage, moveTo, relay, report, route, send, server, status }
  }

  const provider = async (kind: RelayProvider): Promise<FakeProvider> => {
    const started = await startFakeProvider(kind)
    stops.push(() => started.sink.stop())
    return started
  }
  const sinkOf = async (): Promise<SmtpSink> => {
    const sink = await startSmtpSink({ startTls: "off" })
    stops.push(() => sink.stop())
    return sink
  }

  it("sends by each kind of provider, and follows what it reports", async () => {
    const { add, relay, report, route, send, status } = await begin()
    for (const kind of kinds) {
      const fake = await provider(kind)
      const made = await add({ kind, url: fake.url, feedback: fake.feedback })
      await route(`relay:${made.id}`)
      const id = await send(`${kind.toLowerCase()}@people.example`)
      await status(id, "Accepted")
      const [message] = fake.sink.messages()
      expect(message!.user).toBe("relay-user")
      expect(message!.raw).toMatch(/^X-Campaign: spring/m)
      expect(message!.raw).not.toMatch(/^X-SES-/im)
      // A report by mail is proven only by its envelope.
      const [proof] = message!.mailFrom.split("@")
      expect(proof).toMatch(/^b[a-z2-7]{63}$/)
      expect(message!.raw.replaceAll(/\s/g, "")).not.toContain(proof)
      // The reference is in the header that the provider removes, and nowhere else in the message.
      const lines = message!.raw.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/)
      const referring = lines.filter((line) => /r[a-z2-7]{77}/.test(line))
      expect([kind, ...referring.map((line) => line.split(":")[0])]).toEqual([kind, ...headersOf[kind]])
      const delivered = fake.report(message!, "Delivered")
      expect([
        kind,
        await report(made.feedbackUrl, {
          ...delivered,
          headers: {},
          body: delivered.body.replace(/signature/, "x")
        })
      ]).toEqual([kind, 401])
      expect([kind, await report(made.feedbackUrl, delivered)]).toEqual([kind, 200])
      await status(id, "Delivered")
      expect([kind, await report(made.feedbackUrl, fake.report(message!, "Complained"))]).toEqual([kind, 200])
      expect((await relay(made.id)).lastReportAt).not.toBeNull()
      const again = await send(`${kind.toLowerCase()}@people.example`)
      expect(await status(again, "Suppressed")).toMatchObject({ reason: "sending.gate_complained" })
    }
  })

  it("finds an email by the id in the provider's reply alone, for the relay that took it", async () => {
    const { add, manage, report, route, send, status } = await begin()
    const fake = await provider("Postmark")
    const feedback = fake.feedback
    const [made, sibling] = [
      await add({ kind: "Postmark", url: fake.url, feedback }),
      await add({ kind: "Postmark", url: fake.url, feedback })
    ]
    const others = (await manage<{ readonly id: string }>("POST", "/companies", { name: "Others" })).value
    const foreign = await manage<Relay>("POST", `/companies/${others.id}/relays`, {
      name: "Theirs",
      kind: "Postmark",
      url: fake.url,
      feedback
    })
    await route(`relay:${made.id}`)
    const ids = ["7c8dbae2-7a0c-4f2d-9e0b-1f2a3b4c5d6e", "0a1b2c3d-7a0c-4f2d-9e0b-1f2a3b4c5d6e"]
    const emails: Array<string> = []
    for (const [index, id] of ids.entries()) {
      fake.sink.answer("message", `250 2.0.0 Ok: queued as ${id.toUpperCase()}`)
      const email = await send(`person-${index}@people.example`)
      await status(email, "Accepted")
      emails.push(email)
    }
    const entry = (MessageID: string, more: object) => ({
      RecordType: "Delivery",
      MessageID,
      DeliveredAt: new Date().toISOString(),
      ...more
    })
    const bounced = { RecordType: "Bounce", Type: "HardBounce", Details: "smtp;550 5.1.1 no such user" }
    const request = (...entries: ReadonlyArray<object>) => ({
      body: JSON.stringify(entries),
      headers: { authorization: `Basic ${btoa(`${feedback["username"]}:${feedback["password"]}`)}` }
    })
    // Other companies can know the ids of messages at most from their own reports. An id counts only for the relay that accepted
    // the message.
    const all = ids.map((id) => entry(id, bounced))
    for (const url of [foreign.value.feedbackUrl, sibling.feedbackUrl])
      expect(await report(url, request(...all))).toBe(200)
    for (const email of emails) expect((await status(email, "Accepted")).status).toBe("Accepted")
    // The later report arrived first.
    expect(await report(made.feedbackUrl, request(entry(ids[0]!, bounced)))).toBe(200)
    expect(await report(made.feedbackUrl, request(...ids.map((id) => entry(id, {}))))).toBe(200)
    expect(await report(made.feedbackUrl, request(entry("unknown-id-of-a-message-1", bounced)))).toBe(200)
    await status(emails[0]!, "Bounced")
    await status(emails[1]!, "Delivered")
    // Of contradicting reports, the same one wins whichever arrived first. A report that overtakes the reply waits.
    const refused = { RecordType: "Bounce", Type: "Blocked", Details: "smtp;550 5.7.1 blocked by policy" }
    for (const [index, order] of [
      [refused, {}],
      [{}, refused]
    ].entries()) {
      const id = `2f8dbae2-7a0c-4f2d-9e0b-1f2a3b4c5d6${index}`
      expect(await report(made.feedbackUrl, request(entry(id, order[0]!)))).toBe(200)
      fake.sink.answer("message", `250 2.0.0 Ok: queued as ${id}`)
      const email = await send(`early-${index}@people.example`)
      await status(email, index === 0 ? "Failed" : "Delivered")
      expect(await report(made.feedbackUrl, request(entry(id, order[1]!)))).toBe(200)
      await status(email, "Delivered")
    }
  })

  it("takes a batch once that two nodes get at the same time, and again when one is killed with it", async () => {
    const env = { SVC_STORE: await freshDatabase(), SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef" }
    const first = await begin(env)
    const { account, manage, report } = first
    const second = servers.start(runtime === "node" ? "bun" : "node", first.env)
    const { baseUrl: secondUrl } = await second.ready()
    const fake = await provider("SparkPost")
    const made = await first.add({ kind: "SparkPost", url: fake.url, feedback: fake.feedback })
    await first.route(`relay:${made.id}`)
    const receiver = await startReceiver()
    stops.push(() => receiver.stop())
    await manage("POST", `${account}/webhooks`, { url: `${receiver.url}/hook`, events: ["email.delivered"] })
    const count = 30
    const people = Array.from({ length: count }, (_, index) => `person-${index}@people.example`)
    await Promise.all(people.map(first.send))
    const totalOf = async (path: string) =>
      (await manage<{ readonly totalCount: number }>("GET", `${account}${path}`)).value.totalCount
    const until = (path: string) =>
      eventually(
        () => totalOf(path),
        (total) => total === count
      )
    await until("/emails?status=Accepted&pageSize=1")
    const batchOf = (what: "Delivered" | "Complained") => {
      const all = fake.sink.messages().map((message) => fake.report(message, what))
      const body = JSON.stringify(all.flatMap((one) => JSON.parse(one.body) as ReadonlyArray<unknown>))
      return { body, headers: all[0]!.headers }
    }
    const path = new URL(made.feedbackUrl).pathname
    const secondAddress = secondUrl + path
    const delivered = batchOf("Delivered")
    const both = [made.feedbackUrl, secondAddress, made.feedbackUrl, secondAddress]
    expect(await Promise.all(both.map((url) => report(url, delivered)))).toEqual([200, 200, 200, 200])
    expect(await totalOf("/emails?status=Delivered&pageSize=1")).toBe(count)
    await receiver.awaited("/hook", count)
    const told = receiver.received("/hook").map(({ json }) => json.data["message_id"])
    expect(new Set(told).size).toBe(told.length)

    const complained = batchOf("Complained")
    const cut = report(made.feedbackUrl, complained).catch(() => 0)
    await servers.kill(first.server)
    await cut
    first.moveTo(secondUrl)
    await eventually(
      () => report(secondAddress, complained),
      (status) => status === 200
    )
    expect(await totalOf("/suppressions?pageSize=1")).toBe(count)
    expect(await report(secondAddress, delivered)).toBe(200)
    expect(await totalOf("/suppressions?pageSize=1")).toBe(count)
  })

  it("leaves a relay that refuses the account after the message for the next one, and keeps what it replied", async () => {
    const { add, relay, route, send, status } = await begin()
    const [full, next] = [await provider("AmazonSes"), await sinkOf()]
    const first = await add({ kind: "AmazonSes", url: full.url, feedback: full.feedback })
    const second = await add({ kind: "Smtp", url: `smtp://127.0.0.1:${next.port}` })
    await route(`relay:${first.id}`, `relay:${second.id}`)
    const quota = "454 Throttling failure: Daily message quota exceeded."
    full.sink.answer("message", quota)
    await status(await send("first@people.example"), "Sent")
    expect(next.messages()).toHaveLength(1)
    expect(next.messages()[0]!.raw).not.toMatch(/^X-SES-/im)
    const failing = await eventually(
      () => relay(first.id),
      ({ state }) => state === "Failing"
    )
    const lastRefusal = { at: expect.any(String), words: quota }
    expect(failing).toMatchObject({ stateReason: "relays.account_refused", words: quota, lastRefusal })
    // Others accept the next email at once.
    full.sink.answer("message", null)
    await status(await send("second@people.example"), "Sent")
    expect(next.messages()).toHaveLength(2)
  })

  it("holds mail whose only relay refuses its login, and sends it once the login is corrected", async () => {
    const { company, ended, add, manage, relay, route, send, status } = await begin()
    const fake = await provider("Postmark")
    const made = await add({ kind: "Postmark", url: fake.url, feedback: fake.feedback })
    await route(`relay:${made.id}`)
    await status(await send("first@people.example"), "Accepted")
    const path = `/companies/${company.id}/relays/${made.id}`
    await manage("PATCH", path, { url: fake.url.replace("relay-password", "wrong") })
    const ids = await Promise.all(["a", "b", "c"].map((name) => send(`${name}@people.example`)))
    for (const id of ids)
      expect(await ended(id)).toMatchObject({ status: "Queued", reason: "sending.provider_held" })
    expect(await relay(made.id)).toMatchObject({
      state: "Failing",
      stateReason: "relays.login_failed",
      words: expect.stringMatching(/^535/)
    })
    const corrected = await manage<Relay>("PATCH", path, { url: fake.url })
    expect(corrected.value).toMatchObject({ state: "Active", words: null })
    for (const id of ids) await status(id, "Accepted")
    expect(fake.sink.messages()).toHaveLength(4)
  })

  it("sends mail that waits for a relay by the next way once the relay is deleted", async () => {
    const { company, ended, add, manage, route, send, status } = await begin()
    const [fake, next] = [await provider("Postmark"), await sinkOf()]
    const made = await add({
      kind: "Postmark",
      url: fake.url.replace("relay-password", "wrong"),
      feedback: fake.feedback
    })
    const other = await add({ kind: "Smtp", url: `smtp://127.0.0.1:${next.port}` })
    await route(`relay:${made.id}`)
    const id = await send("first@people.example")
    expect(await ended(id)).toMatchObject({ reason: "sending.provider_held" })
    await route(`relay:${made.id}`, `relay:${other.id}`)
    await manage("DELETE", `/companies/${company.id}/relays/${made.id}`)
    await status(id, "Sent")
    expect(next.messages()).toHaveLength(1)
  })

  it("leaves a relay whose login fails for the next one, shows why, and holds what no relay can take", async () => {
    const { add, company, ended, manage, relay, route, send, status } = await begin()
    const fake = await provider("Postmark")
    const next = await sinkOf()
    const broken = await add({
      kind: "Postmark",
      url: fake.url.replace("relay-password", "wrong"),
      feedback: fake.feedback
    })
    const other = await add({ kind: "Smtp", url: `smtp://127.0.0.1:${next.port}` })
    await route(`relay:${broken.id}`, `relay:${other.id}`)
    await status(await send("first@people.example"), "Sent")
    expect(fake.sink.messages()).toEqual([])
    expect(next.messages()).toHaveLength(1)
    // What the first relay would have read is not sent to the second.
    expect(next.messages()[0]!.raw).not.toMatch(/^X-PM-/im)
    const failing = await eventually(
      () => relay(broken.id),
      ({ state }) => state === "Failing"
    )
    expect(failing).toMatchObject({
      stateReason: "relays.login_failed",
      words: expect.stringMatching(/^535/)
    })
    // A recipient rejected by one relay is rejected.
    next.answer("rcpt", "550 5.1.1 no such user")
    await status(await send("second@people.example"), "Bounced")
    next.answer("rcpt", null)
    // What may have been sent is not sent again.
    const last = await sinkOf()
    const third = await add({ kind: "Smtp", url: `smtp://127.0.0.1:${last.port}` })
    await route(`relay:${other.id}`, `relay:${third.id}`)
    next.answer("message", "drop")
    await status(await send("third@people.example"), "Unknown")
    expect(last.messages()).toEqual([])
    await manage("DELETE", `/companies/${company.id}/relays/${third.id}`)
    await manage("DELETE", `/companies/${company.id}/relays/${broken.id}`)
    await manage("DELETE", `/companies/${company.id}/relays/${other.id}`)
    next.answer("message", null)
    const held = await ended(await send("last@people.example"))
    expect(held).toMatchObject({ status: "Queued", reason: "sending.relay_unavailable" })
    const unknown = await manage("PATCH", `/accounts/${company.live.accountId}/settings`, {
      delivery: { transactional: [`relay:${other.id}`], marketing: ["Direct"] }
    })
    expect([unknown.status, unknown.codes, unknown.fields]).toEqual([
      400,
      ["relays.unknown"],
      ["delivery.transactional[0]"]
    ])
  })
})

import assert from "node:assert/strict"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as Memory from "../../adapters/memory/index.ts"
import { createClient } from "../../client/index.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { SnsClient } from "../../core/ports/SnsClient.ts"
import { type Embedded, start } from "../../runtimes/embedded/index.ts"
import { blockWith } from "../docs/blocks.ts"
import { eventually } from "../support/client.ts"
import { snsBody, snsCertificate, snsCertificateUrl } from "../support/fakeProviders.ts"
import { ensureDashboard } from "../support/dashboard.ts"
import type { EmailAccepted, EmailSubmission } from "../support/shapes.ts"

const withService = async (use: (service: Embedded) => Promise<void>) => {
  const service = await start()
  try {
    await use(service)
  } finally {
    await service.close()
  }
}

/** Sends an email of an account, and returns the response's value. */
const send = async (service: Embedded, to: string, token: string) => {
  const response = await service.fetch(
    new Request(`${service.baseUrl}/api/v1/sending/emails`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ to, subject: "Hello", html: "<p>It works.</p>" })
    })
  )
  expect(response.status).toBe(201)
  return ((await response.json()) as { value: EmailAccepted }).value
}

const statusOf = async (service: Embedded, id: string) => {
  const response = await service.fetch(
    new Request(`${service.baseUrl}/api/v1/sending/emails/${id}`, {
      headers: { authorization: `Bearer ${service.sandbox.apiKey}` }
    })
  )
  return ((await response.json()) as { value: EmailSubmission }).value.status
}

/** Calls the management API. */
const manageOf =
  (service: Embedded) =>
  async <Value>(method: string, path: string, json?: unknown): Promise<Value> => {
    const response = await service.fetch(
      new Request(`${service.baseUrl}/manage/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${service.managementToken}`, "content-type": "application/json" },
        ...(json === undefined ? {} : { body: JSON.stringify(json) })
      })
    )
    expect(response.ok).toBe(true)
    return ((await response.json()) as { value: Value }).value
  }

describe("the embedded harness", () => {
  it("plays the campaign that the documentation shows", async () => {
    const body = blockWith("testing", "ts", "management.campaigns")
    const Body = Object.getPrototypeOf(async () => undefined).constructor as FunctionConstructor
    // Node only strips types, so `using` and non-null assertions are removed here.
    const script = body
      .replace("await using service = await start(", "const service = await start(")
      .replaceAll("]!.", "].")
    const services: Array<Embedded> = []
    const opened = async (...args: Parameters<typeof start>) => {
      const service = await start(...args)
      services.push(service)
      return service
    }
    try {
      await new Body("start", "createClient", "assert", script)(opened, createClient, assert)
    } finally {
      for (const service of services) await service.close()
    }
  })

  it("listens on a port where it is asked to, and serves the dashboard there", async () => {
    await ensureDashboard()
    await using service = await start({ port: 0 })
    expect(service.baseUrl).toMatch(/^http:\/\/localhost:\d+$/)
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(service.baseUrl + path, { headers, redirect: "manual" })
    const page = await get("/app/people?status=Sent")
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
        "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    const [script] = /\/app\/assets\/[\w.-]+\.js/.exec(await page.text())!
    for (const coding of ["br", "gzip"]) {
      const file = await get(script, { "accept-encoding": coding })
      expect([file.headers.get("content-encoding"), file.headers.get("cache-control")]).toEqual([
        coding,
        "public, max-age=31536000, immutable"
      ])
      expect(await file.text()).toContain("createElement")
    }
    const plain = await get(script, { "accept-encoding": "identity" })
    expect([plain.status, plain.headers.get("content-encoding")]).toEqual([200, null])
    const moved = await get("/app")
    expect([
      moved.status,
      new URL(moved.headers.get("location")!, `${service.baseUrl}/app`).pathname
    ]).toEqual([308, "/app/"])
    const { cookie } = await service.signIn()
    expect((await get("/manage/v1/session", { cookie })).status).toBe(200)
    const lost = ["/app/assets/none.js", "/app/assets/..%2f..%2fpackage.json", "/app/%2e%2e/package.json"]
    const statuses = await Promise.all(lost.map(async (path) => (await get(path)).status))
    expect(statuses).toEqual([404, 404, 404])
  })

  it("has a sandbox account that sends, and a live one whose email waits for a domain", () =>
    withService(async (service) => {
      expect(await send(service, "a@b.example", service.sandbox.apiKey)).toMatchObject({
        status: "Queued",
        reason: null
      })
      expect(await send(service, "a@b.example", service.live.apiKey)).toMatchObject({
        status: "Queued",
        reason: "sending.no_verified_sender"
      })
    }))

  it("routes mail by relays as a server does, and takes the reports of Amazon SES", async () => {
    const fetched: Array<string> = []
    const confirmed: Array<string> = []
    const sns = Layer.succeed(SnsClient, {
      certificate: (url) => Effect.sync(() => (fetched.push(url), snsCertificate)),
      confirm: (url) => Effect.sync(() => void confirmed.push(url))
    })
    await using service = await start({ replaced: sns })
    const manage = manageOf(service)
    const account = `/accounts/${service.live.accountId}`
    await service.publish("shop.example")
    await manage("PATCH", `${account}/settings`, { defaultSender: { email: "hello@shop.example" } })
    const topicArn = "arn:aws:sns:eu-west-1:123456789012:mail"
    const { feedbackUrl, id } = await manage<{ id: string; feedbackUrl: string }>("POST", "/relays", {
      name: "SES",
      kind: "AmazonSes",
      url: "smtps://user:password@email-smtp.eu-west-1.amazonaws.com",
      shared: true,
      feedback: { topicArn, configurationSet: "all" }
    })
    await manage("PATCH", `${account}/settings`, {
      delivery: { transactional: [`relay:${id}`], marketing: ["Direct"] }
    })
    const { id: email } = await send(service, "jane@people.example", service.live.apiKey)
    await service.settle()
    const [message] = service.outbox()
    expect(message!.relayId).toBe(id)
    const status = async () =>
      (await manage<{ recipients: ReadonlyArray<{ status: string }> }>("GET", `${account}/emails/${email}`))
        .recipients[0]!.status
    expect(await status()).toBe("Accepted")
    const [, reference] = /^Message-ID:\s*<([^>]+)>/im.exec(new TextDecoder().decode(message!.raw))!
    const report = async (body: string) => {
      const response = await service.fetch(new Request(feedbackUrl, { method: "POST", body }))
      return response.status
    }
    const delivered = (messageId: string) =>
      JSON.stringify({
        eventType: "Delivery",
        mail: {
          timestamp: new Date(service.now()).toISOString(),
          messageId: "0102",
          destination: ["jane@people.example"],
          headers: [{ name: "Message-ID", value: `<${messageId}>` }]
        },
        delivery: { recipients: ["jane@people.example"], smtpResponse: "250 ok" }
      })
    const ours = snsBody(topicArn, "Notification", delivered(reference!))
    expect(await report(ours.replace("250 ok", "250 no"))).toBe(401)
    expect(await status()).toBe("Accepted")
    // A message of another topic is signed by SNS too.
    expect(await report(snsBody(`${topicArn}-other`, "Notification", delivered(reference!)))).toBe(200)
    expect(await report(snsBody(`${topicArn}-other`, "SubscriptionConfirmation", "Confirm"))).toBe(200)
    expect([await status(), confirmed]).toEqual(["Accepted", []])
    expect(await report(snsBody(topicArn, "SubscriptionConfirmation", "Confirm"))).toBe(200)
    expect(confirmed).toEqual([expect.stringContaining("Action=ConfirmSubscription")])
    expect(await report(ours)).toBe(200)
    expect(await report(ours)).toBe(200)
    expect(await status()).toBe("Delivered")
    expect(fetched).toEqual([snsCertificateUrl])
  })

  it("gives each message the id that its relay's reports name it by", async () => {
    await using service = await start()
    const manage = manageOf(service)
    const account = `/accounts/${service.live.accountId}`
    await service.publish("shop.example")
    await manage("PATCH", `${account}/settings`, { defaultSender: { email: "hello@shop.example" } })
    const kinds = ["Mailjet", "SparkPost", "Brevo"] as const
    for (const kind of kinds) {
      const relay = await manage<{ id: string; feedbackUrl: string }>("POST", "/relays", {
        name: kind,
        kind,
        url: "smtps://user:password@relay.example.com",
        shared: true,
        feedback: { username: "reports", password: "report-password" }
      })
      const ways = [`relay:${relay.id}`]
      await manage("PATCH", `${account}/settings`, { delivery: { transactional: ways, marketing: ways } })
      const to = `${kind.toLowerCase()}@people.example`
      const { id: email } = await send(service, to, service.live.apiKey)
      await service.settle()
      const [message] = service.outbox()
      expect(message).toMatchObject({ relayId: relay.id, relayMessageId: expect.any(String) })
      const raw = new TextDecoder().decode(message!.raw)
      expect(raw).not.toMatch(/^X-(?:Mailin|MJ|MSYS)-/im)
      const [, messageId] = /^Message-ID:\s*(<[^>]+>)/im.exec(raw)!
      const bounced = {
        Mailjet: {
          event: "bounce",
          email: to,
          Message_GUID: message!.relayMessageId,
          hard_bounce: true,
          error_related_to: "recipient",
          error: "user unknown"
        },
        SparkPost: {
          msys: {
            message_event: {
              type: "bounce",
              bounce_class: "10",
              message_id: message!.relayMessageId,
              raw_rcpt_to: to
            }
          }
        },
        Brevo: { event: "hard_bounce", email: to, "message-id": messageId }
      }
      const reported = await service.fetch(
        new Request(relay.feedbackUrl, {
          method: "POST",
          headers: { authorization: `Basic ${btoa("reports:report-password")}` },
          body: JSON.stringify(bounced[kind])
        })
      )
      expect(reported.status).toBe(200)
      const found = await manage<{ recipients: ReadonlyArray<{ status: string }> }>(
        "GET",
        `${account}/emails/${email}`
      )
      expect([kind, found.recipients[0]!.status]).toEqual([kind, "Bounced"])
    }
  })

  it("takes no relay of a company at an address or a port that is none for mail in public", async () => {
    await using service = await start()
    const add = async (owner: string, url: string) => {
      const response = await service.fetch(
        new Request(`${service.baseUrl}/manage/v1${owner}/relays`, {
          method: "POST",
          headers: { authorization: `Bearer ${service.managementToken}`, "content-type": "application/json" },
          body: JSON.stringify({ name: "Relay", kind: "Smtp", url })
        })
      )
      const text = await response.text()
      expect(text).not.toContain("pass-word")
      const { errors } = JSON.parse(text) as { errors: ReadonlyArray<{ code: string }> }
      return [url, response.status, ...errors.map(({ code }) => code)]
    }
    const { items } = await manageOf(service)<{ items: ReadonlyArray<{ id: string }> }>("GET", "/companies")
    const company = `/companies/${items[0]!.id}`
    const refused = [
      ...[26, 80, 443, 2526, 5432, 65535].map((port) => `smtp://relay.example.com:${port}`),
      "smtp://localhost",
      "smtp://localhost.",
      "smtp://LOCALHOST:25",
      "smtp://relay.localhost",
      "smtp://postgres:587",
      "smtp://relay.internal",
      "smtp://relay.local",
      "smtp://127.0.0.1",
      "smtp://127.0.0.1.",
      "smtp://127.1",
      "smtp://0177.0.0.1",
      "smtp://0x7f.0.0.1",
      "smtp://0x7f000001",
      "smtp://2130706433",
      "smtp://127.0.0.%31",
      "smtp://%6cocalhost",
      "smtp://127%2e0.0.1",
      "smtp://\uff11\uff12\uff17.0.0.1",
      "smtp://10.0.0.8",
      "smtp://169.254.169.254",
      "smtp://192.168.1.1",
      "smtp://100.64.0.1",
      "smtp://0.0.0.0",
      "smtp://255.255.255.255",
      "smtp://[::1]",
      "smtp://[::]",
      "smtp://[::ffff:127.0.0.1]",
      "smtp://[::ffff:7f00:1]",
      "smtp://[64:ff9b::7f00:1]",
      "smtp://[fe80::1]",
      "smtp://[fe80::1%25eth0]",
      "smtp://[fd00::1]",
      "smtp://relay.example.com:25@127.0.0.1",
      "smtp://user:pass-word@relay.example.com@127.0.0.1",
      "smtp://user:pass-word@127.0.0.1#@relay.example.com",
      "smtp://user:pass-word@127.0.0.1/@relay.example.com",
      "smtp://user:pass-word@relay.example.com?verify=false",
      "smtp://user:pass-word@relay.example.com?pool=1&verify=FALSE",
      "smtp://user:pass-word@relay.example.com?verify=true&verify=false",
      "smtp://us%0D%0AEHLO:pass-word@relay.example.com",
      "smtp://user:pass-word%00@relay.example.com",
      "smtp://user:pass-word%E2%80%A8@relay.example.com",
      "smtp://user:pass-word%ff@relay.example.com",
      "file://relay.example.com",
      "smtp:relay.example.com",
      "smtp:///relay.example.com"
    ]
    for (const url of refused) expect(await add(company, url)).toEqual([url, 400, "relays.url_invalid"])
    const taken = [25, 465, 587, 2465, 2525, 2587].map(
      (port) => `smtps://us%3Aer:p%40ss@relay.example.com:${port}`
    )
    for (const url of [...taken, "smtp://[2606:4700:4700::1111]", "smtp://8.8.8.8:25"])
      expect(await add(company, url)).toEqual([url, 201])
    // The operator's own relays may be at any address.
    for (const url of ["smtp://user:word@127.0.0.1:26", "smtp://user:word@relay.example.com?verify=false"])
      expect(await add("", url)).toEqual([url, 201])
  })

  it("shows how much of a relay's mail was never reported on, a day after it was sent", async () => {
    await using service = await start()
    const manage = manageOf(service)
    const account = `/accounts/${service.live.accountId}`
    await service.publish("shop.example")
    await manage("PATCH", `${account}/settings`, { defaultSender: { email: "hello@shop.example" } })
    const { feedbackUrl, id } = await manage<{ id: string; feedbackUrl: string }>("POST", "/relays", {
      name: "Postmark",
      kind: "Postmark",
      url: "smtp://token:word@smtp.postmarkapp.com",
      shared: true,
      feedback: { username: "reports", password: "a-long-random-text" }
    })
    await manage("PATCH", `${account}/settings`, {
      delivery: { transactional: [`relay:${id}`], marketing: null }
    })
    const unreported = async () => {
      const found = await manage<{ unreported: unknown }>("GET", `/relays/${id}`)
      const { items } = await manage<{ items: ReadonlyArray<{ unreported: unknown }> }>("GET", "/relays")
      expect(items[0]!.unreported).toEqual(found.unreported)
      return found.unreported
    }
    for (let index = 0; index < 5; index++)
      await send(service, `person-${index}@people.example`, service.live.apiKey)
    await service.settle()
    await service.advance({ hours: 23 })
    expect(await unreported()).toBeNull()
    await service.advance({ hours: 2 })
    expect(await unreported()).toEqual({ share: 1, messages: 5, isHigh: true })
    const report = async ({ raw, recipient }: ReturnType<Embedded["outbox"]>[number]) => {
      const head = new TextDecoder().decode(raw)
      const response = await service.fetch(
        new Request(feedbackUrl, {
          method: "POST",
          headers: { authorization: `Basic ${btoa("reports:a-long-random-text")}` },
          body: JSON.stringify({
            RecordType: "Delivery",
            MessageID: "00000000-0000-0000-0000-000000000000",
            Recipient: recipient,
            Metadata: { "svc-delivery": /^Message-ID:\s*<([^>]+)>/im.exec(head)![1] }
          })
        })
      )
      expect(response.status).toBe(200)
    }
    const [last, ...others] = service.outbox()
    for (const message of others) await report(message)
    expect(await unreported()).toEqual({ share: 0.2, messages: 5, isHigh: true })
    await report(last!)
    expect(await unreported()).toEqual({ share: 0, messages: 5, isHigh: false })
    await service.advance({ days: 9 })
    expect(await unreported()).toBeNull()
  })

  it("signs in the operator, and new members of the first company, without a password", () =>
    withService(async (service) => {
      const sessionOf = async (cookie: string) => {
        const request = new Request(`${service.baseUrl}/manage/v1/session`, { headers: { cookie } })
        const response = await service.fetch(request)
        return ((await response.json()) as { value: Record<string, unknown> }).value
      }
      for (const again of [1, 2]) {
        const operator = await sessionOf((await service.signIn()).cookie)
        expect([again, operator]).toMatchObject([
          again,
          { operator: true, user: { email: "operator@example.com" }, memberships: [{ role: "Owner" }] }
        ])
      }
      const viewer = await sessionOf((await service.signIn({ role: "Viewer", liveAccess: false })).cookie)
      expect(viewer).toMatchObject({
        operator: false,
        memberships: [{ role: "Viewer", liveAccess: false, rights: { live: [] } }]
      })
    }))

  it("lets a user without a second factor do nothing but add one, where each must have one", async () => {
    const service = await start({ requireTwoFactors: true })
    try {
      const { cookie } = await service.signIn()
      const statusOfRoute = async (path: string) => {
        const response = await service.fetch(new Request(service.baseUrl + path, { headers: { cookie } }))
        return response.status
      }
      expect(await statusOfRoute("/manage/v1/me/totp")).toBe(200)
      expect(await statusOfRoute("/manage/v1/session")).toBe(200)
      expect(await statusOfRoute("/manage/v1/companies")).toBe(403)
    } finally {
      await service.close()
    }
  })

  it(
    "keeps the newest hundred sessions of a user who signs in ten thousand times",
    { timeout: 120_000 },
    () =>
      withService(async (service) => {
        const cookies: Array<string> = []
        for (let index = 0; index < 10_000; index++) cookies.push((await service.signIn()).cookie)
        const ask = async (path: string, cookie: string) =>
          service.fetch(new Request(`${service.baseUrl}/manage/v1${path}`, { headers: { cookie } }))
        const [first, last] = [cookies[0]!, cookies.at(-1)!]
        expect((await ask("/session", first)).status).toBe(401)
        const listed = (await (await ask("/me/sessions", last)).json()) as { value: { totalCount: number } }
        expect(listed.value.totalCount).toBe(100)
        expect((await ask("/session", cookies.at(-100)!)).status).toBe(200)
      })
  )

  it("settles due jobs and lists the inbox, newest first", () =>
    withService(async (service) => {
      const ids = [
        await send(service, "Ada <Ada@Example.org>", service.sandbox.apiKey),
        await send(service, "bob@example.org", service.sandbox.apiKey)
      ].map((email) => email.id)
      await service.settle()
      expect([await statusOf(service, ids[0]!), await statusOf(service, ids[1]!)]).toEqual([
        "Delivered",
        "Delivered"
      ])
      expect(await service.inbox()).toMatchObject([
        { to: "bob@example.org", from: { email: "hello@example.com" }, subject: "Hello" },
        { to: "ada@example.org", from: { email: "hello@example.com" }, subject: "Hello" }
      ])
    }))

  it("knows the programs of its option machines", async () => {
    const service = await start({
      machines: { userAgents: [{ text: "acme-scan", isStart: false, source: "" }] }
    })
    try {
      const call = async (path: string, token: string, body?: object) => {
        const response = await service.fetch(
          new Request(service.baseUrl + path, {
            method: body === undefined ? "GET" : "POST",
            headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
        )
        return ((await response.json()) as { value: { id: string; recipients: ReadonlyArray<object> } }).value
      }
      const { accountId, apiKey } = service.sandbox
      const html = `<a href="https://shop.example/">A</a>`
      const sent = { to: "ada@example.org", subject: "Hello", html, tracking: { clicks: true } }
      const { id } = await call("/api/v1/sending/emails", apiKey, sent)
      await service.advance("10 seconds")
      const [message] = await service.inbox()
      const link = /href="([^"]+)"/.exec(message!.html!)![1]!
      await service.fetch(new Request(link, { headers: { "user-agent": "Mozilla/5.0 (Acme-Scan)" } }))
      // Visits are recorded in the background.
      const shown = await eventually(
        () => call(`/manage/v1/accounts/${accountId}/emails/${id}`, service.managementToken),
        ({ recipients }) => JSON.stringify(recipients).includes(`"rule":"agent"`)
      )
      expect(shown.recipients[0]).toMatchObject({
        visits: { recent: [{ rule: "agent", verdict: "Machine" }] }
      })
    } finally {
      await service.close()
    }
    await expect(
      start({ machines: { networks: [{ network: "x", purpose: "Scanner", on: ["Click"], source: "" }] } })
    ).rejects.toThrow("machines: networks[0]")
  })

  it("moves its clock, and runs the jobs that fall due meanwhile", () =>
    withService(async (service) => {
      const { id } = await send(service, "defer@example.org", service.sandbox.apiKey)
      await service.settle()
      expect(await statusOf(service, id)).toBe("Queued")
      const before = service.now()
      await service.advance("3 days")
      expect(service.now() - before).toBeGreaterThanOrEqual(3 * 86_400_000)
      expect(service.now() - before).toBeLessThan(3 * 86_400_000 + 60_000)
      expect(await statusOf(service, id)).toBe("Delivered")
      const [message] = await service.inbox()
      expect(Date.parse(message!.receivedAt) - before).toBeLessThan(10 * 60_000)
    }))

  it("sends the link that confirms to the address that it is for, though the address changes meanwhile", async () => {
    let meanwhile: (() => Promise<unknown>) | null = null
    const watched = Layer.effect(
      ContactStore,
      Effect.map(ContactStore, (store) =>
        ContactStore.of({
          ...store,
          find: (accountId, keys) =>
            Effect.tap(store.find(accountId, keys), () =>
              Effect.promise(async () => {
                const act = meanwhile
                meanwhile = null
                await act?.()
              })
            )
        })
      )
    ).pipe(Layer.provide(Memory.layer))
    await using service = await start({ store: { ports: Layer.merge(Memory.layer, watched) } })
    const { accountId, apiKey } = service.sandbox
    const svc = createClient({ baseUrl: service.baseUrl, apiKey, fetch: service.fetch })
    const { contact } = await svc.contacts.write({ externalId: "u1", email: "first@people.example" })
    // Runs after the contact has been read once.
    meanwhile = () => svc.contacts.write({ externalId: "u1", email: "second@people.example" })
    await manageOf(service)("POST", `/accounts/${accountId}/contacts/${contact.id}/double-opt-in/email`)
    expect(meanwhile).toBeNull()
    await service.settle()
    const links = (await service.inbox()).map(({ html, to }) => ({
      to,
      link: /href="([^"]+\/c\/[^"]+)"/.exec(html ?? "")![1]!
    }))
    expect(links).toEqual([{ to: "second@people.example", link: expect.any(String) }])
    expect((await service.fetch(new Request(links[0]!.link, { method: "POST" }))).status).toBe(303)
    expect((await svc.contacts.get(contact.id)).consentStatus).toBe("Subscribed")
  })

  it("publishes a domain once, in whatever spelling it is named", () =>
    withService(async (service) => {
      const first = await service.publish("Bücher.example")
      expect(first).toMatchObject({ domain: "xn--bcher-kva.example", status: "Verified" })
      expect((await service.publish(" bücher.example")).id).toBe(first.id)
    }))

  it("shares nothing with another harness", () =>
    withService((service) =>
      withService(async (other) => {
        await send(service, "a@b.example", service.sandbox.apiKey)
        await Promise.all([service.settle(), other.settle()])
        expect(await service.inbox()).toHaveLength(1)
        expect(await other.inbox()).toEqual([])
        expect(other.managementToken).not.toBe(service.managementToken)
      })
    ))

  it("waits in settle for the worker's running jobs", () =>
    withService(async (service) => {
      const headers = {
        authorization: `Bearer ${service.sandbox.apiKey}`,
        "content-type": "application/json"
      }
      for (let ticks = 0; ticks < 9; ticks++) {
        const posts = Array.from({ length: 10 }, async (_, index) => {
          const email = { to: `p${ticks}-${index}@example.org`, subject: "s", text: "t" }
          const url = `${service.baseUrl}/api/v1/sending/emails`
          await service.fetch(new Request(url, { method: "POST", headers, body: JSON.stringify(email) }))
        })
        await Promise.all(posts)
        for (let tick = 0; tick < ticks; tick++) await new Promise((resolve) => setImmediate(resolve))
        await service.settle()
        expect(await service.inbox()).toHaveLength((ticks + 1) * 10)
      }
    }))
})

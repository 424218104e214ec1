/**
 * Tests notifications about mail of live accounts and about receiving servers' reports, and their signatures across restarts.
 *
 * @module
 */
import { mkdtemp, rm } from "node:fs/promises"
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Dns, DnsMissing } from "../../core/ports/Dns.ts"
import { type Embedded, type Options, start } from "../../runtimes/embedded/index.ts"
import { freshDatabase } from "../support/postgres.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import type { EmailSubmission } from "../support/shapes.ts"

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../fixtures/reports/${name}.eml`), "utf8")

interface Domain {
  readonly id: string
  readonly records: ReadonlyArray<{ readonly type: string; readonly name: string; readonly value: string }>
}

/** A DNS with the records of the given domains. */
const makeDns = () => {
  let records: Domain["records"] = []
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  const valuesOf = (name: string, type: string) =>
    Effect.suspend(() => {
      const values = records.filter((record) => record.name === name && record.type === type)
      return values.length === 0 ? missing(name) : Effect.succeed(values.map(({ value }) => value))
    })
  const dns = Dns.of({
    txt: (name) => valuesOf(name, "TXT"),
    mx: (name) =>
      Effect.map(valuesOf(name, "MX"), (values) =>
        values.map((value) => ({ preference: 10, exchange: value.split(" ")[1]! }))
      ),
    addresses: missing
  })
  return { dns, publish: (domain: Domain) => (records = [...records, ...domain.records]) }
}

const callsOf =
  (service: Embedded) =>
  async <Value>(token: string, method: string, path: string, json?: unknown): Promise<Value> => {
    const response = await service.fetch(
      new Request(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(json === undefined ? {} : { body: JSON.stringify(json) })
      })
    )
    return ((await response.json()) as { value: Value }).value
  }

/** A service whose live account sends from `shop.example` and has a webhook. */
const open = async (path: string, options: Options = {}) => {
  const { dns, publish } = makeDns()
  const service = await start({ webhookAllowPrivate: true, ...options, dns })
  const call = callsOf(service)
  const managed = `/manage/v1/accounts/${service.live.accountId}`
  const manage = <Value>(method: string, route: string, json?: unknown) =>
    call<Value>(service.managementToken, method, managed + route, json)
  const domain = await manage<Domain>("POST", "/domains", { domain: "shop.example" })
  publish(domain)
  await manage("POST", `/domains/${domain.id}/verify`)
  const webhook = await manage<{ id: string }>("POST", "/webhooks", { url: receiver.url + path, events: [] })
  const send = async (to: string, more: object = {}): Promise<EmailSubmission> => {
    const email = { from: "Shop <hello@shop.example>", to, subject: "Hello", text: "It works.", ...more }
    const route = "/api/v1/sending/emails"
    const { id } = await call<{ id: string }>(service.live.apiKey, "POST", route, email)
    await service.settle()
    return call(service.live.apiKey, "GET", `${route}/${id}`)
  }
  const returnPathOf = (to: string) => service.outbox().find(({ recipient }) => recipient === to)!.returnPath
  /** The notifications so far and their log, once nothing is due. */
  const notified = async () => {
    await service.settle()
    return receiver
      .received(path)
      .map(({ json: { data, type } }) => `${type} ${data["email"]} ${data["message_id"]}`)
      .toSorted()
  }
  const reasons = () =>
    receiver.received(path).flatMap(({ json: { data } }) => (data["reason"] ? [data["reason"]] : []))
  return { service, manage, webhook, send, returnPathOf, notified, reasons }
}

describe.each(["memory", "pglite"] as const)("mail of live accounts over %s", (store) => {
  it("causes a notification for each recipient, with the id of its delivery", async () => {
    const { send, service, notified } = await open(`/live-${store}`, { store })
    const { recipients } = await send("to@live.example", {
      cc: ["cc@live.example"],
      bcc: ["bcc@live.example"]
    })
    expect(new Set(recipients.map(({ id }) => id)).size).toBe(3)
    expect(await notified()).toEqual(
      recipients
        .flatMap(({ email, id }) => [`email.delivered ${email} ${id}`, `email.sent ${email} ${id}`])
        .toSorted()
    )
    await service.close()
  })

  it("causes one notification of a bounce, however often and concurrently it is reported", async () => {
    const { reasons, returnPathOf, send, service, notified } = await open(`/bounced-${store}`, { store })
    const { id } = await send("jane@example.net")
    const report = () => service.report(returnPathOf("jane@example.net"), fixture("postfix-user-unknown"))
    expect(await Promise.all([report(), report(), report()])).toEqual([true, true, true])
    await service.settle()
    await service.advance("1 day")
    await report()
    const facts = `jane@example.net ${id}`
    expect(await notified()).toEqual([
      `email.bounced ${facts}`,
      `email.delivered ${facts}`,
      `email.sent ${facts}`
    ])
    expect(reasons()).toEqual([expect.stringContaining("5.1.1")])
    await service.close()
  })

  it("causes one notification of a complaint, however often it is reported", async () => {
    const { reasons, returnPathOf, send, service, notified } = await open(`/complained-${store}`, { store })
    const { id } = await send("jane@example.net")
    const complaint = () => service.report(returnPathOf("jane@example.net"), fixture("arf-abuse"))
    expect(await Promise.all([complaint(), complaint(), complaint()])).toEqual([true, true, true])
    await service.settle()
    await service.advance("1 day")
    await complaint()
    const facts = `jane@example.net ${id}`
    expect(await notified()).toEqual([
      `email.complained ${facts}`,
      `email.delivered ${facts}`,
      `email.sent ${facts}`
    ])
    expect(reasons()).toEqual(["abuse"])
    await service.close()
  })

  it("is in no webhook log after the retention of recipients", async () => {
    const { manage, returnPathOf, send, service, notified, webhook } = await open(`/kept-${store}`, { store })
    await manage("PATCH", "/settings", { retentionDays: 1, recipientRetentionDays: 2 })
    await send("jane@example.net")
    const log = () => manage<{ totalCount: number }>("GET", `/webhooks/${webhook.id}/deliveries`)
    const returnPath = returnPathOf("jane@example.net")
    expect(await notified()).toHaveLength(2)
    expect((await log()).totalCount).toBe(2)
    await service.advance("4 days")
    expect((await log()).totalCount).toBe(0)
    await service.report(returnPath, fixture("arf-abuse"))
    expect(await notified()).toHaveLength(2)
    await service.close()
  })
})

describe("a database that is kept", () => {
  const signsAfterRestart = async (path: string, options: Options) => {
    const first = await start({ webhookAllowPrivate: true, ...options })
    const { accountId } = first.sandbox
    const webhooks = `/manage/v1/accounts/${accountId}/webhooks`
    const { id, secret } = await callsOf(first)<{ id: string; secret: string }>(
      first.managementToken,
      "POST",
      webhooks,
      { url: receiver.url + path, events: [] }
    )
    await first.close()
    const second = await start({ webhookAllowPrivate: true, ...options })
    await callsOf(second)(second.managementToken, "POST", `${webhooks}/${id}/test`)
    await second.settle()
    const [notified] = await receiver.awaited(path, 1)
    expect(new StandardWebhook(secret).verify(notified!.body, notified!.headers)).toEqual(notified!.json)
    await second.close()
  }

  it("signs with the same secrets after a restart, with the key in its directory", async () => {
    const directory = await mkdtemp(join(tmpdir(), "svc-"))
    try {
      await signsAfterRestart("/restarted-directory", { store: { directory } })
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it("signs with the same secrets after a restart, with the given key", async () => {
    await signsAfterRestart("/restarted-url", {
      store: { url: await freshDatabase() },
      secretKey: "a secret key of at least 32 characters"
    })
  })
})

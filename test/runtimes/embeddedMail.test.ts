/**
 * Tests the mail of live accounts in the embedded service: where it goes, reports about it, and the DNS and transport that it
 * uses.
 *
 * @module
 */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Dns, DnsMissing } from "../../core/ports/Dns.ts"
import type { OutboundMessage } from "../../core/model/Message.ts"
import { type Embedded, type Options, start } from "../../runtimes/embedded/index.ts"

const report = (name: string): string =>
  readFileSync(join(import.meta.dirname, `../fixtures/reports/${name}.eml`), "utf8")

/** A DNS with records of the test. */
const makeDns = () => {
  const texts = new Map<string, Array<string>>()
  const exchanges = new Map<string, string>()
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  const dns = Dns.of({
    txt: (name) => Effect.suspend(() => (texts.has(name) ? Effect.succeed(texts.get(name)!) : missing(name))),
    mx: (name) =>
      Effect.suspend(() =>
        exchanges.has(name)
          ? Effect.succeed([{ preference: 10, exchange: exchanges.get(name)! }])
          : missing(name)
      ),
    addresses: missing
  })
  const publish = (records: ReadonlyArray<{ type: string; name: string; value: string }>) => {
    for (const { name, type, value } of records) {
      if (type === "MX") exchanges.set(name, value.split(" ")[1]!)
      if (type === "TXT") texts.set(name, [...(texts.get(name) ?? []), value])
    }
  }
  return { dns, publish }
}

/** A service whose live account can send from `shop.example`. */
const startSending = async (options: Options = {}) => {
  const { dns, publish } = makeDns()
  const service = await start({ ...options, dns })
  const request = async (token: string, method: string, path: string, json?: unknown) => {
    const response = await service.fetch(
      new Request(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(json === undefined ? {} : { body: JSON.stringify(json) })
      })
    )
    return ((await response.json()) as { value: never }).value
  }
  const managed = `/manage/v1/accounts/${service.live.accountId}`
  const domain = await request(service.managementToken, "POST", `${managed}/domains`, {
    domain: "shop.example"
  })
  publish((domain as { records: Parameters<typeof publish>[0] }).records)
  await request(service.managementToken, "POST", `${managed}/domains/${(domain as { id: string }).id}/verify`)
  const send = async (to: string): Promise<string> =>
    (
      (await request(service.live.apiKey, "POST", "/api/v1/sending/emails", {
        from: "Shop <hello@shop.example>",
        to,
        subject: "Hello",
        text: "It works."
      })) as { id: string }
    ).id
  const statusOf = async (id: string): Promise<string> =>
    ((await request(service.live.apiKey, "GET", `/api/v1/sending/emails/${id}`)) as { status: string }).status
  return { service, send, statusOf }
}

const closing = async (service: Embedded, work: () => Promise<void>) => {
  try {
    await work()
  } finally {
    await service.close()
  }
}

describe("mail of live accounts in the harness", () => {
  it("is kept in memory, counts as delivered, and can be reported about", async () => {
    const { send, service, statusOf } = await startSending()
    await closing(service, async () => {
      const id = await send("jane@example.net")
      await service.settle()
      expect(await statusOf(id)).toBe("Delivered")
      const [message] = service.outbox()
      expect(message).toMatchObject({ recipient: "jane@example.net", subject: "Hello", submissionId: id })
      expect(Buffer.from(message!.raw).toString("latin1")).toContain("DKIM-Signature:")
      expect(await service.report("somebody@shop.example", report("postfix-user-unknown"))).toBe(false)
      expect(await service.report(message!.returnPath, report("postfix-user-unknown"))).toBe(true)
      expect(await statusOf(id)).toBe("Bounced")
    })
  })

  it("goes to a given transport instead", async () => {
    const carried: Array<OutboundMessage> = []
    const { send, service, statusOf } = await startSending({
      transport: {
        send: (message, pointOfNoReturn) =>
          Effect.map(pointOfNoReturn, () => {
            carried.push(message)
            return { _tag: "Accepted" } as const
          }),
        busyUntil: () => null
      }
    })
    await closing(service, async () => {
      const id = await send("jane@example.net")
      await service.settle()
      expect(await statusOf(id)).toBe("Accepted")
      expect(carried).toHaveLength(1)
      expect(service.outbox()).toEqual([])
    })
  })
})

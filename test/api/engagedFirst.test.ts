/**
 * The order of campaigns while the addresses that they leave from are warmed up: people who opened or clicked come first.
 *
 * @module
 */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Dns, DnsMissing } from "../../core/ports/Dns.ts"
import { start } from "../../runtimes/embedded/index.ts"
import { call } from "../support/client.ts"
import type { Page } from "../support/shapes.ts"

const browser = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
  "accept-language": "en"
}

const address = "198.51.100.7"
const missing = (name: string) => Effect.fail(new DnsMissing({ name }))

/** The mail host has the address, which SPF therefore lists. */
const dns = Dns.of({
  txt: missing,
  mx: missing,
  addresses: (name) => (name === "svc.test" ? Effect.succeed([address]) : missing(name))
})

it.each(["memory", "pglite"] as const)("engaged people get a campaign first, over %s", async (store) => {
  await using service = await start({ store, dns })
  const target = {
    managementToken: service.managementToken,
    fetch: (path: string, init?: RequestInit) => service.fetch(new Request(service.baseUrl + path, init))
  }
  const { accountId, apiKey } = service.live
  const ask = async <Value>(token: string, method: string, path: string, json?: unknown) => {
    const answer = await call<Value>(target, method, path, {
      token,
      ...(json === undefined ? {} : { json })
    })
    expect([path, answer.codes]).toEqual([path, []])
    return answer.value
  }
  const install = <Value>(method: string, path: string, json?: unknown) =>
    ask<Value>(service.managementToken, method, `/manage/v1${path}`, json)
  const manage = <Value>(method: string, path: string, json?: unknown) =>
    install<Value>(method, `/accounts/${accountId}${path}`, json)

  await service.publish("news.example")
  await install("POST", "/pools", { key: "bulk", name: "Bulk" })
  const source = await install<{ id: string }>("POST", "/sources", {
    address,
    pool: "bulk",
    force: true
  })
  const warmUp = (day: number | null) => install("POST", `/sources/${source.id}/warm-up`, { day })
  await manage("PATCH", "/settings", {
    defaultSender: { email: "hello@news.example", name: null },
    pools: { transactional: "default", marketing: "bulk" }
  })

  const emails = Array.from({ length: 6 }, (_, index) => `p${index}@people.example`)
  for (const email of emails)
    await ask(apiKey, "POST", "/api/v1/contacts", { email, consent: { basis: "Customer" } })
  const engaged = emails.slice(4)
  for (const to of engaged)
    await ask(apiKey, "POST", "/api/v1/sending/emails", {
      to,
      subject: "Receipt",
      html: '<p><a href="https://shop.example/">Thank you.</a></p>',
      tracking: { opens: false, clicks: true }
    })
  await service.settle()
  await service.advance("5 minutes")
  for (const { raw } of service.outbox()) {
    const html = new TextDecoder().decode(raw).replaceAll("=\r\n", "").replaceAll("=3D", "=")
    const [, link] = /href="([^"]+)"/.exec(html)!
    const visited = await service.fetch(new Request(link!, { headers: browser, redirect: "manual" }))
    expect(visited.status).toBe(302)
  }

  const { id: segment } = await manage<{ id: string }>("POST", "/segments", {
    name: "People",
    definition: {
      join: "All",
      rules: [{ fieldKey: "email", operator: "EndsWith", value: "@people.example" }]
    }
  })
  /** The addresses in the order in which a campaign took them. */
  const orderOf = async () => {
    const { id } = await manage<{ id: string }>("POST", "/campaigns", {
      name: "News",
      content: { subject: "News", text: "News." },
      audience: { segments: [segment] },
      pace: { emails: 30, per: "Minute" }
    })
    await manage("POST", `/campaigns/${id}/launch`, {})
    await service.settle()
    await service.advance("20 seconds")
    const { items } = await manage<Page<{ email: string; state: string; messageId: string }>>(
      "GET",
      `/campaigns/${id}/recipients`
    )
    expect(items.map(({ state }) => state)).toEqual(emails.map(() => "Submitted"))
    // No machine has the address: the emails would wait for days.
    await manage("POST", `/campaigns/${id}/cancel`, {})
    await service.settle()
    // Ids are in the order of time.
    return items
      .toSorted((one, other) => (one.messageId < other.messageId ? -1 : 1))
      .map(({ email }) => email)
  }
  const first = async () => (await orderOf()).slice(0, 2).toSorted()
  const rest = emails.slice(0, 2)

  // Not warmed up: by age.
  expect(await first()).toEqual(rest)
  await warmUp(1)
  expect(await first()).toEqual(engaged)
  if (store !== "memory") return
  // Forty days later only the plan's second part takes them for engaged.
  await service.advance("40 days")
  await warmUp(14)
  expect(await first()).toEqual(rest)
  await warmUp(15)
  expect(await first()).toEqual(engaged)
  await warmUp(29)
  expect(await first()).toEqual(rest)
})

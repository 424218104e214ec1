/**
 * Tests the order of campaigns during the warm-up of their sources: people who opened or clicked come first.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { partOfRecipient } from "../../core/campaigns/CampaignRules.ts"
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

/** The mail host has the source's address, so SPF authorises it. */
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
  /** The recipients of a campaign to the whole audience, in the order in which they were processed. */
  const sentTo = async (count: number, pace: object | null) => {
    const { id } = await manage<{ id: string }>("POST", "/campaigns", {
      name: "News",
      content: { subject: "News", text: "News." },
      audience: { segments: [segment] },
      pace
    })
    await manage("POST", `/campaigns/${id}/launch`, {})
    await service.settle()
    await service.advance("20 seconds")
    const items: Array<{ contactId: string; email: string; state: string; messageId: string }> = []
    for (let page = 1; items.length < count; page++) {
      const found = await manage<Page<(typeof items)[number]>>(
        "GET",
        `/campaigns/${id}/recipients?pageSize=200&page=${page}`
      )
      expect(found.totalCount).toBe(count)
      items.push(...found.items)
    }
    expect(items.filter(({ state }) => state !== "Submitted")).toEqual([])
    // No machine has the source's address, so the emails would wait for days.
    await manage("POST", `/campaigns/${id}/cancel`, {})
    await service.settle()
    // Ids are in chronological order.
    const sorted = items.toSorted((one, other) => (one.messageId < other.messageId ? -1 : 1))
    return { id, people: sorted }
  }
  const first = async () => {
    const { people } = await sentTo(emails.length, { emails: 30, per: "Minute" })
    return people
      .slice(0, 2)
      .map(({ email }) => email)
      .toSorted()
  }
  const rest = emails.slice(0, 2)

  // Without a warm-up, the order is by age.
  expect(await first()).toEqual(rest)
  await warmUp(1)
  expect(await first()).toEqual(engaged)
  if (store !== "memory") return
  // Forty days later, only the second part of the plan counts them as engaged.
  await service.advance("40 days")
  await warmUp(14)
  expect(await first()).toEqual(rest)
  await warmUp(15)
  expect(await first()).toEqual(engaged)
  await warmUp(29)
  expect(await first()).toEqual(rest)
  // A large rest is divided among workers, once everyone who comes first has got the campaign.
  const others = Array.from({ length: 1_100 }, (_, index) => ({
    email: `other${index}@people.example`,
    consent: { basis: "Customer" }
  }))
  for (const from of [0, 1_000])
    await ask(apiKey, "POST", "/api/v1/contacts/batch", { contacts: others.slice(from, from + 1_000) })
  await warmUp(15)
  const { id, people } = await sentTo(emails.length + others.length, null)
  expect(
    people
      .slice(0, 2)
      .map(({ email }) => email)
      .toSorted()
  ).toEqual(engaged)
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
  const parts = people.map(({ contactId }) => partOfRecipient(sha256, id, contactId))
  const changes = parts.filter((part, index) => index > 0 && part !== parts[index - 1])
  // The first batch consists of all parts: in it, seven of eight people belong to another part than the one before.
  expect(changes.length).toBeLessThan(600)
  expect(changes.length).toBeGreaterThan(300)
})

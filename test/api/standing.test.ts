/**
 * Tests the standing of a live account: a recorded complaint rate holds its marketing email, an operator can lift the hold, and
 * transactional email is never held.
 *
 * @module
 */
import { expect, it } from "vitest"
import { start } from "../../runtimes/embedded/index.ts"

interface Standing {
  readonly state: string
  readonly reasons: ReadonlyArray<object>
  readonly heldUntil: string | null
  readonly rampLimit: number | null
  readonly providers: ReadonlyArray<object>
  readonly rates: ReadonlyArray<object>
  readonly observations: ReadonlyArray<object>
}

interface Answer<Value> {
  readonly status: number
  readonly value: Value
  readonly codes: ReadonlyArray<string>
}

it("the marketing of an account is held by its standing, until an operator lifts the hold", async () => {
  await using service = await start()
  const ask = async <Value>(
    method: string,
    path: string,
    token: string,
    body?: unknown
  ): Promise<Answer<Value>> => {
    const response = await service.fetch(
      new Request(service.baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    const { errors, value } = (await response.json()) as {
      value: Value
      errors: ReadonlyArray<{ code: string }>
    }
    return {
      status: response.status,
      value,
      codes: Array.isArray(errors) ? errors.map(({ code }) => code) : []
    }
  }
  const manage = <Value>(method: string, path: string, body?: unknown) =>
    ask<Value>(method, `/manage/v1/accounts/${service.live.accountId}${path}`, service.managementToken, body)

  await manage("PATCH", "/settings", { defaultSender: { email: "hello@news.example", name: null } })
  await service.publish("news.example")
  const { value: flow } = await manage<{ id: string }>("POST", "/flows", {
    name: "News",
    trigger: { kind: "Event", name: "user.signed_up" },
    steps: [{ id: "offer", kind: "SendEmail", purpose: "Marketing", subject: "Offer", html: "<p>h</p>" }]
  })
  await manage("POST", `/flows/${flow.id}/publish`)

  let people = 0
  /** Starts the flow for a new person, and returns the person's address. */
  const market = async () => {
    const email = `person-${++people}@example.org`
    const contact = { email, consent: { basis: "Subscribed", proof: { text: "Yes, please." } } }
    const events = [{ id: email, name: "user.signed_up", contact }]
    await ask("POST", "/api/v1/events", service.live.apiKey, { events })
    await service.settle()
    return email
  }
  const stateOf = async (email: string) => {
    const { value } = await manage<{
      items: ReadonlyArray<{ recipients: ReadonlyArray<{ status: string; reason: string | null }> }>
    }>("GET", `/emails?q=${encodeURIComponent(email)}`)
    return value.items[0]!.recipients.map(({ reason, status }) => [status, reason])[0]
  }
  const today = () => new Date(service.now()).toISOString().slice(0, 10)
  const observe = (day: string, spamRate: number, more: object = {}) =>
    manage<ReadonlyArray<object>>("POST", "/standing/observations", [
      { provider: "google", domain: "news.example", day, spamRate, ...more }
    ])
  const standing = async () => (await manage<Standing>("GET", "/standing")).value

  // A domain with its records published has everything that large providers require.
  const { value: checks } = await manage<ReadonlyArray<{ check: string; outcome: string }>>(
    "GET",
    "/alignment?domain=news.example"
  )
  expect(checks.map(({ check, outcome }) => `${check} ${outcome}`)).toEqual([
    "Dkim Pass",
    "Spf Pass",
    "Dmarc Pass",
    "Unsubscribe Pass",
    "Mx Warn",
    "Tls Pass"
  ])
  expect((await manage("GET", "/alignment?domain=other.example")).codes).toEqual(["common.not_found"])
  expect((await manage("GET", "/alignment")).status).toBe(400)

  expect(await standing()).toMatchObject({ state: "Good", reasons: [], rates: [], observations: [] })
  const before = await market()
  expect((await stateOf(before))![0]).toBe("Delivered")
  expect((await standing()).rates).toMatchObject([
    { domain: "news.example", provider: "other", stream: "Marketing", handed: 1, delivered: 1 }
  ])

  // A campaign whose window opens in three days waits while the standing changes.
  const { value: segment } = await manage<{ id: string }>("POST", "/segments", {
    name: "All",
    definition: { join: "All", rules: [{ fieldKey: "email", operator: "EndsWith", value: "@example.org" }] }
  })
  const draft = async () => {
    const days = [new Date(service.now() + 3 * 86_400_000).getUTCDay() || 7]
    const { value } = await manage<{ id: string }>("POST", "/campaigns", {
      name: "News",
      content: { subject: "News", text: "News" },
      audience: { segments: [segment.id] },
      window: { from: "00:00", to: "00:01", days }
    })
    return `/campaigns/${value.id}`
  }
  const campaign = await draft()
  expect((await manage("POST", `${campaign}/launch`, {})).codes).toEqual([])
  await service.settle()

  const day = today()
  expect((await observe(day, 0.0009)).status).toBe(201)
  expect((await standing()).state).toBe("Good")
  expect((await observe(day, 0.004)).codes).toEqual(["sending.observation_exists"])
  expect((await observe(day, 0.004, { replace: true })).value).toEqual([
    { provider: "google", domain: "news.example", day, spamRate: 0.004 }
  ])
  for (const wrong of [
    [],
    [{ provider: "google", domain: "news.example", day: "2020-01-01", spamRate: 0 }],
    [{ provider: "google", domain: "news.example", day, spamRate: 1.5 }],
    [{ provider: "nowhere", domain: "news.example", day, spamRate: 0 }],
    [{ provider: "google", domain: "no domain", day, spamRate: 0 }]
  ]) {
    expect((await manage("POST", "/standing/observations", wrong)).status).toBe(400)
  }
  expect(await standing()).toMatchObject({
    state: "Held",
    heldUntil: null,
    providers: [
      { key: "google", name: "Google" },
      { key: "other", name: "Other servers" }
    ],
    reasons: [{ rate: "observed", provider: "google", state: "Held", value: 0.004, threshold: 0.003 }]
  })

  const held = await market()
  expect(await stateOf(held)).toEqual(["Queued", "sending.standing_held"])
  await service.advance("5 minutes")
  expect((await manage("GET", campaign)).value).toMatchObject({
    status: "Paused",
    statusReason: "campaigns.standing"
  })
  const refused = await manage("POST", `${await draft()}/launch`, {})
  expect([refused.status, ...refused.codes]).toEqual([409, "campaigns.standing"])
  await ask("POST", "/api/v1/sending/emails", service.live.apiKey, {
    to: "receipt@example.org",
    subject: "Receipt",
    text: "Thanks."
  })
  await service.settle()
  expect((await stateOf("receipt@example.org"))![0]).toBe("Delivered")

  expect((await manage("POST", "/standing/lift", { reason: " " })).codes).toEqual(["validation.required"])
  expect((await manage("POST", "/standing/lift", {})).status).toBe(400)
  const lifted = await manage<Standing>("POST", "/standing/lift", { reason: "The list was cleaned." })
  expect(lifted.value).toMatchObject({ state: "Good", reasons: [], rampLimit: 1_000 })
  await service.settle()
  expect((await stateOf(held))![0]).toBe("Delivered")
  expect((await manage("POST", "/standing/lift", { reason: "Again." })).codes).toEqual([
    "sending.standing_not_held"
  ])
  const { value: audited } = await manage<{ items: ReadonlyArray<object> }>(
    "GET",
    "/audit-log?action=standing.changed"
  )
  expect(audited.items).toMatchObject([
    { before: { state: "Held" }, after: { state: "Good", reason: "The list was cleaned." } },
    { before: { state: "Good" }, after: { state: "Held" }, actor: { kind: "System" } }
  ])

  // Without the setting nothing is held; with it, marketing email waits for at most three days.
  await service.advance("2 days")
  await manage("PATCH", "/settings", { standingHolds: false })
  await observe(today(), 0.01)
  expect((await standing()).state).toBe("Notice")
  expect((await stateOf(await market()))![0]).toBe("Delivered")
  await manage("PATCH", "/settings", { standingHolds: true })
  expect((await standing()).state).toBe("Held")
  const late = await market()
  await service.advance("71 hours")
  expect(await stateOf(late)).toEqual(["Queued", "sending.standing_held"])
  await service.advance("2 hours")
  await service.settle()
  expect(await stateOf(late)).toEqual(["Failed", "sending.held_too_long"])
})

it("an account's standing counts opens, clicks and unsubscribes in the time of the delivery", async () => {
  await using service = await start()
  const { accountId, apiKey } = service.live
  const ask = async (method: string, path: string, token: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await service.fetch(new Request(service.baseUrl + path, request))
    return ((await response.json()) as { value: unknown }).value
  }
  const manage = (method: string, path: string, body?: object) =>
    ask(method, `/manage/v1/accounts/${accountId}${path}`, service.managementToken, body)
  await manage("PATCH", "/settings", {
    defaultSender: { email: "hello@news.example", name: null },
    tracking: { opens: true, clicks: true }
  })
  await service.publish("news.example")
  const html = `<p>Hello</p><a href="https://shop.example/">Shop</a><a href="{{ unsubscribeUrl }}">Leave</a>`
  const { id } = (await manage("POST", "/flows", {
    name: "News",
    trigger: { kind: "Event", name: "user.signed_up" },
    steps: [{ id: "offer", kind: "SendEmail", purpose: "Marketing", subject: "Offer", html }]
  })) as { id: string }
  await manage("POST", `/flows/${id}/publish`)
  const proof = { basis: "Subscribed", proof: { text: "Yes, please." } }
  const people = ["reader", "scanned", "leaver"].map((name) => `${name}@example.org`)
  await ask("POST", "/api/v1/events", apiKey, {
    events: people.map((email) => ({ id: email, name: "user.signed_up", contact: { email, consent: proof } }))
  })
  await service.settle()
  const urlsOf = (email: string) => {
    const { raw } = service.outbox().find(({ recipient }) => recipient === email)!
    const source = Buffer.from(raw).toString()
    const text = source.replaceAll("=\r\n", "").replaceAll("=3D", "=")
    return {
      pixel: /http[^\s"')]*\/t\/o\/[\w.-]+/.exec(text)![0],
      link: /http[^\s"']*\/t\/c\/[\w.-]+/.exec(text)![0],
      leave: /^List-Unsubscribe: ?<([^>]+)>/im.exec(source.replaceAll("\r\n ", ""))![1]!
    }
  }
  const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0"
  const visit = async (url: string, userAgent = browser) => {
    const headers = { "user-agent": userAgent, "accept-language": "en", "sec-fetch-mode": "navigate" }
    await service.fetch(new Request(url, { headers }))
  }
  const rates = async (days: number) => {
    const { rates: found, sources } = (await manage("GET", `/standing?days=${days}`)) as {
      rates: ReadonlyArray<Record<string, unknown>>
      sources: ReadonlyArray<Record<string, unknown>>
    }
    return { found, sources }
  }

  await service.advance("25 hours")
  await visit(urlsOf("scanned@example.org").pixel, "Mozilla/5.0")
  const counted = async (counts: object) => {
    await expect.poll(async () => (await rates(7)).found, { interval: 10 }).toMatchObject([counts])
  }
  await counted({ openedHuman: 0, openedMachine: 1 })
  // A person visits after the machine, clicks, and visits again.
  for (const email of ["scanned@example.org", "reader@example.org"]) {
    const { link, pixel } = urlsOf(email)
    for (const url of [pixel, link, link]) await visit(url)
  }
  const leave = { method: "POST", body: "List-Unsubscribe=One-Click" }
  for (let times = 0; times < 2; times++) {
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    await service.fetch(new Request(urlsOf("leaver@example.org").leave, { ...leave, headers }))
  }
  await counted({ clickedHuman: 2, unsubscribed: 1 })

  expect((await rates(1)).found).toEqual([])
  const { found, sources } = await rates(7)
  const counts = {
    handed: 3,
    delivered: 3,
    unsubscribed: 1,
    openedHuman: 2,
    openedMachine: 0,
    clickedHuman: 2,
    clickedMachine: 0,
    unsubscribeRate: 1 / 3,
    openRate: 2 / 3,
    clickRate: 2 / 3
  }
  const day = new Date(service.now() - 25 * 3_600_000).toISOString().slice(0, 10)
  expect(found).toMatchObject([
    {
      provider: "other",
      domain: "news.example",
      stream: "Marketing",
      ...counts,
      history: [{ day, handed: 3, delivered: 3, policy: 0, bounced: 0, complained: 0 }]
    }
  ])
  expect(sources).toMatchObject([{ source: null, ...counts }])
})

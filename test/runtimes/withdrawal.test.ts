/**
 * Tests marketing emails of flows and campaigns in flight to a server that replies slowly to DATA: a withdrawal whose call has
 * returned meanwhile applies until the last byte.
 *
 * @module
 */
import { Array as Arrays } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { readArchive, takeArchive } from "../support/archives.ts"
import { call, eventually } from "../support/client.ts"
import { emailStep, flowsOf } from "../support/flows.ts"
import { type Domain, publish } from "../support/liveDomain.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import type { Contact, EmailSubmission, Page } from "../support/shapes.ts"
import { type ScriptServer, startSmtpScript } from "../support/smtpScript.ts"
import { connectStore, storeEvent } from "../support/stores.ts"
import { startProcess, type Target } from "../support/targets.ts"
import { openWorkspace, type TestAccount } from "../support/workspace.ts"

const subscribed = { basis: "Subscribed", proof: { text: "Yes, send me news." } }

/** Posts a form of a hosted page. */
const post = async (target: Target, path: string, form: Record<string, string>) => {
  const response = await target.fetch(path, {
    method: "POST",
    body: new URLSearchParams(form).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
    redirect: "manual"
  })
  return response.status < 400
}

/**
 * A way to withdraw, with the reason of the email that is then held back (null if the email is erased too). Resolves once the
 * call has returned.
 */
type Way = readonly [reason: string | null, withdraw: (contact: Contact) => Promise<boolean>]

/** The ways in which one person can withdraw. */
const withdrawals = async (
  target: Target,
  account: TestAccount,
  topicId: string
): Promise<ReadonlyArray<Way>> => {
  const store = await connectStore(target, account)
  const linksOf = async ({ id }: Contact) =>
    (await account.manage<{ unsubscribe: string; preferences: string }>("POST", `/contacts/${id}/links`))
      .value
  const suppress = async ({ email }: Contact, kind: string) =>
    (await account.manage("POST", "/suppressions", { email, kind })).status < 400
  const job = async (id: string, path: string, states: ReadonlyArray<string>) => {
    const read = async () => {
      const { state, status } = (
        await account.manage<{ state?: string; status?: string }>("GET", `${path}/${id}`)
      ).value
      return state ?? status ?? ""
    }
    return (await eventually(read, (state) => states.includes(state))) === states[0]
  }
  const bulk = async ({ id }: Contact, action: object) => {
    const started = await account.manage<{ id: string }>("POST", "/contacts/bulk", { ids: [id], action })
    return job(started.value.id, "/jobs", ["Done", "Failed"])
  }
  const consent = "sending.gate_consent"
  const unsubscribed = { basis: "Unsubscribed" }
  return [
    [
      consent,
      async ({ id }) => (await account.api("POST", "/contacts", { id, consent: unsubscribed })).status === 200
    ],
    [
      consent,
      async ({ id }) =>
        (await account.api("POST", "/contacts/batch", { contacts: [{ id, consent: unsubscribed }] }))
          .status === 200
    ],
    [
      consent,
      async ({ id }) =>
        (await account.manage("PATCH", `/contacts/${id}`, { consent: unsubscribed })).status === 200
    ],
    [consent, async (contact) => bulk(contact, { kind: "Unsubscribe" })],
    [consent, async (contact) => bulk(contact, { kind: "SetTopic", topic: "news", on: false })],
    [
      consent,
      async (contact) =>
        post(target, (await linksOf(contact)).unsubscribe, { "List-Unsubscribe": "One-Click" })
    ],
    [
      consent,
      async (contact) => post(target, (await linksOf(contact)).preferences, { action: "unsubscribe" })
    ],
    [
      consent,
      async (contact) =>
        post(target, (await linksOf(contact)).preferences, { shown: topicId, action: "save" })
    ],
    [
      consent,
      async ({ id }) =>
        (await account.api("POST", "/contacts", { id, topics: { news: false } })).status === 200
    ],
    // A consent does not hold for an address that its person has left.
    [
      consent,
      async ({ email, id }) =>
        (await account.api("POST", "/contacts", { id, email: `new.${email}` })).status === 200
    ],
    [
      consent,
      async ({ email, id }) => {
        await store.report(storeEvent("subscriber.removed", { email }))
        // The response says that the event is stored; the API shows its effect later.
        const read = async () => (await account.api<Contact>("GET", `/contacts/${id}`)).value.consentStatus
        return (await eventually(read, (status) => status !== "Subscribed")) === "Unsubscribed"
      }
    ],
    [
      consent,
      async ({ email, id }) => {
        const event = { id, name: "person.left", contact: { email, consent: unsubscribed } }
        const taken = await account.api("POST", "/events", { events: [event] })
        const read = async () => (await account.api<Contact>("GET", `/contacts/${id}`)).value.consentStatus
        return (
          taken.status === 200 &&
          (await eventually(read, (status) => status !== "Subscribed")) === "Unsubscribed"
        )
      }
    ],
    [
      consent,
      async ({ email }) => {
        const chosen = new URLSearchParams({ consent: JSON.stringify(unsubscribed) })
        const path = `/manage/v1/accounts/${account.accountId}/imports`
        const started = await call<{ id: string }>(target, "POST", `${path}?${chosen}`, {
          token: target.managementToken,
          body: `email\n${email}\n`,
          headers: { "content-type": "text/csv" }
        })
        return job(started.value.id, "/imports", ["Completed", "Failed"])
      }
    ],
    [
      "sending.gate_complained",
      async ({ email }) => {
        const [header = ""] = await readArchive(target, account.accountId)
        const line = JSON.stringify({
          kind: "suppression",
          email,
          reason: "Complained",
          createdAt: new Date().toISOString()
        })
        const { refused } = await takeArchive(target, account.accountId, [header, line])
        return refused.length === 0
      }
    ],
    ["sending.gate_protected", (contact) => suppress(contact, "Protected")],
    ["sending.gate_complained", (contact) => suppress(contact, "Complained")],
    ["sending.gate_bounced", (contact) => suppress(contact, "Bounced")],
    [null, async ({ id }) => (await account.api("DELETE", `/contacts/${id}`)).status < 400],
    [null, async (contact) => bulk(contact, { kind: "Erase" })]
  ]
}

describe.each<readonly [Runtime, string]>([
  ["node", "memory"],
  ["node", "embedded"],
  ["node", "postgres"],
  ["bun", "postgres"]
])("marketing in flight on %s over %s", (runtime, store) => {
  let target: Target
  let server: ScriptServer
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= target?.stop())
  afterAll(async () => {
    await stop()
    await server?.stop()
  })

  it("keeps back its last byte once a withdrawal is answered", async () => {
    let goOn = () => {}
    const slowly = () => ({
      dataAfter: new Promise<void>((resolve) => {
        goOn = resolve
      })
    })
    server = await startSmtpScript(slowly())
    target = await startProcess(runtime, store === "postgres" ? await freshDatabase() : store, {
      SVC_SMTP_URL: `smtp://127.0.0.1:${server.port}`
    })
    const { live } = await openWorkspace(target, "Withdrawn")
    const domain = (await live.manage<Domain>("POST", "/domains", { domain: "own.example" })).value
    publish(target.dns, domain)
    await live.manage("POST", `/domains/${domain.id}/verify`, {})
    await live.manage("PATCH", "/settings", { defaultSender: { email: "hello@own.example" } })
    const topic = await live.manage<{ id: string }>("POST", "/topics", { key: "news", name: "News" })
    const ways = await withdrawals(target, live, topic.value.id)
    const flows = flowsOf(live)
    await flows.start("news.sent", [emailStep("news", { purpose: "Marketing", topic: "news" })])
    const sendFlow = async (people: ReadonlyArray<Contact>) => {
      for (const { id } of people) await flows.report("news.sent", { id })
    }
    const sendCampaign = async (people: ReadonlyArray<Contact>) => {
      const [{ city }] = people as readonly [Contact]
      const rules = [{ fieldKey: "city", operator: "Equals", value: city }]
      const segment = await live.manage<{ id: string }>("POST", "/segments", {
        name: city,
        definition: { join: "All", rules }
      })
      const campaign = await live.manage<{ id: string }>("POST", "/campaigns", {
        name: city,
        topic: "news",
        content: { subject: "News", html: "<p>News</p>" },
        audience: { segments: [segment.value.id] }
      })
      const launched = await live.manage("POST", `/campaigns/${campaign.value.id}/launch`, {})
      expect([...campaign.codes, ...launched.codes]).toEqual([])
    }
    // A relay accepts ten messages at a time, eight of them from campaigns. One is to the person who stays.
    const rounds = [
      ...Arrays.chunksOf(ways, 9).map((group) => [group, sendFlow] as const),
      ...Arrays.chunksOf(ways, 7).map((group) => [group, sendCampaign] as const)
    ]
    for (const [round, [group, send]] of rounds.entries()) {
      if (round > 0) server.set(slowly())
      const people: Array<Contact> = []
      // The last person stays.
      for (let index = 0; index <= group.length; index++) {
        people.push(await flows.person({ consent: subscribed, city: `City ${round}` }))
      }
      const before = server.commands().length
      await send(people)
      const inFlight = () =>
        server
          .commands()
          .slice(before)
          .filter((line) => line === "DATA").length
      await eventually(
        () => Promise.resolve(inFlight()),
        (count) => count > group.length
      )
      expect(inFlight()).toBe(people.length)
      const answers = await Promise.all(group.map(([, withdraw], index) => withdraw(people[index]!)))
      expect(answers).toEqual(group.map(() => true))
      goOn()
      const states = async () => {
        const { items } = (await live.manage<Page<EmailSubmission>>("GET", "/emails?pageSize=100")).value
        return people.map(({ email }) => {
          const found = items.find(({ recipients }) => recipients[0]!.email === email)?.recipients[0]
          return [found?.status, found?.reason]
        })
      }
      const expected = [
        ...group.map(([reason]) => (reason === null ? [undefined, undefined] : ["Suppressed", reason])),
        ["Sent", null]
      ]
      await eventually(states, (found) => JSON.stringify(found) === JSON.stringify(expected))
      expect(await states()).toEqual(expected)
    }
    await stop()
    expect(await server.settled()).toBe(rounds.length)
  }, 120_000)
})

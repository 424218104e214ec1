/**
 * Marketing in flight to a server that is slow to answer DATA: a withdrawal that was answered meanwhile binds until the
 * last byte.
 *
 * @module
 */
import { afterAll, describe, expect, it } from "vitest"
import { eventually } from "../support/client.ts"
import { emailStep, flowsOf } from "../support/flows.ts"
import { type Domain, publish } from "../support/liveDomain.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { Runtime } from "../support/serverProcess.ts"
import type { Contact, EmailSubmission, Page } from "../support/shapes.ts"
import { type ScriptServer, startSmtpScript } from "../support/smtpScript.ts"
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

/** The ways to withdraw, each with the reason of the email that is kept back; each resolves once it is answered. */
const withdrawals = (target: Target, account: TestAccount, topicId: string) => {
  const linksOf = async ({ id }: Contact) =>
    (await account.manage<{ unsubscribe: string; preferences: string }>("POST", `/contacts/${id}/links`))
      .value
  const suppress = async ({ email }: Contact, kind: string) =>
    (await account.manage("POST", "/suppressions", { email, kind })).status < 400
  return [
    [
      "sending.gate_consent",
      async ({ id }: Contact) =>
        (await account.api("POST", "/contacts", { id, consent: { basis: "Unsubscribed" } })).status === 200
    ],
    [
      "sending.gate_consent",
      async (contact: Contact) =>
        post(target, (await linksOf(contact)).unsubscribe, { "List-Unsubscribe": "One-Click" })
    ],
    [
      "sending.gate_consent",
      async (contact: Contact) =>
        post(target, (await linksOf(contact)).preferences, { action: "unsubscribe" })
    ],
    [
      "sending.gate_consent",
      async (contact: Contact) =>
        post(target, (await linksOf(contact)).preferences, { shown: topicId, action: "save" })
    ],
    [
      "sending.gate_consent",
      async ({ id }: Contact) =>
        (await account.api("POST", "/contacts", { id, topics: { news: false } })).status === 200
    ],
    ["sending.gate_protected", (contact: Contact) => suppress(contact, "Protected")],
    ["sending.gate_complained", (contact: Contact) => suppress(contact, "Complained")]
  ] as const
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
    let answerData = () => {}
    const dataAfter = new Promise<void>((resolve) => {
      answerData = resolve
    })
    server = await startSmtpScript({ dataAfter })
    target = await startProcess(runtime, store === "postgres" ? await freshDatabase() : store, {
      SVC_SMTP_URL: `smtp://127.0.0.1:${server.port}`
    })
    const { live } = await openWorkspace(target, "Withdrawn")
    const domain = (await live.manage<Domain>("POST", "/domains", { domain: "own.example" })).value
    publish(target.dns, domain)
    await live.manage("POST", `/domains/${domain.id}/verify`, {})
    await live.manage("PATCH", "/settings", { defaultSender: { email: "hello@own.example" } })
    const topic = await live.manage<{ id: string }>("POST", "/topics", { key: "news", name: "News" })
    const flows = flowsOf(live)
    await flows.start("news.sent", [emailStep("news", { purpose: "Marketing", topic: "news" })])
    const ways = withdrawals(target, live, topic.value.id)
    const people: Array<Contact> = []
    // The last one stays.
    for (let index = 0; index <= ways.length; index++) {
      const person = await flows.person({ consent: subscribed })
      people.push(person)
      await flows.report("news.sent", { id: person.id })
    }
    const inFlight = () => server.commands().filter((line) => line === "DATA").length
    await eventually(
      () => Promise.resolve(inFlight()),
      (count) => count > ways.length
    )
    expect(inFlight()).toBe(people.length)
    const answers = await Promise.all(ways.map(([, withdraw], index) => withdraw(people[index]!)))
    expect(answers).toEqual(ways.map(() => true))
    answerData()
    const states = async () => {
      const { items } = (await live.manage<Page<EmailSubmission>>("GET", "/emails?pageSize=100")).value
      return people.map(({ email }) => {
        const found = items.find(({ recipients }) => recipients[0]!.email === email)?.recipients[0]
        return [found?.status, found?.reason]
      })
    }
    const expected = [...ways.map(([reason]) => ["Suppressed", reason]), ["Sent", null]]
    await eventually(states, (found) => JSON.stringify(found) === JSON.stringify(expected))
    expect(await states()).toEqual(expected)
    await stop()
    expect(await server.settled()).toBe(1)
  })
})

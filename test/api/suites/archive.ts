/**
 * Tests archives of accounts: an import restores what was exported, is idempotent, and merges with existing data
 * (docs/contributing/management-api.md A/export and A/import).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { readArchive, takeArchive } from "../../support/archives.ts"
import { eventually } from "../../support/client.ts"
import { emailStep, type Flow, flowsOf } from "../../support/flows.ts"
import { connectStore, storeEvent } from "../../support/stores.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount } from "../../support/workspace.ts"

const proof = {
  text: "Yes, send me the newsletter 漢字",
  textVersion: "2",
  locale: "de",
  ipAddress: "192.0.2.7"
}

interface Written {
  readonly contact: { readonly id: string; readonly consentStatus: string }
}

/** A flow that was edited since it was published, a draft, and an archived flow. */
const fillFlows = async (account: TestAccount, templateId: string) => {
  const flows = flowsOf(account)
  const marketing = { purpose: "Marketing", topic: "news", templateId, subject: null, html: null }
  const filter = { join: "All", rules: [{ fieldKey: "event.plan", operator: "Equals", value: "pro" }] }
  const wait = (duration: string) => ({ id: "wait", kind: "Wait", duration })
  const known = await flows.start("signup.completed", [wait("PT1M"), emailStep("hello", marketing)], {
    name: "Welcome",
    stopEvents: [{ name: "order.placed", filter }]
  })
  await account.manage("PUT", `/flows/${known.id}`, {
    name: "Welcome, later",
    trigger: { kind: "Event", name: "signup.completed" },
    steps: [emailStep("hello", marketing), wait("P2D"), { id: "end", kind: "Exit" }]
  })
  await account.manage("POST", `/flows/${known.id}/trigger-token`)
  await flows.create({ name: "Draft", trigger: { kind: "Api" }, steps: [wait("P1D")] })
  const old = await flows.create({ name: "Old", trigger: { kind: "Api" } })
  await account.manage("POST", `/flows/${old.value.id}/archive`)
}

/** Fills an account with everything that an archive contains. */
const fillAccount = async (target: Target, account: TestAccount) => {
  await account.manage("PATCH", "/settings", { retentionDays: 12, autoCreateAttributes: true })
  await account.manage("POST", "/topics", { key: "news", name: "News", description: "All of it" })
  const old = await account.manage<{ id: string }>("POST", "/topics", {
    key: "old",
    name: "Old",
    defaultOn: false
  })
  await account.api("POST", "/contact-attributes", {
    key: "plan",
    type: "Text",
    description: "What they pay for"
  })
  const definition = {
    join: "All",
    rules: [{ fieldKey: "attributes.plan", operator: "Equals", value: "pro" }]
  }
  await account.manage("POST", "/segments", { name: "Pro", definition })
  const template = await account.manage<{ id: string }>("POST", "/templates", {
    name: "Hi",
    subject: "Hi {{ name }}",
    html: "<mjml><mj-body></mj-body></mjml>"
  })
  await fillFlows(account, template.value.id)
  await account.manage("POST", "/webhooks", { url: "http://127.0.0.1:9/hook", events: ["email.delivered"] })
  const ids: Array<string> = []
  for (const [index, consent] of [
    { basis: "Subscribed", proof },
    { basis: "Customer" },
    undefined
  ].entries()) {
    const { value } = await account.api<Written>("POST", "/contacts", {
      email: `person${index}@example.org`,
      externalId: `user ${index}`,
      firstName: "Zoë",
      attributes: { plan: "pro", score: index },
      topics: { news: true, old: index === 1 },
      ...(consent === undefined ? {} : { consent })
    })
    ids.push(value.contact.id)
  }
  await account.manage("PATCH", `/topics/${old.value.id}`, { isArchived: true })
  await account.api("POST", "/contacts", { id: ids[0], consent: { basis: "Unsubscribed" } })
  await account.api("POST", "/contacts", { id: ids[0], consent: { basis: "Subscribed", proof } })
  await account.api("POST", "/contacts", { id: ids[1], email: "moved@example.org" })
  await account.manage("POST", "/suppressions", { email: "person2@example.org", kind: "Complained" })
  await account.manage("POST", "/suppressions", { email: "vip@example.org", kind: "Protected" })
  await account.api("POST", "/items", {
    id: "sku/1",
    name: "Shoe",
    price: 89.9,
    currency: "EUR",
    categories: ["A"]
  })
  const store = await connectStore(target, account, { consentMode: "Notice", currency: "EUR" })
  await store.report(
    storeEvent("customer.upserted", { id: "c1", email: "buyer@example.org", firstName: "Bo", tags: ["vip"] })
  )
  return ids
}

export const archiveSuite = (target: () => Target) =>
  describe("archives", () => {
    let from: TestAccount
    let ids: ReadonlyArray<string>
    let archive: ReadonlyArray<string>

    const open = async (name: string) => (await openWorkspace(target(), name)).sandbox
    const read = (account: TestAccount) => readArchive(target(), account.accountId)
    const take = (account: TestAccount, lines: ReadonlyArray<string>) =>
      takeArchive(target(), account.accountId, lines)
    const data = (lines: ReadonlyArray<string>) => lines.slice(1).toSorted()
    /** The data expected after an import: flows are inactive until they are published. */
    const taken = (lines: ReadonlyArray<string>) =>
      data(lines.map((line) => line.replace(`"status":"Published"`, `"status":"Paused"`)))

    beforeAll(async () => {
      from = await open("Archive source")
      ids = await fillAccount(target(), from)
      archive = await eventually(
        () => read(from),
        (lines) => lines.some((line) => line.includes("buyer@example.org"))
      )
    })

    it("begin with a header, and contain lines of every kind", () => {
      expect(JSON.parse(archive[0]!)).toMatchObject({
        kind: "header",
        format: "svc-account",
        version: 1,
        accountId: from.accountId,
        mode: "Sandbox"
      })
      const kinds = new Set(archive.map((line) => (JSON.parse(line) as { kind: string }).kind))
      expect([...kinds]).toEqual([
        "header",
        "settings",
        "topic",
        "field",
        "segment",
        "store",
        "template",
        "flow",
        "webhook",
        "suppression",
        "contact",
        "item"
      ])
      const text = archive.join("\n")
      for (const secret of ["whsec_", "tokenHash", "sealed", "svc_"]) expect(text).not.toContain(secret)
    })

    it("carry consent with every proof and all of the history", () => {
      const ada = archive
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .find(({ id }) => id === ids[0])
      expect(ada).toMatchObject({
        consent: {
          status: "Subscribed",
          proof,
          history: [
            { from: null, to: "Subscribed", basis: "Subscribed", proof },
            { from: "Subscribed", to: "Unsubscribed", basis: "Unsubscribed", proof: null },
            { from: "Unsubscribed", to: "Subscribed", basis: "Subscribed", proof }
          ]
        },
        topics: { news: true, old: false },
        attributes: { plan: "pro", score: 0 }
      })
    })

    it("restore an empty account, and change nothing the second time", async () => {
      const to = await open("Archive copy")
      const first = await take(to, archive)
      expect(first.refused).toEqual([])
      expect(first.counts["contact"]).toEqual({ added: 4, changed: 0, unchanged: 0, refused: 0 })
      expect(first.counts["settings"]).toMatchObject({ changed: 1 })
      expect(data(await read(to))).toEqual(taken(archive))
      const again = await take(to, archive)
      expect(again.refused).toEqual([])
      for (const [kind, counts] of Object.entries(again.counts)) {
        expect([kind, counts]).toEqual([kind, { ...counts, added: 0, changed: 0, refused: 0 }])
      }
      expect(data(await read(to))).toEqual(taken(archive))
      const shown = await to.api<{ contact: object }>("GET", `/contacts/${ids[0]!}`)
      expect(shown.status).toBe(200)
    })

    it("restore flows, inactive until they are published, with what they refer to", async () => {
      const to = await open("Archive flows")
      expect((await take(to, archive)).counts["flow"]).toMatchObject({ added: 3, refused: 0 })
      const flows = flowsOf(to)
      const listed = await to.manage<{ items: ReadonlyArray<Flow> }>("GET", "/flows")
      const byName = new Map(listed.value.items.map((flow) => [flow.name, flow]))
      const shown = ["Welcome, later", "Draft", "Old"].map((name) => byName.get(name)!)
      expect(shown.map((flow) => [flow.status, flow.version, flow.hasTriggerToken])).toEqual([
        ["Paused", 1, false],
        ["Draft", 0, false],
        ["Archived", 0, false]
      ])
      const [{ id }] = shown as [Flow]
      await flows.report("signup.completed", { id: ids[0] })
      expect((await flows.publish(id)).version).toBe(2)
      await flows.report("signup.completed", { id: ids[0] })
      const run = await flows.runIn(id, "Active", "wait")
      expect([run.version, flows.outcomes(run)[0]]).toEqual([2, "hello sent"])
    })

    it("update an older flow, but not a published or archived one", async () => {
      const to = await open("Archive flow merge")
      await take(to, archive)
      const flows = flowsOf(to)
      const lines = archive
        .map((line) => JSON.parse(line) as { kind: string; id: string; name: string; status: string })
        .filter(({ kind }) => kind === "flow")
      const one = (name: string) => lines.find((line) => line.name === name)!
      const changed = { ...one("Draft"), name: "Draft 2", updatedAt: "2090-01-01T00:00:00Z" }
      await flows.publish(changed.id)
      const late = { ...one("Old"), name: "Old 2", updatedAt: "2090-01-01T00:00:00Z" }
      const first = await take(to, [archive[0]!, JSON.stringify(changed), JSON.stringify(late)])
      expect(first.counts["flow"]).toEqual({ added: 0, changed: 1, unchanged: 0, refused: 1 })
      expect(first.refused[0]!.errors[0]!.code).toBe("automation.flow_archived")
      expect((await to.manage<Flow>("GET", `/flows/${changed.id}`)).value).toMatchObject({
        name: "Draft 2",
        status: "Published",
        version: 1
      })
      const again = await take(to, [archive[0]!, JSON.stringify(changed)])
      expect(again.counts["flow"]).toEqual({ added: 0, changed: 0, unchanged: 1, refused: 0 })
    })

    it("change nothing in the account they were exported from", async () => {
      const { counts, refused } = await take(from, archive)
      expect(refused).toEqual([])
      expect(Object.values(counts).every(({ added, changed }) => added + changed === 0)).toBe(true)
      expect(data(await read(from))).toEqual(data(archive))
    })

    it("merge with an existing person: the later consent wins, and no proof is lost", async () => {
      const to = await open("Archive merge")
      await to.api("POST", "/contacts", { email: "moved@example.org", lastName: "Kept", firstName: "Old" })
      const known = await to.api<Written>("POST", "/contacts", {
        email: "person0@example.org",
        consent: { basis: "Unsubscribed" }
      })
      const { counts } = await take(to, archive)
      expect(counts["contact"]).toEqual({ added: 2, changed: 2, unchanged: 0, refused: 0 })
      const moved = await to.api("GET", "/contacts/email:moved@example.org")
      expect(moved.value).toMatchObject({ lastName: "Kept", firstName: "Zoë" })
      // Consent withdrawn after the export stays withdrawn, and the archive's history is inserted before that.
      const history = await to.manage<{ items: ReadonlyArray<{ to: string }> }>(
        "GET",
        `/contacts/${known.value.contact.id}/consent-history`
      )
      expect(history.value.items.map((entry) => entry.to)).toEqual([
        "Unsubscribed",
        "Subscribed",
        "Unsubscribed",
        "Subscribed"
      ])
      expect((await to.api("GET", "/contacts/email:person0@example.org")).value).toMatchObject({
        consentStatus: "Unsubscribed"
      })
    })

    it("do not restore erased people, nor the consent of addresses that complained", async () => {
      const to = await open("Archive erased")
      const gone = await to.api<Written>("POST", "/contacts", { email: "person0@example.org" })
      await to.api("DELETE", `/contacts/${gone.value.contact.id}`)
      await to.manage("POST", "/suppressions", { email: "moved@example.org", kind: "Bounced" })
      const { counts, refused } = await take(to, archive)
      expect(counts["contact"]).toEqual({ added: 3, changed: 0, unchanged: 0, refused: 1 })
      expect(refused).toMatchObject([{ kind: "contact", errors: [{ code: "audience.contact_erased" }] }])
      expect((await to.api("GET", "/contacts/email:moved@example.org")).value).toMatchObject({
        consentStatus: "Bounced"
      })
    })

    it("respect the account's contact limit", async () => {
      const to = await open("Archive limit")
      const lines = archive.filter((line) => !line.startsWith(`{"kind":"settings"`))
      await to.manage("PATCH", "/settings", { contactLimit: 2 })
      const { counts, refused } = await take(to, lines)
      expect(counts["contact"]).toEqual({ added: 2, changed: 0, unchanged: 0, refused: 2 })
      expect(refused.map(({ errors }) => errors[0]!.code)).toEqual(
        Array.from({ length: 2 }, () => "audience.contact_limit_reached")
      )
    })

    it("are rejected without a header of a supported version", async () => {
      const path = `/accounts/${from.accountId}/import`
      const headers = { "content-type": "application/x-ndjson" }
      const other = archive[0]!.replace(`"version":1`, `"version":2`)
      for (const body of ["", "{}", "nonsense\n", archive.slice(1).join("\n"), other]) {
        const answer = await manage(target(), "POST", path, { body, headers })
        expect([answer.status, ...answer.codes]).toEqual([400, "archive.header_invalid"])
      }
      const many = [archive[0]!, ...Array.from({ length: 1000 }, () => "{}")].join("\n")
      const answer = await manage(target(), "POST", path, { body: many, headers })
      expect(answer.codes).toEqual(["archive.batch_too_large"])
    })

    it("reject each invalid line by itself, and no line makes the service fail", async () => {
      const to = await open("Archive hostile")
      await take(to, archive)
      const contact = JSON.parse(archive.find((line) => line.startsWith(`{"kind":"contact"`))!) as Record<
        string,
        unknown
      >
      const item = JSON.parse(archive.find((line) => line.startsWith(`{"kind":"item"`))!) as Record<
        string,
        unknown
      >
      const flow = JSON.parse(archive.find((line) => line.startsWith(`{"kind":"flow"`))!) as Record<
        string,
        unknown
      >
      const newFlow = { ...flow, id: to.accountId }
      const hostile = [
        JSON.stringify({ ...newFlow, steps: [{ id: "x", kind: "Dance" }] }),
        JSON.stringify({ ...newFlow, trigger: null }),
        JSON.stringify({ ...newFlow, name: " " }),
        JSON.stringify({
          ...newFlow,
          published: { version: 2 ** 31, trigger: {}, stopEvents: [], steps: [] }
        }),
        JSON.stringify({ ...newFlow, published: { version: 1, trigger: {}, stopEvents: [], steps: [] } }),
        "not json",
        "null",
        "[]",
        `{"kind":"header"}`,
        `{"kind":"constructor"}`,
        JSON.stringify({ ...contact, email: "Not Normal" }),
        JSON.stringify({ ...contact, firstName: "\0" }),
        JSON.stringify({ ...contact, lastName: "\ud800" }),
        JSON.stringify({ ...contact, orderCount: 1e12 }),
        JSON.stringify({ ...contact, totalSpent: "1e9" }),
        JSON.stringify({ ...contact, addedAt: "9999-99-99T00:00:00Z" }),
        JSON.stringify({ ...contact, surprise: true }),
        JSON.stringify({ ...contact, id: "x" }),
        JSON.stringify({
          ...contact,
          attributes: { unknown: 1 },
          email: "new@example.org",
          id: from.accountId
        }),
        JSON.stringify({ ...contact, store: { platform: "Shopify", domain: "x.example" } }),
        JSON.stringify({ ...item, price: "1", currency: "XXX" }),
        JSON.stringify({ ...item, id: "" })
      ]
      const { refused } = await take(to, [archive[0]!, ...hostile])
      expect(refused.map(({ line }) => line)).toEqual(hostile.map((_, index) => index + 2))
      expect(data(await read(to))).toEqual(taken(archive))
    })

    it("are recorded in the audit log, and need the management token", async () => {
      const { value } = await from.manage<{ items: ReadonlyArray<{ action: string }> }>("GET", "/audit-log")
      expect(value.items.map((entry) => entry.action)).toContain("account.exported")
      const path = `/manage/v1/accounts/${from.accountId}/export`
      for (const token of [undefined, from.key]) {
        const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
        expect((await target().fetch(path, { headers })).status).toBe(401)
      }
      for (const after of ["x", "contact:1", "contact:' or 1=1", "template:0", "suppression:\0", "item"]) {
        const answer = await from.manage("GET", `/export?after=${encodeURIComponent(after)}`)
        expect([answer.status, ...answer.codes]).toEqual([400, "validation.format"])
      }
    })
  })

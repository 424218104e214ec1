/**
 * Tests topics: the operator's routes, the customer's list, and contacts' choices (docs/contributing/public-api.md "Segments and
 * topics", docs/contributing/management-api.md "A/topics", docs/contributing/decisions.md 3).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import type { Answer } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import { type ContactWritten, idPattern, type Page } from "../../support/shapes.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Topic {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly isArchived: boolean
}

interface ManagedTopic extends Topic {
  readonly defaultOn: boolean
}

interface AuditEntry {
  readonly actor: { readonly kind: string; readonly id: string | null; readonly name: string | null }
  readonly action: string
  readonly target: { readonly kind: string; readonly id: string; readonly name: string | null }
  readonly before: unknown
  readonly after: unknown
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

const expectRefusal = (answer: Answer<unknown>, status: number, code: string, field: string | null) => {
  expect([answer.status, ...answer.codes]).toEqual([status, code])
  expect(answer.fields).toEqual(field === null ? [] : [field])
}

export const topicsSuite = (target: () => Target) =>
  describe("topics", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Topics")).sandbox
    })
    const freshKey = () => `topic_${++serial}`
    const freshEmail = () => `person${++serial}@topics.example`
    const create = (json: unknown) => account.manage<ManagedTopic>("POST", "/topics", json)
    const change = (id: string, json: unknown) => account.manage<ManagedTopic>("PATCH", `/topics/${id}`, json)
    const list = async () => (await account.api<ReadonlyArray<Topic>>("GET", "/topics")).value
    const choose = (email: string, topics: unknown) =>
      account.api<ContactWritten>("POST", "/contacts", { email, topics })

    it("are created and returned", async () => {
      const key = freshKey()
      const answer = await create({ key: ` ${key} `, name: " News ", description: " Every week. " })
      expect(answer.status).toBe(201)
      const { id, ...rest } = answer.value
      expect(id).toMatch(idPattern)
      expect(rest).toEqual({
        key,
        name: "News",
        description: "Every week.",
        isArchived: false,
        defaultOn: true
      })
      const { defaultOn: _, ...shown } = answer.value
      expect(await list()).toContainEqual(shown)
      expect((await create({ key: freshKey(), name: "Off", defaultOn: false })).value.defaultOn).toBe(false)
    })

    it.each(["", "News", "1a", "a-b", "x".repeat(41)])("reject the key %j", async (key) => {
      expectRefusal(await create({ key, name: "News" }), 400, "topics.key_invalid", "key")
    })

    it.each([
      [{ name: " " }, "validation.required", "name"],
      [{ name: "x".repeat(101) }, "validation.max_length", "name"],
      [{ name: "News", description: "x".repeat(301) }, "validation.max_length", "description"]
    ])("reject %j", async (values, code, field) => {
      expectRefusal(await create({ key: freshKey(), ...values }), 400, code, field)
    })

    it("return problem+json without a key or a name", async () => {
      expect((await create({})).fields).toEqual(["key", "name"])
      expect((await create({})).refusal).not.toBeNull()
    })

    it("reject a key of the account, archived ones included, and accept another account's", async () => {
      const key = freshKey()
      const answers = await Promise.all(Array.from({ length: 6 }, () => create({ key, name: "News" })))
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, ...Array(5).fill(409)])
      const { id } = answers.find((answer) => answer.status === 201)!.value
      await change(id, { isArchived: true })
      expectRefusal(await create({ key, name: "News" }), 409, "topics.exists", "key")
      const { live } = await openWorkspace(target(), "Other topics")
      expect((await live.manage("POST", "/topics", { key, name: "News" })).status).toBe(201)
    })

    it("change what is given, keep the rest, and are recorded in the audit log", async () => {
      const made = (await create({ key: freshKey(), name: "News", description: "Weekly." })).value
      const changed = await change(made.id, { name: " Letters " })
      expect(changed.status).toBe(200)
      expect(changed.value).toEqual({ ...made, name: "Letters" })
      expect((await change(made.id.toUpperCase(), { description: null, name: null })).value).toEqual({
        ...made,
        name: "Letters",
        description: null
      })
      expectRefusal(await change(made.id, { name: "" }), 400, "validation.required", "name")
      expectRefusal(await change(unknownId, { name: "x" }), 404, "common.not_found", null)
      expectRefusal(await change("17", { name: "x" }), 404, "common.not_found", null)
      const log = (await account.manage<Page<AuditEntry>>("GET", "/audit-log")).value.items
      const entries = log.filter((entry) => entry.target.id === made.id).toReversed()
      expect(entries.map((entry) => [entry.actor.name, entry.action])).toEqual([
        ["management", "topic.created"],
        ["management", "topic.changed"],
        ["management", "topic.changed"]
      ])
      expect(entries[1]).toMatchObject({ before: { name: "News" }, after: { name: "Letters" } })
    })

    it("are listed with archived ones to the operator only, newest first and by pages", async () => {
      const { live } = await openWorkspace(target(), "Listed topics")
      const made: Array<ManagedTopic> = []
      for (const key of ["a", "b", "c"]) {
        made.push((await live.manage<ManagedTopic>("POST", "/topics", { key, name: key })).value)
      }
      await live.manage("PATCH", `/topics/${made[1]!.id}`, { isArchived: true })
      const page = (await live.manage<Page<ManagedTopic>>("GET", "/topics?page=1&pageSize=2")).value
      expect(page.items.map((topic) => [topic.key, topic.isArchived])).toEqual([
        ["c", false],
        ["b", true]
      ])
      expect([page.page, page.pageSize, page.totalCount]).toEqual([1, 2, 3])
      const rest = (await live.manage<Page<ManagedTopic>>("GET", "/topics?page=2&pageSize=2")).value
      expect(rest.items.map((topic) => topic.key)).toEqual(["a"])
      const shown = (await live.api<ReadonlyArray<Topic>>("GET", "/topics")).value
      expect(shown.map((topic) => topic.key)).toEqual(["a", "c"])
      await live.manage("PATCH", `/topics/${made[1]!.id}`, { isArchived: false })
      expect((await live.api<ReadonlyArray<Topic>>("GET", "/topics")).value).toHaveLength(3)
    })

    it("are chosen by contacts, by key", async () => {
      const [news, offers] = [freshKey(), freshKey()]
      await create({ key: news, name: "News" })
      await create({ key: offers, name: "Offers" })
      const email = freshEmail()
      expect((await choose(email, { [news]: false, [offers]: true })).status).toBe(201)
      expect((await choose(email, { [news]: true })).status).toBe(200)
      expect((await choose(email, null)).status).toBe(200)
      expect((await choose(email, { [news]: "yes" })).refusal?.errors).toHaveProperty([`topics.${news}`])
    })

    it("are rejected by name if unknown or archived, and nothing is written", async () => {
      const [news, old] = [freshKey(), freshKey()]
      await create({ key: news, name: "News" })
      const { id } = (await create({ key: old, name: "Old" })).value
      await change(id, { isArchived: true })
      const email = freshEmail()
      const answer = await choose(email, { [news]: true, [old]: true, unknown: false })
      expect(answer.status).toBe(400)
      expect(answer.codes).toEqual(["topics.archived", "topics.not_found"])
      expect(answer.fields).toEqual([`topics.${old}`, "topics.unknown"])
      expect((await account.api("GET", `/contacts/email:${email}`)).status).toBe(404)
      await change(id, { isArchived: false })
      expect((await choose(email, { [old]: true })).status).toBe(201)
    })
  })

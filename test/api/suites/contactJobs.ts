/**
 * Tests jobs on many contacts: by ids and by filter, their progress, reports and rights (docs/management-api.md "Jobs on many
 * contacts").
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import type { Contact, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface Job {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly done: number
  readonly total: number | null
  readonly failed: number
  readonly reportUrl: string | null
  readonly createdBy: { readonly kind: string; readonly name: string | null }
  readonly finishedAt: string | null
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

export const contactJobsSuite = (target: () => Target) =>
  describe("jobs on many contacts", () => {
    let workspace: Workspace
    let account: TestAccount
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Contact jobs")
      account = workspace.sandbox
      await account.manage("POST", "/topics", { key: "news", name: "News" })
    })
    /** Creates people of a city whose name filters find. */
    const people = async (city: string, count: number, of = account) => {
      const contacts = Array.from({ length: count }, (_, index) => ({
        email: `p${index}@${city}.example`,
        city,
        language: "de",
        consent: { basis: "Customer" }
      }))
      await of.api("POST", "/contacts/batch", { contacts })
      return (await of.manage<Page<Contact>>("GET", `/contacts?q=${city}&limit=200`)).value.items
    }
    const start = (json: unknown, of = account) => of.manage<Job>("POST", "/contacts/bulk", json)
    const ended = (id: string, of = account) =>
      eventually(
        async () => (await of.manage<Job>("GET", `/jobs/${id}`)).value,
        ({ state }) => state !== "Queued" && state !== "Running"
      )
    const run = async (json: unknown) => ended((await start(json)).value.id)
    const report = (job: Job) => call(target(), "GET", job.reportUrl!, { token: target().managementToken })
    const read = async (id: string) => (await account.api<Contact>("GET", `/contacts/${id}`)).value

    it("act on the contacts of a filter, each once, and count them", async () => {
      const all = await people("linz", 230)
      const outside = (await people("wels", 1))[0]!
      const started = await start({ filter: { q: "linz" }, action: { kind: "AddTag", tag: "vip" } })
      expect(started.status).toBe(202)
      expect(started.value).toMatchObject({
        kind: "AddTag",
        done: 0,
        failed: 0,
        createdBy: { kind: "Token", name: "management" }
      })
      const job = await ended(started.value.id)
      expect(job).toMatchObject({ state: "Done", done: 230, total: 230, failed: 0, reportUrl: null })
      expect(job.finishedAt).not.toBeNull()
      const tagged = await account.manage<Page<Contact>>("GET", "/contacts?tag=vip&count=exact")
      expect(tagged.value.totalCount).toBe(230)
      expect((await read(outside.id)).tags).toBeNull()
      // Contacts that the job has changed no longer match its filter; the remaining ones are still reached.
      const filter = { q: "linz", consentStatus: ["SoftOptIn"] }
      expect(await run({ filter, action: { kind: "Unsubscribe" } })).toMatchObject({
        state: "Done",
        done: 230
      })
      const left = await account.manage<Page<Contact>>(
        "GET",
        "/contacts?q=linz&consentStatus=Unsubscribed&source=Ui&count=exact"
      )
      expect(left.value.totalCount).toBe(230)
      expect(await run({ filter, action: { kind: "Unsubscribe" } })).toMatchObject({ done: 0, total: 0 })
      const ids = all.slice(0, 2).map(({ id }) => id)
      await run({ ids, action: { kind: "RemoveTag", tag: "vip" } })
      expect((await read(ids[0]!)).tags).toEqual([])
    })

    it("set topics, and report contacts that do not exist", async () => {
      const [one, gone] = await people("graz", 2)
      await account.api("DELETE", `/contacts/${gone!.id}`)
      const ids = [one!.id, gone!.id, unknownId, one!.id.toUpperCase()]
      const job = await run({ ids, action: { kind: "SetTopic", topic: "news", on: false } })
      expect(job).toMatchObject({ state: "Done", done: 1, failed: 2, total: 3 })
      const answer = await report(job)
      expect(answer.headers.get("content-type")).toContain("text/csv")
      const lines = answer.text.trim().split("\r\n")
      expect(lines[0]).toBe("contactId,code,message")
      expect(lines.slice(1).map((line) => line.split(",").slice(0, 2))).toEqual(
        expect.arrayContaining([gone!.id, unknownId].map((id) => [id, "common.not_found"]))
      )
      const off = await account.manage<Page<Contact>>("GET", "/contacts?topic=!news")
      expect(off.value.items.map(({ id }) => id)).toContain(one!.id)
    })

    it("export contacts as CSV and NDJSON, without formulas, and without those who were erased", async () => {
      const [first, second] = await people("wien", 2)
      await account.api("POST", "/contact-attributes", { key: "seats", type: "Number" })
      await account.api("POST", "/contacts", {
        id: first!.id,
        firstName: '=1+1"',
        lastName: "＝1+1",
        phone: "+43 1 234",
        attributes: { seats: 3 }
      })
      const csv = await run({ filter: { q: "wien" }, action: { kind: "Export", format: "Csv" } })
      expect(csv).toMatchObject({ kind: "Export", state: "Done", done: 2 })
      const [head, ...lines] = (await report(csv)).text.trim().split("\r\n")
      expect(head).toMatch(/^id,externalId,email,firstName,.*,attributes\.seats,.*topics\.news/)
      const line = lines.find((one) => one.startsWith(first!.id))
      expect(line).toContain(`,"'=1+1""",'＝1+1,`)
      expect(line).toContain(",+43 1 234,")
      const json = await run({
        ids: [first!.id, second!.id],
        action: { kind: "Export", format: "Ndjson" }
      })
      const objects = async () =>
        (await report(json)).text
          .trim()
          .split("\n")
          .map((one) => JSON.parse(one) as { readonly id: string; readonly attributes: unknown })
      expect((await objects()).find(({ id }) => id === first!.id)).toMatchObject({
        email: first!.email,
        attributes: { seats: 3 },
        topics: { news: true }
      })
      await account.api("DELETE", `/contacts/${first!.id}`)
      expect((await objects()).map(({ id }) => id)).toEqual([second!.id])
      expect((await report(csv)).text).not.toContain(first!.email)
      const { items } = (await account.manage<Page<Job>>("GET", "/exports?state=Done")).value
      expect(items.map(({ id }) => id)).toEqual([json.id, csv.id])
      const entries = await account.manage<Page<{ readonly action: string }>>(
        "GET",
        `/audit-log?target=${csv.id}`
      )
      expect(entries.value.items.map(({ action }) => action)).toEqual([
        "job.export_downloaded",
        "job.export_downloaded",
        "job.started"
      ])
    })

    it("erase many people, with an entry of the audit log for each", async () => {
      const all = await people("bregenz", 3)
      const job = await run({ filter: { q: "bregenz" }, action: { kind: "Erase" } })
      expect(job).toMatchObject({ state: "Done", done: 3, total: 3, failed: 0 })
      for (const { id } of all) expect((await account.api("GET", `/contacts/${id}`)).status).toBe(404)
      const entries = await account.manage<Page<unknown>>("GET", "/audit-log?action=contact.erased")
      expect(entries.value.totalCount).toBeGreaterThanOrEqual(3)
    })

    it("are cancelled, once, and belong to their account", async () => {
      const [one] = await people("baden", 1)
      const { id } = (await start({ ids: [one!.id], action: { kind: "AddTag", tag: "x" } })).value
      await ended(id)
      const late = await account.manage("DELETE", `/jobs/${id}`)
      expect([late.status, late.codes]).toEqual([409, ["audience.job_finished"]])
      expect((await workspace.live.manage("GET", `/jobs/${id}`)).status).toBe(404)
      expect((await workspace.live.manage("DELETE", `/jobs/${id}`)).status).toBe(404)
      expect((await account.manage("GET", `/jobs/${unknownId}/report`)).status).toBe(404)
      const { items } = (await account.manage<Page<Job>>("GET", "/jobs?state=Done,Failed&limit=200")).value
      expect(items.map((job) => job.id)).toContain(id)
      // Another account's contact does not exist for this account.
      const strange = await start({ ids: [one!.id], action: { kind: "Erase" } }, workspace.live)
      expect(await ended(strange.value.id, workspace.live)).toMatchObject({ done: 0, failed: 1 })
      expect((await read(one!.id)).tags).toEqual(["x"])
    })

    it("reject what they cannot do", async () => {
      const action = { kind: "Unsubscribe" }
      const cases: ReadonlyArray<readonly [unknown, number, string, string]> = [
        [{ action }, 400, "validation.required", "ids"],
        [{ ids: [], action }, 400, "validation.required", "ids"],
        [{ ids: ["x"], action }, 400, "validation.format", "ids[0]"],
        [{ ids: [unknownId], filter: {}, action }, 400, "validation.format", "filter"],
        [{ ids: Array.from({ length: 1001 }, () => unknownId), action }, 400, "validation.max_length", "ids"],
        [{ filter: { cty: "x" }, action }, 400, "validation.format", "filter.cty"],
        [{ filter: { limit: 5 }, action }, 400, "validation.format", "filter.limit"],
        [{ filter: { tag: { a: 1 } }, action }, 400, "validation.type", "filter.tag"],
        // Empty filters must not result in a job on everyone.
        [{ filter: { segment: [] }, action }, 400, "validation.required", "filter.segment"],
        [{ filter: { tag: " , " }, action }, 400, "validation.required", "filter.tag"],
        [{ filter: { consentStatus: "None" }, action }, 400, "validation.format", "filter.consentStatus"],
        [{ filter: {}, action: { kind: "Explode" } }, 400, "validation.format", "action.kind"],
        [
          { filter: {}, action: { kind: "SetTopic", topic: "none", on: true } },
          400,
          "topics.not_found",
          "action.topic"
        ],
        [
          { filter: {}, action: { kind: "SetTopic", topic: "news" } },
          400,
          "validation.required",
          "action.on"
        ],
        [{ filter: {}, action: { kind: "AddTag", tag: " " } }, 400, "validation.required", "action.tag"],
        [
          { filter: {}, action: { kind: "AddTag", tag: "t".repeat(101) } },
          400,
          "validation.max_length",
          "action.tag"
        ],
        [{ filter: {}, action: { kind: "Export", format: "Xls" } }, 400, "validation.format", "action.format"]
      ]
      for (const [json, status, code, field] of cases) {
        const answer = await start(json)
        expect([json, answer.status, answer.codes, answer.fields]).toEqual([json, status, [code], [field]])
      }
      expect((await start({ filter: { segment: unknownId }, action })).codes).toEqual(["segments.not_found"])
    })

    it("need the right of their action beside that of the route", async () => {
      const [one] = await people("krems", 1)
      const tokenOf = async (rights: ReadonlyArray<string>) =>
        (
          await manage<{ readonly token: string }>(
            target(),
            "POST",
            `/companies/${workspace.companyId}/tokens`,
            { json: { name: "jobs", rights, expiresInDays: null } }
          )
        ).value.token
      const path = `/manage/v1/accounts/${account.accountId}`
      const writer = await tokenOf(["contacts:write", "contacts:read"])
      const needs = [
        [{ kind: "Unsubscribe" }, "consent:write"],
        [{ kind: "SetTopic", topic: "news", on: true }, "consent:write"],
        [{ kind: "Export", format: "Csv" }, "contacts:export"],
        [{ kind: "Erase" }, "contacts:erase"]
      ] as const
      for (const [action, right] of needs) {
        const denied = await call(target(), "POST", `${path}/contacts/bulk`, {
          token: writer,
          json: { ids: [one!.id], action }
        })
        expect([denied.status, denied.codes, denied.envelope?.errors[0]?.details]).toEqual([
          403,
          ["users.right_missing"],
          { right }
        ])
      }
      const allowed = await call(target(), "POST", `${path}/contacts/bulk`, {
        token: writer,
        json: { ids: [one!.id], action: { kind: "AddTag", tag: "ok" } }
      })
      expect(allowed.status).toBe(202)
      const exported = await run({ ids: [one!.id], action: { kind: "Export", format: "Csv" } })
      const download = await call(target(), "GET", exported.reportUrl!, { token: writer })
      expect([download.status, download.envelope?.errors[0]?.details]).toEqual([
        403,
        { right: "contacts:export" }
      ])
    })

    it("keep their reports for seven days", async ({ skip }) => {
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      const [one] = await people("steyr", 1)
      const job = await run({ ids: [one!.id], action: { kind: "Export", format: "Csv" } })
      await advance("6 days")
      expect((await report(job)).text).toContain(one!.email)
      await advance("25 hours")
      expect((await report(job)).status).toBe(404)
      expect((await account.manage<Job>("GET", `/jobs/${job.id}`)).value).toMatchObject({
        state: "Done",
        done: 1,
        reportUrl: null
      })
    })
  })

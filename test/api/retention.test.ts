/**
 * Tests the retention of email (docs/contributing/decisions.md 5), on separate services, because their clocks are advanced by a
 * year.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Options } from "../../runtimes/embedded/index.ts"
import { flowsOf, uniqueName } from "../support/flows.ts"
import { content, mailOf } from "../support/mail.ts"
import { freshDatabase } from "../support/postgres.ts"
import type { EmailDetail, Page } from "../support/shapes.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"

const day = 86_400_000

const retentionSuite = (name: string, options: () => Promise<Options>) =>
  describe(`retention over ${name}`, () => {
    let running: Target
    beforeAll(async () => {
      running = await startEmbedded(await options())
    })
    afterAll(() => running?.stop())
    const target = () => running
    const advance = (time: `${number} ${"days" | "hours"}`) => running.advance!(time)
    const inMillis = (millis: number) => new Date(running.now() + millis).toISOString()

    it("erases the content of emails after 30 days and their recipients after 365", async () => {
      const { sandbox } = await openWorkspace(target(), "Retention")
      const kept = mailOf(sandbox)
      const says = {
        tags: { a: "b" },
        metadata: { c: "d" },
        attachments: [{ filename: "a", contentType: "a/b", content: "YQ==" }]
      }
      const { id } = await kept.send("Ada <ada@retention.example>", { ...says, idempotencyKey: "kept" })
      const scheduled = await kept.send("later@retention.example", { ...says, sendAt: inMillis(29 * day) })
      await kept.settled(id, "Delivered")
      await advance("29 days")
      expect(await kept.read(id)).toMatchObject({ tags: says.tags, metadata: says.metadata })
      await advance("2 days")
      const emptied = await kept.read(id)
      expect(emptied).toMatchObject({ status: "Delivered", tags: {}, metadata: {} })
      expect(emptied.recipients).toMatchObject([{ email: "ada@retention.example", name: "Ada" }])
      const seen = (await sandbox.manage<EmailDetail>("GET", `/emails/${id}`)).value
      expect(seen.subject).toBe("")
      expect(seen.contentErasedAt).not.toBeNull()
      expect(await kept.messagesOf(id)).toEqual([])
      expect((await kept.read(scheduled.id)).status).toBe("Delivered")
      const repeat = await kept.post({ to: "x@b.example", ...content, idempotencyKey: "kept" })
      expect([repeat.status, repeat.value.id]).toEqual([200, id])
      await advance("336 days")
      const nameless = await kept.read(id)
      expect(nameless).toMatchObject({ id, status: "Delivered", tags: {}, metadata: {} })
      expect(nameless.recipients).toMatchObject([{ email: "", name: null, status: "Delivered" }])
      const listed = await sandbox.manage<Page<object>>("GET", "/emails?to=ada@retention.example")
      expect(listed.value.totalCount).toBe(0)
    })

    it("erases the content of an email in time after a longer pause in sending", async () => {
      const { sandbox } = await openWorkspace(target(), "Retention after a pause")
      const kept = mailOf(sandbox)
      const first = await kept.send("ada@pause.example", { tags: { a: "b" } })
      await kept.settled(first.id, "Delivered")
      await advance("40 days")
      expect((await kept.read(first.id)).tags).toEqual({})
      const second = await kept.send("ada@pause.example", { tags: { a: "b" } })
      await kept.settled(second.id, "Delivered")
      await advance("29 days")
      expect((await kept.read(second.id)).tags).toEqual({ a: "b" })
      await advance("2 days")
      expect((await kept.read(second.id)).tags).toEqual({})
    })

    it("prunes runs of flows a year after they ended, or earlier by the settings", async () => {
      const { sandbox } = await openWorkspace(target(), "Retention of runs")
      const flows = flowsOf(sandbox)
      const [ending, lasting] = [uniqueName(), uniqueName()]
      const flow = await flows.start(ending, [{ id: "x", kind: "Exit" }])
      const waits = await flows.start(lasting, [{ id: "w", kind: "Wait", duration: "P366D" }])
      await flows.report(ending, { email: "ada@runs.example" })
      await flows.report(lasting, { email: "ada@runs.example" })
      await flows.runIn(flow.id, "Completed")
      await advance("364 days")
      expect(await flows.runs(flow.id)).toHaveLength(1)
      await advance("2 days")
      expect(await flows.runs(flow.id)).toEqual([])
      expect(await flows.runs(waits.id)).toHaveLength(1)
      await flows.report(ending, { email: "bob@runs.example" })
      await flows.runIn(flow.id, "Completed")
      await advance("8 days")
      expect(await flows.runs(flow.id)).toHaveLength(1)
      await sandbox.manage("PATCH", "/settings", { recipientRetentionDays: 7 })
      await advance("1 hours")
      expect(await flows.runs(flow.id)).toEqual([])
    })

    it("erases earlier by the settings, except what is still to be sent", async () => {
      const { sandbox } = await openWorkspace(target(), "Short retention")
      const kept = mailOf(sandbox)
      const { id } = await kept.send("a@b.example", { tags: { a: "b" } })
      const scheduled = await kept.send("late@b.example", { tags: { a: "b" }, sendAt: inMillis(20 * day) })
      await kept.settled(id, "Delivered")
      await advance("3 days")
      await sandbox.manage("PATCH", "/settings", { retentionDays: 2, recipientRetentionDays: 2 })
      await advance("2 hours")
      expect(await kept.read(id)).toMatchObject({ tags: {}, recipients: [{ email: "" }] })
      expect(await kept.read(scheduled.id)).toMatchObject({ tags: { a: "b" }, status: "Queued" })
      await advance("16 days")
      expect(await kept.read(scheduled.id)).toMatchObject({ tags: { a: "b" }, status: "Queued" })
      await advance("2 days")
      expect(await kept.read(scheduled.id)).toMatchObject({
        status: "Delivered",
        tags: {},
        recipients: [{ email: "" }]
      })
    })
  })

retentionSuite("memory", async () => ({}))
retentionSuite("PGlite", async () => ({ store: "pglite" }))
retentionSuite("Postgres", async () => ({ store: { url: await freshDatabase() } }))

/**
 * Tests scheduled and cancelled email (docs/contributing/decisions.md 5, docs/contributing/management-api.md).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { content, mailOf } from "../../support/mail.ts"
import type { EmailDetail, EmailSubmission } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

export const emailScheduleSuite = (target: () => Target) =>
  describe("email over time", () => {
    let account: TestAccount
    let mail: ReturnType<typeof mailOf>
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Email over time")).sandbox
      mail = mailOf(account)
    })
    const inMillis = (millis: number) => new Date(target().now() + millis).toISOString()

    it("sends a scheduled email at its time", async ({ skip }) => {
      const sendAt = inMillis(2 * 3_600_000)
      const accepted = await mail.send("later@b.example", { sendAt })
      expect(accepted).toMatchObject({ status: "Queued", reason: "sending.scheduled" })
      const scheduled = { status: "Queued", reason: "sending.scheduled", sendAt }
      expect(await mail.read(accepted.id)).toMatchObject(scheduled)
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      await advance("119 minutes")
      expect(await mail.read(accepted.id)).toMatchObject(scheduled)
      expect(await mail.messagesOf(accepted.id)).toEqual([])
      await advance("2 minutes")
      expect(await mail.settled(accepted.id, "Delivered")).toMatchObject({ reason: null, sendAt })
      expect(await mail.messagesOf(accepted.id)).toHaveLength(1)
    })

    it("sends an email scheduled in the past at once", async () => {
      const accepted = await mail.send("past@b.example", { sendAt: "2001-01-01T00:00:00+01:00" })
      expect(accepted).toMatchObject({ status: "Queued", reason: null })
      expect(await mail.settled(accepted.id, "Delivered")).toMatchObject({ sendAt: null })
    })

    it("cancels a scheduled email", async ({ skip }) => {
      const { id } = await mail.send("cancel@b.example", {
        sendAt: inMillis(3_600_000),
        cc: ["cancel2@b.example"]
      })
      const cancelled = await account.manage<EmailSubmission>("POST", `/emails/${id}/cancel`)
      expect(cancelled.status).toBe(200)
      expect(cancelled.value).toMatchObject({ id, status: "Failed", reason: "sending.cancelled" })
      expect(await mail.read(id)).toEqual(cancelled.value)
      const again = await account.manage("POST", `/emails/${id}/cancel`)
      expect(again.status).toBe(409)
      expect(again.codes).toEqual(["sending.email_not_cancellable"])
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      await advance("2 hours")
      expect(await mail.read(id)).toEqual(cancelled.value)
      expect(await mail.messagesOf(id)).toEqual([])
    })

    it("cancels only queued emails of the same account", async () => {
      const delivered = await mail.send("done@b.example")
      await mail.settled(delivered.id, "Delivered")
      expect((await account.manage("POST", `/emails/${delivered.id}/cancel`)).status).toBe(409)
      for (const id of ["01890a5d-ac96-774b-bcce-b302099a8057", "17"]) {
        expect((await account.manage("POST", `/emails/${id}/cancel`)).status).toBe(404)
      }
      const other = (await openWorkspace(target(), "Other cancel")).sandbox
      expect((await other.manage("POST", `/emails/${delivered.id}/cancel`)).status).toBe(404)
      expect((await other.manage("GET", `/emails/${delivered.id}`)).status).toBe(404)
    })

    it("lists an email's attempts to the operator", async () => {
      const { id } = await mail.send("defer@attempts.example", { tags: { a: "b" } })
      await eventually(
        () => mail.read(id),
        (email) => email.reason === "sending.retrying"
      )
      const seen = (await account.manage<EmailDetail>("GET", `/emails/${id}`)).value
      expect(seen).toMatchObject({ id, subject: content.subject, contentErasedAt: null, tags: { a: "b" } })
      expect(seen.recipients).toMatchObject([
        { email: "defer@attempts.example", reason: "sending.retrying", openedAt: null, clickedAt: null }
      ])
      const failed = await account.manage<EmailSubmission>("POST", `/emails/${id}/cancel`)
      expect(failed.value).toMatchObject({ status: "Failed", reason: "sending.cancelled" })
    })
  })

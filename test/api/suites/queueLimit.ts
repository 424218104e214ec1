/**
 * Tests the limit on the emails that an account with a daily limit can queue: ten days of that limit
 * (docs/contributing/decisions.md 5).
 *
 * @module
 */
import { beforeEach, describe, expect, it } from "vitest"
import { flowsOf, emailStep, uniqueName } from "../../support/flows.ts"
import { content } from "../../support/mail.ts"
import { loggedIn } from "../../support/smtpClient.ts"
import type { EmailSubmission } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

export const queueLimitSuite = (target: () => Target) =>
  describe("the queue of an account with a daily limit", () => {
    let account: TestAccount
    let serial = 0
    beforeEach(async () => {
      account = (await openWorkspace(target(), `Queue ${++serial}`)).sandbox
    })
    const limitTo = (dailySendLimit: number | null) =>
      account.manage("PATCH", "/settings", { dailySendLimit })
    const recipients = (count: number) =>
      Array.from({ length: count }, (_, index) => `person${index}@queue.example`)
    const send = (count: number, idempotencyKey?: string) => {
      const [to, ...bcc] = recipients(count)
      const more = idempotencyKey === undefined ? {} : { idempotencyKey }
      return account.api<EmailSubmission>("POST", "/sending/emails", { ...content, to, bcc, ...more })
    }

    it("holds ten days of it, and refuses what does not fit as a whole", async () => {
      await limitTo(1)
      expect((await send(11)).codes).toEqual(["sending.queue_full"])
      expect((await send(6, "first")).status).toBe(201)
      const refused = await send(5)
      expect([refused.status, refused.codes]).toEqual([429, ["sending.queue_full"]])
      expect(refused.headers.get("retry-after")).toBe("3600")
      expect((await send(4)).status).toBe(201)
      expect((await send(1)).codes).toEqual(["sending.queue_full"])
      // A repeat stores nothing.
      const repeated = await send(6, "first")
      expect(repeated.status).toBe(200)
      await limitTo(2)
      expect((await send(1)).status).toBe(201)
      await limitTo(null)
      expect((await send(50)).status).toBe(201)
    })

    it("stores no email to suppressed recipients alone once it is full, and none takes room", async () => {
      await limitTo(1)
      const gone = "gone@queue.example"
      await account.manage("POST", "/suppressions", { email: gone, kind: "Protected" })
      const sendToGone = () =>
        account.api<EmailSubmission>("POST", "/sending/emails", { ...content, to: gone })
      for (let index = 0; index < 12; index++) expect((await sendToGone()).status).toBe(201)
      expect((await send(10)).status).toBe(201)
      expect((await sendToGone()).codes).toEqual(["sending.queue_full"])
    })

    it("takes no more when many calls come at once", async () => {
      await limitTo(3)
      const answers = await Promise.all(Array.from({ length: 40 }, () => send(5)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(6)
      for (const { codes, status } of answers) {
        if (status !== 201) expect(codes).toEqual(["sending.queue_full"])
      }
    })

    it("is refused by SMTP for now", async () => {
      await limitTo(1)
      expect((await send(10)).status).toBe(201)
      const message =
        "From: Suite <suite@mail.example>\r\nTo: ada@example.org\r\nSubject: Hello\r\n\r\nHello.\r\n"
      const client = await loggedIn(target().smtp.tls, account.key)
      try {
        expect(await client.send(["ada@example.org"], message)).toMatch(/^452 4\.3\.1 /)
      } finally {
        client.close()
      }
    })

    it("lets a campaign send an email a day where it is one", async ({ skip }) => {
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      const contacts = recipients(2).map((email) => ({ email, consent: { basis: "Customer" } }))
      await account.api("POST", "/contacts/batch", { contacts })
      const rules = [{ fieldKey: "email", operator: "IsSet" }]
      const segment = { name: "All", definition: { join: "All", rules } }
      const { id } = (await account.manage<{ id: string }>("POST", "/segments", segment)).value
      const letter = { subject: "News", html: "<p>News</p>" }
      const news = { name: "News", content: letter, audience: { segments: [id] } }
      const campaign = (await account.manage<{ id: string }>("POST", "/campaigns", news)).value
      await limitTo(1)
      expect((await account.manage("POST", `/campaigns/${campaign.id}/launch`)).status).toBe(200)
      await advance("3 days")
      const { status } = (await account.manage<{ status: string }>("GET", `/campaigns/${campaign.id}`)).value
      expect(status).toBe("Sent")
    })

    it("makes the emails of flows wait", async ({ skip }) => {
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      const flows = flowsOf(account)
      const name = uniqueName()
      const flow = await flows.start(name, [emailStep("wait")])
      await limitTo(1)
      expect((await send(10)).status).toBe(201)
      const email = `${name}@queue.example`
      await flows.report(name, { email })
      const waiting = await flows.runIn(flow.id, "Active")
      expect(waiting.log).toEqual([])
      await advance("1 minute")
      expect((await flows.runs(flow.id)).map(({ log, status }) => [status, log])).toEqual([["Active", []]])
      await limitTo(null)
      await advance("11 minutes")
      await flows.runIn(flow.id, "Completed")
      expect(await flows.mailTo(email, 1)).toHaveLength(1)
    })
  })

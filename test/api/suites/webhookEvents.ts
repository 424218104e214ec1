/**
 * Tests notifications about emails: to several people, opened, clicked, erased (docs/contributing/public-api.md "Webhooks about
 * email").
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { mailOf } from "../../support/mail.ts"
import { type Receiver, startReceiver } from "../../support/receiver.ts"
import type { ContactWritten, Page } from "../../support/shapes.ts"
import { settled, type Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

const html = `<p><a href="https://shop.example/a?x=1&amp;y=2">A</a><a href="https://shop.example/b">B</a></p>`

export const webhookEventsSuite = (target: () => Target) =>
  describe("webhooks about emails", () => {
    let receiver: Receiver
    let account: TestAccount
    beforeAll(async () => {
      receiver = await startReceiver()
      account = (await openWorkspace(target(), "Webhooks about emails")).sandbox
    })
    afterAll(() => receiver.stop())

    const create = async (path: string, events: ReadonlyArray<string> = []) =>
      (await account.manage<{ id: string }>("POST", "/webhooks", { url: receiver.url + path, events })).value
    const remove = ({ id }: { readonly id: string }) => account.manage("DELETE", `/webhooks/${id}`)
    const contact = async (email: string) =>
      (await account.api<ContactWritten>("POST", "/contacts", { email })).value.contact

    /** Sends an email with links, and returns the URLs of its links and its pixel. */
    const tracked = async (to: string, tracking: object) => {
      const mail = mailOf(account)
      const { id } = await mail.send(to, { html, tracking })
      await mail.settled(id, "Delivered")
      const text = String((await mail.messagesOf(id))[0]!["html"])
      const visit = async (pattern: RegExp) => {
        const path = pattern.exec(text)![1]!.slice(target().baseUrl.length)
        const { status } = await target().fetch(path, { redirect: "manual" })
        expect(status).toBeLessThan(400)
      }
      return {
        id,
        open: () => visit(/<img src="([^"]+)"/),
        clickA: () => visit(/<a href="([^"]+)">A</),
        clickB: () => visit(/<a href="([^"]+)">B</)
      }
    }

    it("report the first open and the first click, with its link, and no other", async () => {
      const path = "/engaged"
      const webhook = await create(path, ["email.opened", "email.clicked"])
      const email = "reader@engaged.example"
      const { id: contactId } = await contact(email)
      const { clickA, clickB, id, open } = await tracked(email, { opens: true, clicks: true })
      const facts = { message_id: id, email, contact_id: contactId }
      await open()
      await open()
      const [opened] = await receiver.awaited(path, 1)
      expect(opened!.json).toMatchObject({ type: "email.opened" })
      expect(opened!.json.data).toEqual(facts)
      await clickA()
      await receiver.awaited(path, 2)
      await Promise.all([clickB(), clickA(), clickB(), open()])
      await settled(target())
      const notified = receiver.received(path)
      expect(notified.map(({ json }) => json.type)).toEqual(["email.opened", "email.clicked"])
      expect(notified[1]!.json.data).toEqual({ ...facts, url: "https://shop.example/a?x=1&y=2" })
      await remove(webhook)
    })

    it("name the campaign of an email, and report that it is sent, or why it paused itself", async () => {
      const { sandbox: own } = await openWorkspace(target(), "Webhooks about campaigns")
      const path = "/campaigns"
      await own.manage("POST", "/webhooks", { url: receiver.url + path, events: [] })
      const contacts = Array.from({ length: 6 }, (_, index) => ({
        email: `p${index}@campaigns.example`,
        city: index < 5 ? "Here" : "There",
        ...(index < 5 ? {} : { countryCode: "JP" }),
        consent: { basis: "Customer" }
      }))
      await own.api("POST", "/contacts/batch", { contacts })
      const launch = async (rule: object, write: object = {}) => {
        const rules = [{ fieldKey: "city", value: "There", ...rule }]
        const segment = await own.manage<{ id: string }>("POST", "/segments", {
          name: JSON.stringify(rule),
          definition: { join: "All", rules }
        })
        const made = await own.manage<{ id: string }>("POST", "/campaigns", {
          name: "News",
          content: { subject: "News", html: "<p>News</p>" },
          audience: { segments: [segment.value.id] },
          ...write
        })
        expect((await own.manage("POST", `/campaigns/${made.value.id}/launch`)).codes).toEqual([])
        return made.value.id
      }
      const event = (type: string, id: string) =>
        eventually(
          async () => {
            const found = receiver
              .received(path)
              .find(({ json }) => json.type === type && json.data["source_id"] === id)
            if (found === undefined) await target().advance?.("1100 millis")
            return found?.json.data
          },
          (data) => data !== undefined
        )
      const sent = await launch({ operator: "Equals" })
      expect(await event("campaign.sent", sent)).toEqual({ source_id: sent })
      const [recipient] = (
        await own.manage<Page<{ messageId: string }>>("GET", `/campaigns/${sent}/recipients`)
      ).value.items
      expect(await event("email.delivered", sent)).toMatchObject({ message_id: recipient!.messageId })
      // This person's zone is nine hours ahead of the others, whose window is open.
      const hour = (ahead: number) =>
        `${new Date(target().now() + ahead * 3_600_000).toISOString().slice(11, 13)}:00`
      const window = { from: hour(-1), to: hour(3) }
      const paused = await launch({ operator: "IsSet", value: null }, { window })
      const mail = mailOf(own)
      const messages = await eventually(
        async () => (await mail.inbox()).filter(({ to }) => !String(to).startsWith("p5@")),
        ({ length }) => length === 5
      )
      for (const { id } of messages) await own.manage("POST", `/inbox/${id}/simulate`, { kind: "Complaint" })
      const reason = "campaigns.complaints"
      expect(await event("campaign.paused", paused)).toEqual({ source_id: paused, reason })
    })

    it("name the visitor to a webhook that asks for it, and to no other", async () => {
      const [asking, plain] = ["/visitor", "/no-visitor"]
      const events = ["email.opened", "email.clicked"]
      const asked = await account.manage<{ readonly id: string; readonly fields: ReadonlyArray<string> }>(
        "POST",
        "/webhooks",
        { url: `${receiver.url}${asking}`, events, fields: ["visitor"] }
      )
      expect(asked.value.fields).toEqual(["visitor"])
      const other = await create(plain, events)
      const { clickA, open } = await tracked("reader@visitor.example", { opens: true, clicks: true })
      await open()
      await receiver.awaited(asking, 1)
      await clickA()
      const named = await receiver.awaited(asking, 2)
      // The test's own requests are classified as a program's.
      expect(named.map(({ json }) => json.data["visitor"])).toEqual(["Machine", "Machine"])
      const unnamed = await receiver.awaited(plain, 2)
      expect(unnamed.map(({ json }) => "visitor" in json.data)).toEqual([false, false])
      const refused = await account.manage("POST", "/webhooks", {
        url: `${receiver.url}/unknown`,
        events,
        fields: ["network"]
      })
      expect(refused.status).toBe(400)
      await remove(asked.value)
      await remove(other)
    })

    it("report a click as an open only where opens are tracked, and the first of many at once", async () => {
      const path = "/clicked"
      const webhook = await create(path, ["email.opened", "email.clicked"])
      const both = await tracked("both@clicked.example", { opens: true, clicks: true })
      const clicks = await tracked("clicks@clicked.example", { opens: false, clicks: true })
      await Promise.all([both, clicks].flatMap(({ clickA, clickB }) => [clickA(), clickB(), clickA()]))
      await receiver.awaited(path, 3)
      await settled(target())
      const notified = receiver.received(path)
      const typesOf = (id: string) =>
        notified
          .filter(({ json }) => json.data["message_id"] === id)
          .map(({ json }) => json.type)
          .toSorted()
      expect([typesOf(both.id), typesOf(clicks.id)]).toEqual([
        ["email.clicked", "email.opened"],
        ["email.clicked"]
      ])
      for (const { json } of notified)
        if (json.type === "email.clicked") expect(json.data["url"]).toMatch(/^https:\/\/shop\.example\//)
      await remove(webhook)
    })

    it("report each recipient of an email with a separate message_id", async () => {
      const path = "/several"
      const webhook = await create(path)
      const mail = mailOf(account)
      const [to, cc, bcc] = ["to@several.example", "cc@several.example", "bounce@several.example"]
      const { id } = await mail.send(to, { cc: [cc], bcc: [bcc] })
      const notified = await receiver.awaited(path, 5)
      const { recipients } = await mail.settled(id, "Mixed")
      const expected = recipients.flatMap((one) =>
        (one.email === bcc ? ["email.bounced"] : ["email.sent", "email.delivered"]).map(
          (type) => `${type} ${one.email} ${one.id}`
        )
      )
      expect(
        notified
          .map(({ json: { data, type } }) => `${type} ${data["email"]} ${data["message_id"]}`)
          .toSorted()
      ).toEqual(expected.toSorted())
      expect(new Set(recipients.map((one) => one.id)).size).toBe(3)
      await remove(webhook)
    })

    it("report nothing about erased people, and delete the log about them", async () => {
      const path = "/erased"
      receiver.answer(path, 500)
      const webhook = await create(path)
      const mail = mailOf(account)
      const email = "ada@erased.example"
      const { id: contactId } = await contact(email)
      const { clickA, id, open } = await tracked(email, { opens: true, clicks: true })
      const other = (await mail.send("bob@erased.example")).id
      await receiver.awaited(path, 4)
      const log = async () =>
        (await account.manage<Page<{ attempt: number }>>("GET", `/webhooks/${webhook.id}/deliveries`)).value
          .items
      await eventually(log, (items) => items.filter(({ attempt }) => attempt === 1).length === 4)
      expect((await account.api("DELETE", `/contacts/${contactId}`)).status).toBe(200)
      expect(await log()).toHaveLength(2)
      await open()
      await clickA()
      await settled(target())
      await target().advance?.("1 day")
      const notified = receiver.received(path).map(({ json }) => json.data["message_id"])
      expect(notified.filter((one) => one === id)).toHaveLength(2)
      if (target().advance !== null) expect(notified.filter((one) => one === other).length).toBeGreaterThan(2)
      await remove(webhook)
    })
  })

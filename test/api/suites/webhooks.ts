/**
 * Tests webhooks: management, notifications, signatures, limits (docs/contributing/public-api.md "Webhooks about email",
 * docs/contributing/management-api.md).
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { mailOf } from "../../support/mail.ts"
import { type Received, type Receiver, startReceiver, verifyWebhook } from "../../support/receiver.ts"
import { dateTimePattern, idPattern, type Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Webhook {
  readonly id: string
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly description: string | null
  readonly status: string
  readonly stoppedReason: string | null
  readonly failuresInARow: number
}

interface IssuedWebhook extends Webhook {
  readonly secret: string
}

interface Delivery {
  readonly notificationId: string
  readonly type: string
  readonly attempt: number
  readonly at: string
  readonly httpStatus: number | null
  readonly error: string | null
  readonly durationMs: number | null
  readonly nextAttemptAt: string | null
  readonly state: string
}

interface Job {
  readonly id: string
  readonly kind: string
  readonly state: string
}

interface Detail {
  readonly attempts: number
  readonly url: string | null
  readonly log: ReadonlyArray<unknown>
}

const missing = "01890000-0000-7000-8000-000000000000"

export const webhooksSuite = (target: () => Target) =>
  describe("webhooks", () => {
    let receiver: Receiver
    let account: TestAccount
    beforeAll(async () => {
      receiver = await startReceiver()
      account = (await openWorkspace(target(), "Webhooks")).sandbox
    })
    afterAll(() => receiver.stop())

    let lastPath = 0
    const newPath = () => `/hook-${++lastPath}`
    const post = (json: unknown, to = account) => to.manage<IssuedWebhook>("POST", "/webhooks", json)
    const create = async (path: string, events: ReadonlyArray<string> = [], to = account) =>
      (await post({ url: receiver.url + path, events }, to)).value
    const remove = (id: string, to = account) => to.manage("DELETE", `/webhooks/${id}`)
    const list = async (to = account) => (await to.manage<Page<Webhook>>("GET", "/webhooks")).value
    const test = (id: string, to = account) =>
      to.manage<{ notificationId: string }>("POST", `/webhooks/${id}/test`)
    const deliveries = async (id: string, query = "", to = account) =>
      (await to.manage<Page<Delivery>>("GET", `/webhooks/${id}/deliveries${query}`)).value
    const types = (some: ReadonlyArray<Received>) => some.map((one) => one.json.type).toSorted()

    const verify = (secret: string, received: Received) => verifyWebhook(secret, received, target().now())

    describe("management", () => {
      it("creates, lists and deletes webhooks", async () => {
        const url = `${receiver.url}${newPath()}?key=1`
        const answer = await post({
          url: ` ${url} `,
          events: ["email.sent", "email.sent"],
          description: "CRM"
        })
        expect(answer.status).toBe(201)
        const { id, secret, ...facts } = answer.value
        expect(id).toMatch(idPattern)
        expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
        expect(facts).toEqual({
          url,
          events: ["email.sent"],
          fields: [],
          description: "CRM",
          status: "Active",
          stoppedReason: null,
          failuresInARow: 0
        })
        expect((await list()).items[0]).toEqual({ id, ...facts })
        const removed = await remove(id)
        expect([removed.status, removed.value]).toEqual([200, null])
        expect((await list()).items.map((webhook) => webhook.id)).not.toContain(id)
        for (const answered of [
          await remove(id),
          await test(id),
          await account.manage("POST", `/webhooks/${id}/rotate-secret`),
          await account.manage("GET", `/webhooks/${id}/deliveries`)
        ]) {
          expect([answered.status, answered.codes]).toEqual([404, ["common.not_found"]])
        }
      })

      it("isolates accounts", async () => {
        const other = (await openWorkspace(target(), "Other webhooks")).sandbox
        const { id } = await create(newPath())
        expect((await list(other)).totalCount).toBe(0)
        expect((await remove(id, other)).status).toBe(404)
        expect((await test(id, other)).status).toBe(404)
        expect((await account.manage("GET", `/webhooks/${missing}/deliveries`)).status).toBe(404)
        expect((await account.manage("GET", "/webhooks/nonsense/deliveries")).status).toBe(404)
        await remove(id)
      })

      it.each([
        ["url", { url: "", events: [] }],
        ["url", { url: "hook", events: [] }],
        ["url", { url: "ftp://hooks.example/", events: [] }],
        ["url", { url: "https://user:word@hooks.example/", events: [] }],
        ["url", { url: "https://user@hooks.example/", events: [] }],
        ["url", { url: `https://hooks.example/${"x".repeat(2048)}`, events: [] }],
        ["url", { url: "https://hooks.example/\u0000", events: [] }],
        ["url", { events: [] }],
        ["events[1]", { url: "https://hooks.example/", events: ["email.sent", "email.lost"] }],
        ["events", { url: "https://hooks.example/" }],
        ["description", { url: "https://hooks.example/", events: [], description: "x".repeat(301) }]
      ])("rejects an invalid %s: %j", async (field, json) => {
        const answer = await post(json)
        expect(answer.status).toBe(400)
        expect(answer.fields).toEqual([field])
      })

      it("allows 20 active ones for an account, also in concurrent calls", async () => {
        const { live } = await openWorkspace(target(), "Many webhooks")
        const answers = await Promise.all(
          Array.from({ length: 26 }, () => post({ url: receiver.url + newPath(), events: [] }, live))
        )
        expect(answers.filter((answer) => answer.status === 201)).toHaveLength(20)
        for (const answer of answers.filter(({ status }) => status !== 201)) {
          expect([answer.status, answer.codes]).toEqual([400, ["webhooks.limit_reached"]])
        }
        expect((await list(live)).totalCount).toBe(20)
        await remove((await list(live)).items[3]!.id, live)
        expect((await post({ url: receiver.url + newPath(), events: [] }, live)).status).toBe(201)
      })

      it("records changes in the audit log, without secrets", async () => {
        const { live } = await openWorkspace(target(), "Audited webhooks")
        const { id, secret } = await create("/audited?token=hidden", [], live)
        const rotated = await live.manage<{ secret: string }>("POST", `/webhooks/${id}/rotate-secret`)
        await test(id, live)
        await remove(id, live)
        const log = await live.manage<Page<{ action: string; target: { id: string } }>>("GET", "/audit-log")
        const entries = log.value.items.filter((entry) => entry.target.id === id)
        expect(entries.map((entry) => entry.action)).toEqual([
          "webhook.deleted",
          "webhook.tested",
          "webhook.secret_rotated",
          "webhook.created"
        ])
        for (const hidden of [secret, rotated.value.secret, "hidden", "whsec_"])
          expect(log.text).not.toContain(hidden)
      })
    })

    describe("notifications", () => {
      it("include signed tests, whatever the webhook's events", async () => {
        const path = newPath()
        const { id, secret } = await create(path, ["email.clicked"])
        const before = target().now()
        const answer = await test(id)
        expect(answer.status).toBe(202)
        const { notificationId } = answer.value
        const [first] = await receiver.awaited(path, 1)
        expect(first).toMatchObject({
          method: "POST",
          headers: { "content-type": "application/json", "webhook-id": notificationId },
          json: { id: notificationId, type: "webhook.test", data: { reason: expect.any(String) } }
        })
        expect(Object.keys(first!.json)).toEqual(["id", "type", "created_at", "data"])
        expect(Object.keys(first!.json.data)).toEqual(["reason"])
        expect(first!.json.created_at).toMatch(dateTimePattern)
        const stamp = Number(first!.headers["webhook-timestamp"])
        expect(stamp).toBeGreaterThanOrEqual(Math.floor(before / 1000))
        expect(stamp).toBeLessThanOrEqual(Math.ceil(target().now() / 1000))
        expect(verify(secret, first!)).toEqual(first!.json)
        expect(() => verify(`whsec_${"A".repeat(43)}=`, first!)).toThrow()
        expect(() => verify(secret, { ...first!, body: `${first!.body} ` })).toThrow()
        const log = await eventually(
          () => deliveries(id),
          (page) => page.items[0]?.state === "Succeeded"
        )
        expect(log).toEqual({
          page: 1,
          pageSize: 50,
          totalCount: 1,
          totalIsExact: true,
          next: null,
          items: [
            {
              notificationId,
              type: "webhook.test",
              attempt: 1,
              at: expect.stringMatching(dateTimePattern),
              httpStatus: 204,
              error: null,
              durationMs: expect.any(Number),
              nextAttemptAt: null,
              state: "Succeeded"
            }
          ]
        })
        await remove(id)
      })

      it("report events of the sandbox's emails, each once", async () => {
        const path = newPath()
        const { id, secret } = await create(path)
        const mail = mailOf(account)
        const contact = await account.api<{ contact: { id: string } }>("POST", "/contacts", {
          email: "known@told.example"
        })
        const known = (await mail.send("known@told.example")).id
        const bounced = (await mail.send("bounce@told.example")).id
        const complained = (await mail.send("complaint@told.example")).id
        const all = await receiver.awaited(path, 6)
        const of = (messageId: string) => all.filter((one) => one.json.data["message_id"] === messageId)
        expect(types(of(known))).toEqual(["email.delivered", "email.sent"])
        expect(types(of(bounced))).toEqual(["email.bounced"])
        expect(types(of(complained))).toEqual(["email.complained", "email.delivered", "email.sent"])
        for (const one of of(known)) {
          expect(one.json.data).toEqual({
            message_id: known,
            email: "known@told.example",
            contact_id: contact.value.contact.id
          })
        }
        expect(of(bounced)[0]!.json.data).toEqual({
          message_id: bounced,
          email: "bounce@told.example",
          reason: expect.stringMatching(/\S/)
        })
        expect(of(complained).find((one) => one.json.type === "email.complained")!.json.data).toMatchObject({
          reason: expect.stringMatching(/\S/)
        })
        for (const one of all) expect(verify(secret, one)).toEqual(one.json)
        expect(new Set(all.map((one) => one.json.id)).size).toBe(6)
        expect((await deliveries(id)).totalCount).toBe(6)
        await remove(id)
      })

      it("report only chosen events", async () => {
        const path = newPath()
        const { id } = await create(path, ["email.delivered", "email.bounced"])
        const mail = mailOf(account)
        for (const to of ["one@chosen.example", "bounce@chosen.example"]) await mail.send(to)
        expect(types(await receiver.awaited(path, 2))).toEqual(["email.bounced", "email.delivered"])
        await remove(id)
      })

      it("are signed with both secrets after a rotation", async () => {
        const path = newPath()
        const { id, secret } = await create(path)
        const rotated = await account.manage<{ secret: string }>("POST", `/webhooks/${id}/rotate-secret`)
        expect(rotated.status).toBe(200)
        expect(rotated.value.secret).toMatch(/^whsec_/)
        expect(rotated.value.secret).not.toBe(secret)
        await test(id)
        const [first] = await receiver.awaited(path, 1)
        expect(first!.headers["webhook-signature"]!.split(" ")).toHaveLength(2)
        verify(secret, first!)
        verify(rotated.value.secret, first!)
        await remove(id)
      })

      it("fail on any status except 2xx; redirects are not followed", async () => {
        const path = newPath()
        const { id } = await create(path)
        const results: Array<unknown> = []
        const statuses = [200, 201, 299, 300, 301, 302, 307, 308, 400, 404, 410, 429, 500, 503]
        for (const [index, status] of statuses.entries()) {
          receiver.answer(path, (response) =>
            response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end("x".repeat(3000))
          )
          const { notificationId } = (await test(id)).value
          await receiver.awaited(path, index + 1)
          const log = await eventually(
            () => deliveries(id),
            ({ items }) => items[0]?.notificationId === notificationId && items[0].attempt === 1
          )
          results.push([log.items[0]!.httpStatus, log.items[0]!.state, log.items[0]!.error])
        }
        expect(results).toEqual(
          statuses.map((status) => [
            status,
            status < 300 ? "Succeeded" : "Pending",
            status >= 300 && status < 400 ? "redirect" : null
          ])
        )
        expect(receiver.received("/elsewhere")).toEqual([])
        expect((await list()).items.find((webhook) => webhook.id === id)).toMatchObject({
          status: "Active",
          failuresInARow: 11
        })
        receiver.answer(path, 200)
        await test(id)
        await eventually(
          list,
          ({ items }) => items.find((webhook) => webhook.id === id)!.failuresInARow === 0
        )
        await remove(id)
      })

      it("stop after 15 failures in a row, with a reason", async () => {
        const path = newPath()
        receiver.answer(path, 503)
        const { id } = await create(path)
        const mail = mailOf(account)
        await Promise.all(Array.from({ length: 20 }, (_, index) => mail.send(`p${index}@stopped.example`)))
        const webhook = await eventually(
          async () => (await list()).items.find((one) => one.id === id)!,
          (one) => one.status === "Stopped"
        )
        expect(webhook).toMatchObject({ status: "Stopped", failuresInARow: 15 })
        expect(webhook.stoppedReason).toMatch(/15.*503/)
        await mail.settled((await mail.send("after@stopped.example")).id, "Delivered")
        expect(await test(id)).toMatchObject({ status: 409, codes: ["webhooks.stopped"] })
        const resent = await account.manage("POST", `/webhooks/${id}/resend`, { notificationIds: [missing] })
        expect(resent).toMatchObject({ status: 409, codes: ["webhooks.stopped"] })
        const log = await eventually(
          () => deliveries(id, "?pageSize=200"),
          ({ items }) => items.every((entry) => entry.state !== "Pending")
        )
        expect(log.items.filter((entry) => entry.attempt === 1)).toHaveLength(15)
        expect(new Set(log.items.map((entry) => entry.state))).toEqual(new Set(["Cancelled"]))
        expect(receiver.received(path)).toHaveLength(15)
        await remove(id)
      })

      it("are not delayed by another webhook that hangs", async () => {
        const slow = newPath()
        const quick = newPath()
        const hanging = receiver.hang(slow)
        const { id: slowId } = await create(slow)
        const { id: quickId } = await create(quick)
        const mail = mailOf(account)
        await Promise.all(Array.from({ length: 15 }, (_, index) => mail.send(`p${index}@hung.example`)))
        const all = await receiver.awaited(quick, 30)
        expect(all).toHaveLength(30)
        const delays: Array<number> = []
        for (let count = 31; count <= 35; count++) {
          const from = Date.now()
          const { notificationId } = (await test(quickId)).value
          const notified = (await receiver.awaited(quick, count)).at(-1)!
          expect(notified.json.id).toBe(notificationId)
          delays.push(notified.at - from)
        }
        // A busy machine is sometimes late. A webhook that waited for the other one would always be late, because that hangs for
        // longer.
        expect(delays.toSorted((a, b) => a - b)[2]).toBeLessThan(1000)
        expect(hanging.peak()).toBeLessThanOrEqual(10)
        await remove(slowId)
        await remove(quickId)
        hanging.release()
      })

      it("are sent again, one by one and those of a time that failed, and show what was answered", async () => {
        const path = newPath()
        const { id } = await create(path)
        const first = (await test(id)).value.notificationId
        await receiver.awaited(path, 1)
        await eventually(
          () => deliveries(id),
          ({ items }) => items[0]?.state === "Succeeded"
        )
        receiver.answer(path, (response) => response.writeHead(500).end("<b>No</b>"))
        const resend = (json: unknown, of = id) => account.manage<Job>("POST", `/webhooks/${of}/resend`, json)
        const ended = async (json: unknown) => {
          const { status, value } = await resend(json)
          expect([status, value.kind]).toEqual([202, "ResendNotifications"])
          return eventually(
            async () => (await account.manage<Job>("GET", `/jobs/${value.id}`)).value,
            ({ state }) => state !== "Queued" && state !== "Running"
          )
        }
        expect(await ended({ notificationIds: [first, missing] })).toMatchObject({
          state: "Done",
          done: 1,
          failed: 1,
          total: 2
        })
        const [sent, repeated] = await receiver.awaited(path, 2)
        expect([repeated!.body, repeated!.headers["webhook-id"]]).toEqual([sent!.body, first])
        const failed = await eventually(
          async () => (await account.manage<Detail>("GET", `/notifications/${first}`)).value,
          ({ attempts, log }) => attempts === 2 && log.length === 2
        )
        expect(failed).toMatchObject({
          webhookId: id,
          url: receiver.url + path,
          type: "webhook.test",
          state: "Pending",
          attempts: 2,
          body: sent!.body,
          log: [
            { attempt: 1, httpStatus: 204, error: null, response: null },
            { attempt: 2, httpStatus: 500, error: null, response: "<b>No</b>" }
          ]
        })
        const states = (await deliveries(id)).items.map(({ attempt, state }) => [attempt, state])
        expect(states).toEqual([
          [2, "Pending"],
          [1, "Succeeded"]
        ])
        // None has failed permanently; they are retried automatically.
        const since = new Date(target().now() - 60_000).toISOString()
        expect(await ended({ since })).toMatchObject({ state: "Done", done: 0, total: 0 })
        if (target().advance !== null) {
          await target().advance!("1 day")
          const before = await deliveries(id)
          expect(before.items[0]).toMatchObject({ attempt: 6, state: "Failed" })
          receiver.answer(path, 204)
          expect(await ended({ since, until: before.items[0]!.at })).toMatchObject({ done: 1, failed: 0 })
          await eventually(
            () => deliveries(id),
            ({ items }) => items[0]!.attempt === 7 && items[0]!.state === "Succeeded"
          )
        }
        for (const [json, code, field] of [
          [{}, "validation.required", "notificationIds"],
          [{ notificationIds: [] }, "validation.required", "notificationIds"],
          [{ notificationIds: ["x"] }, "validation.format", "notificationIds[0]"],
          [{ notificationIds: [first], since }, "validation.format", "since"],
          [{ until: since }, "validation.required", "since"],
          [{ since: "yesterday" }, "validation.format", "since"]
        ] as const) {
          expect(await resend(json)).toMatchObject({ status: 400, codes: [code], fields: [field] })
        }
        expect((await resend({ since }, missing)).status).toBe(404)
        const other = (await openWorkspace(target(), "Other notifications")).sandbox
        expect((await other.manage("GET", `/notifications/${first}`)).status).toBe(404)
        await remove(id)
        expect((await account.manage<Detail>("GET", `/notifications/${first}`)).value.url).toBeNull()
      })

      it("reuse connections", async () => {
        const path = newPath()
        const { id } = await create(path)
        for (let index = 1; index <= 5; index++) {
          await test(id)
          await receiver.awaited(path, index)
        }
        expect(new Set(receiver.received(path).map((one) => one.connection)).size).toBeLessThan(3)
        await remove(id)
      })

      it("that wait are cancelled at once when the webhook is deleted", async () => {
        const path = newPath()
        receiver.answer(path, 500)
        const { id } = await create(path)
        await test(id)
        await receiver.awaited(path, 1)
        expect((await remove(id)).status).toBe(200)
        await target().advance?.("1 day")
        expect(receiver.received(path)).toHaveLength(1)
      })
    })
  })

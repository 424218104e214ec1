/**
 * Tests the event stream of an account (docs/management-api.md "Stream").
 *
 * @module
 */
import { afterEach, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { type EventStream, openStream, type StreamChange } from "../../support/eventStream.ts"
import { mailOf } from "../../support/mail.ts"
import type { Page } from "../../support/shapes.ts"
import { type Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Listed {
  readonly id: string
  readonly status?: string
}

interface Notification {
  readonly type: string
  readonly body: string
}

/** The most streams of an account. */
const maxStreams = 20

export const streamSuite = (target: () => Target): void => {
  describe("the stream of an account", () => {
    const opened: Array<EventStream> = []
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((stream) => stream.close()))
    })

    const open = async (
      { accountId }: TestAccount,
      query = "",
      headers: Readonly<Record<string, string>> = {},
      token = target().managementToken
    ) => {
      const stream = await openStream(target(), `/manage/v1/accounts/${accountId}/stream${query}`, {
        authorization: `Bearer ${token}`,
        ...headers
      })
      opened.push(stream)
      return stream
    }
    const reported = (account: TestAccount, name: string) =>
      account.api("POST", "/events", {
        events: [{ id: name, name, contact: { email: `${name}@example.com` } }]
      })
    const listed = async (account: TestAccount, path: string, id: string) =>
      (await account.manage<Page<Listed>>("GET", path)).value.items.find((item) => item.id === id)
    /** Advances a virtual clock while something is waited for. */
    const later = async (seconds: number) => {
      const { advance } = target()
      if (advance !== null) await advance(`${seconds} seconds`)
    }
    const issueToken = async (companyId: string, rights: ReadonlyArray<string>) =>
      (
        await manage<{ readonly id: string; readonly token: string }>(
          target(),
          "POST",
          `/companies/${companyId}/tokens`,
          { json: { name: "Streams", rights, accounts: "Both", expiresInDays: null } }
        )
      ).value

    it("shows each change as the list of its topic does, and the notifications that no webhook gets", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Streamed")
      const stream = await open(account)
      expect(stream.status).toBe(200)
      expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
      const mail = mailOf(account)
      const { id } = await mail.send("ada@example.com")
      const sent = await stream.change<Listed>(
        "emails",
        ({ item }) => item.id === id && item.status === "Delivered"
      )
      expect(sent.item).toEqual(await listed(account, "/emails", id))
      const { item: delivered } = await stream.change<Notification>(
        "notifications",
        ({ item }) => item.type === "email.delivered"
      )
      expect(JSON.parse(delivered.body)).toEqual({
        id: expect.any(String),
        type: "email.delivered",
        created_at: expect.any(String),
        data: { message_id: id, email: "ada@example.com" }
      })
      await reported(account, "joined")
      const processed = await stream.change<Listed>("events", ({ item }) => item.status === "Processed")
      expect(processed.item).toEqual(await listed(account, "/events", processed.item.id))
      const contacts = await account.manage<Page<Listed>>("GET", "/contacts")
      const action = { kind: "AddTag", tag: "new" }
      const ids = contacts.value.items.map((contact) => contact.id)
      const job = (await account.manage<Listed>("POST", "/contacts/bulk", { ids, action })).value
      const done = await stream.change<Listed & { readonly state: string }>(
        "jobs",
        ({ item }) => item.state === "Done"
      )
      expect(done.item).toEqual((await account.manage("GET", `/jobs/${job.id}`)).value)
      const logged = await stream.change<Listed & { readonly route: string }>(
        "requests",
        ({ item }) => item.route === "/api/v1/events"
      )
      expect(logged.item).toEqual(await listed(account, "/requests", logged.item.id))
      await later(3)
      const counted = await stream.change<{ readonly events: number }>(
        "counts",
        ({ item }) => item.events === 1
      )
      expect(counted.item).toEqual(
        (await account.manage<Page<unknown>>("GET", "/stats?days=1")).value.items[0]
      )
      const numbers = stream.events.map((event) => Number(event.id))
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    })

    it("shows each changed campaign as it is read", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Streamed campaigns")
      const make = async (name: string) =>
        (await account.manage<Listed>("POST", "/campaigns", { name })).value.id
      await make("Before")
      const stream = await open(account, "?topics=campaigns")
      await eventually(
        async () => stream.lastId(),
        (lastId) => lastId !== ""
      )
      type Changed = StreamChange<Listed & { readonly name: string }>
      const changed = async (id: string, name: string) => {
        const isIt = ({ item }: Changed) => item.id === id && item.name === name
        const found = await eventually(
          async () => {
            await later(2)
            return stream.events.find(({ data, event }) => event === "campaigns" && isIt(data as Changed))
          },
          (one) => one !== undefined
        )
        const { change, item } = found!.data as Changed
        const read = (await account.manage<{ stats: object }>("GET", `/campaigns/${id}`)).value
        const stats = { ...read.stats, countedAt: expect.any(String) }
        expect(item).toEqual({ ...read, stats })
        return change
      }
      const id = await make("Spring")
      expect(await changed(id, "Spring")).toBe("Created")
      await account.manage("PATCH", `/campaigns/${id}`, { name: "Autumn" })
      expect(await changed(id, "Autumn")).toBe("Updated")
      expect(stream.events.filter(({ event }) => event === "campaigns")).toHaveLength(2)
    })

    it("names the campaign of an email in its notification, as a webhook does", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Streamed campaign emails")
      await account.api("POST", "/contacts", { email: "ada@example.com", consent: { basis: "Customer" } })
      const rules = [{ fieldKey: "email", operator: "Equals", value: "ada@example.com" }]
      const segment = await account.manage<Listed>("POST", "/segments", {
        name: "Ada",
        definition: { join: "All", rules }
      })
      const { id } = (
        await account.manage<Listed>("POST", "/campaigns", {
          name: "Spring",
          content: { subject: "Spring", text: "It is spring." },
          audience: { segments: [segment.value.id] }
        })
      ).value
      const stream = await open(account, "?topics=notifications")
      await eventually(
        async () => stream.lastId(),
        (lastId) => lastId !== ""
      )
      await account.manage("POST", `/campaigns/${id}/launch`, {})
      const found = await eventually(
        async () => {
          await later(2)
          return stream.events
            .filter(({ event }) => event === "notifications")
            .map(({ data }) => (data as StreamChange<Notification>).item)
            .find(({ type }) => type === "email.delivered")
        },
        (one) => one !== undefined
      )
      expect(JSON.parse(found!.body)).toMatchObject({ data: { email: "ada@example.com", source_id: id } })
    })

    it("resumes behind Last-Event-ID, and says where it cannot that the lists are to be read again", async () => {
      const { live, sandbox: account } = await openWorkspace(target(), "Resumed")
      const first = await open(account, "?topics=events")
      await reported(account, "first")
      await first.change("events")
      const id = first.lastId()
      await first.close()
      await reported(account, "second")
      await reported(account, "third")
      const second = await open(account, "?topics=events", { "last-event-id": id })
      await second.change<{ readonly name: string }>("events", ({ item }) => item.name === "third")
      const names = second.events.map(({ data }) => (data as { item: { name: string } }).item.name)
      // Each contact appears at the position of its latest change. Which one is processed first is undefined.
      expect([...new Set(names.filter((name) => name !== "first"))].toSorted()).toEqual(["second", "third"])
      for (const unknown of ["999999999", "0", "x", "-1"]) {
        const reset = await open(account, "?topics=events", { "last-event-id": unknown })
        await eventually(
          async () => reset.events,
          (events) => events.length > 0
        )
        expect(reset.events[0]).toEqual({ id: expect.stringMatching(/^\d+$/), event: "reset", data: {} })
      }
      expect((await open(live, "?topics=events", { "last-event-id": id })).status).toBe(200)
    })

    it("shows a caller the topics that the caller may list alone", async () => {
      const { companyId, sandbox: account } = await openWorkspace(target(), "Permitted")
      const { companyId: otherId } = await openWorkspace(target(), "Other")
      const { token } = await issueToken(companyId, ["stats:read", "events:read"])
      const refused = await open(account, "?topics=events,emails", {}, token)
      expect(refused.status).toBe(403)
      expect(JSON.parse(refused.text())).toMatchObject({
        errors: [{ code: "users.right_missing", details: { right: "emails:read" } }]
      })
      const stream = await open(account, "", {}, token)
      await mailOf(account).send("ada@example.com")
      await reported(account, "permitted")
      await stream.change("events")
      await stream.change("counts")
      expect([...new Set(stream.events.map(({ event }) => event))].toSorted()).toEqual(["counts", "events"])
      const { token: none } = await issueToken(companyId, ["settings:write"])
      expect((await open(account, "?topics=counts", {}, none)).status).toBe(403)
      const { token: foreign } = await issueToken(otherId, ["stats:read"])
      expect((await open(account, "", {}, foreign)).status).toBe(404)
      expect((await open(account, "", {}, account.key)).status).toBe(401)
      const path = `/manage/v1/accounts/${account.accountId}/stream?topics=`
      for (const topics of ["emails,mails", "segments", "Emails"]) {
        const answer = await call(target(), "GET", path + topics, { token: target().managementToken })
        expect(answer).toMatchObject({ status: 400, codes: ["validation.format"], fields: ["topics"] })
      }
    })

    it("ends when the token of its caller does", async () => {
      const { companyId, sandbox: account } = await openWorkspace(target(), "Ended")
      const { id, token } = await issueToken(companyId, ["events:read"])
      const stream = await open(account, "?topics=events", {}, token)
      const other = await open(account, "?topics=events")
      await reported(account, "before")
      await stream.change("events")
      await manage(target(), "DELETE", `/companies/${companyId}/tokens/${id}`)
      await reported(account, "after")
      await later(6)
      await eventually(
        async () => stream.isEnded(),
        (isEnded) => isEnded
      )
      expect(other.isEnded()).toBe(false)
      expect((await open(account, "?topics=events", {}, token)).status).toBe(401)
    })

    it("sends a heartbeat every 15 seconds", async () => {
      const { advance } = target()
      if (advance === null) return
      const { sandbox: account } = await openWorkspace(target(), "Beating")
      const stream = await open(account, "?topics=jobs")
      await eventually(
        async () => stream.lastId(),
        (id) => id !== ""
      )
      await advance("16 seconds")
      await eventually(
        async () => stream.comments.length,
        (count) => count > 0
      )
      expect(stream.comments).toEqual(["heartbeat"])
      expect(stream.events).toEqual([])
    })

    it(`is open ${maxStreams} times at most in an account, also while one was closed just now`, async () => {
      const { sandbox: account } = await openWorkspace(target(), "Crowded")
      const streams = await Promise.all(
        Array.from({ length: maxStreams }, () => open(account, "?topics=jobs"))
      )
      expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
      const refused = await open(account, "?topics=jobs")
      expect(refused.status).toBe(429)
      expect(refused.headers.get("retry-after")).toBe("60")
      expect(JSON.parse(refused.text())).toMatchObject({ errors: [{ code: "common.too_many_streams" }] })
      await streams[0]!.close()
      await later(6)
      await eventually(
        () => open(account, "?topics=jobs"),
        ({ status }) => status === 200
      )
    })

    it("shows nothing of a person who was erased", async () => {
      const { sandbox: account } = await openWorkspace(target(), "Erased")
      const stream = await open(account, "?topics=emails,notifications")
      const { value } = await account.api<{ readonly contact: { readonly id: string } }>(
        "POST",
        "/contacts",
        {
          email: "gone@example.com"
        }
      )
      await mailOf(account).send("gone@example.com")
      await stream.change<Notification>("notifications", ({ item }) => item.type === "email.delivered")
      const id = stream.events[0]!.id
      await account.api("DELETE", `/contacts/${value.contact.id}`)
      await eventually(
        async () => stream.events.at(-1)?.event,
        (event) => event === "reset"
      )
      const again = await open(account, "?topics=emails,notifications", { "last-event-id": id })
      await eventually(
        async () => again.events.length,
        (count) => count > 0
      )
      expect(again.events.map(({ event }) => event)).toEqual(["reset"])
    })
  })
}

/**
 * Tests the management API of sending: domains, suppressions, emails and the sandbox inbox (docs/contributing/management-api.md).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import {
  dateTimePattern,
  type EmailAccepted,
  type EmailSubmission,
  idPattern,
  type Page
} from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface Domain {
  readonly id: string
  readonly domain: string
  readonly status: string
  readonly records: ReadonlyArray<unknown>
  readonly verifiedAt: string | null
}

interface Suppression {
  readonly email: string
  readonly kind: string
}

export const managementSendingSuite = (target: () => Target) =>
  describe("management of sending", () => {
    let workspace: Workspace
    let account: TestAccount
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Sending")
      account = workspace.sandbox
    })

    describe("domains", () => {
      const add = (domain: string, to = account) => to.manage<Domain>("POST", "/domains", { domain })

      it("verifies a sandbox's domain when it is added", async () => {
        const answer = await add(" News.Bücher.EXAMPLE ")
        expect(answer.status).toBe(201)
        const { id, records, verifiedAt } = answer.value
        expect(answer.value).toEqual({
          id,
          domain: "news.xn--bcher-kva.example",
          status: "Verified",
          records,
          verifiedAt
        })
        expect(id).toMatch(idPattern)
        expect(verifiedAt).toMatch(dateTimePattern)
        expect((await account.manage<Domain>("POST", `/domains/${id}/verify`)).value).toEqual(answer.value)
        const [newest] = (await account.manage<Page<Domain>>("GET", "/domains")).value.items
        expect(newest).toEqual(answer.value)
      })

      it("leaves a live account's domain pending", async () => {
        const answer = await add("live.example", workspace.live)
        expect(answer.value).toMatchObject({ status: "Pending", verifiedAt: null })
      })

      it("rejects a domain the account has, and accepts it for another account", async () => {
        expect((await add("twice.example")).status).toBe(201)
        const answer = await add("TWICE.example")
        expect(answer.status).toBe(409)
        expect(answer.fields).toEqual(["domain"])
        const together = await Promise.all(Array.from({ length: 5 }, () => add("together.example")))
        expect(together.map((entry) => entry.status).toSorted()).toEqual([201, 409, 409, 409, 409])
        expect((await add("twice.example", workspace.live)).status).toBe(201)
      })

      it.each([
        "",
        "example",
        "a b.example",
        "a@b.example",
        "https://b.example",
        "b.example/x",
        "-b.example",
        "b..example",
        "10.0.0.1",
        "[::1]",
        `${"a".repeat(64)}.example`,
        "b.example\nx",
        "b.example\u0007",
        "b.exämple\u0000"
      ])("rejects %j", async (domain) => {
        const answer = await add(domain)
        expect(answer.status).toBe(400)
        expect(answer.fields).toEqual(["domain"])
      })

      it("removes a domain, which is unknown from then on", async () => {
        const { id } = (await add("gone.example")).value
        const answer = await account.manage("DELETE", `/domains/${id}`)
        expect([answer.status, answer.value]).toEqual([200, null])
        expect((await account.manage("DELETE", `/domains/${id}`)).status).toBe(404)
        expect((await account.manage("POST", `/domains/${id}/verify`)).status).toBe(404)
        expect((await add("gone.example")).status).toBe(201)
      })
    })

    describe("suppressions", () => {
      const add = (email: string, kind: string) =>
        account.manage<Suppression>("POST", "/suppressions", { email, kind })

      it("adds, lists and removes an address", async () => {
        // Only the case of ASCII letters is ignored.
        const email = "Ü+a@suppressed.example"
        const answer = await add(" Ü+A@Suppressed.EXAMPLE ", "Protected")
        expect(answer.status).toBe(201)
        expect(answer.value).toMatchObject({ email, kind: "Protected" })
        const list = async () => (await account.manage<Page<Suppression>>("GET", "/suppressions")).value
        expect((await list()).items[0]).toEqual(answer.value)
        const path = `/suppressions/${encodeURIComponent("Ü+A@SUPPRESSED.example")}`
        const removed = await account.manage("DELETE", path)
        expect([removed.status, removed.value]).toEqual([200, null])
        expect((await list()).items.map((entry) => entry.email)).not.toContain(email)
        expect((await account.manage("DELETE", path)).status).toBe(404)
      })

      it("keeps one entry for an address", async () => {
        for (const kind of ["Bounced", "Complained"]) await add("one@suppressed.example", kind)
        const { items } = (await account.manage<Page<Suppression>>("GET", "/suppressions")).value
        expect(items.filter((entry) => entry.email === "one@suppressed.example")).toMatchObject([
          { kind: "Complained" }
        ])
      })

      it("rejects an invalid address or kind", async () => {
        expect((await add("nobody", "Bounced")).codes).toEqual(["validation.email"])
        const kind = await add("a@b.example", "Disliked")
        expect(kind.status).toBe(400)
        expect(kind.fields).toEqual(["kind"])
      })

      it.each([
        ["Bounced", "Bounced", "Bounce"],
        ["Complained", "Complained", "Complaint"],
        ["Protected", "SoftOptIn", "Api"]
      ])(
        "changes the contact's consent with %s, and does not change it back",
        async (kind, status, source) => {
          const email = `${kind}@moved.example`.toLowerCase()
          await account.api("POST", "/contacts", { email, consent: { basis: "Customer" } })
          await add(email, kind)
          await account.manage("DELETE", `/suppressions/${email}`)
          const contact = await account.api("GET", `/contacts/email:${email}`)
          expect(contact.value).toMatchObject({ consentStatus: status, consentSource: source })
        }
      )

      it.each([
        ["Bounced", "Bounced"],
        ["Complained", "Complained"],
        ["Protected", "Subscribed"]
      ])("applies to a contact whose address becomes a %s one later", async (kind, status) => {
        const consent = { basis: "Subscribed", proof: { text: "Yes, send me the newsletter" } }
        const [first, second, third] = [1, 2, 3].map((at) => `${kind}${at}@later.example`.toLowerCase())
        for (const email of [first, second, third]) await add(email!, kind)
        const statusOf = async (email: string) =>
          (await account.api<{ consentStatus: string }>("GET", `/contacts/email:${email}`)).value
        await account.api("POST", "/contacts", { email: first, consent })
        await account.api("POST", "/contacts/batch", { contacts: [{ email: second, consent }] })
        const mover = { externalId: `mover-${kind}`, consent }
        await account.api("POST", "/contacts", { ...mover, email: `before-${kind}@later.example` })
        await account.api("POST", "/contacts", { ...mover, email: third })
        for (const email of [first, second, third]) {
          expect(await statusOf(email!)).toMatchObject({ consentStatus: status })
        }
        const { items } = (await account.manage<Page<Suppression>>("GET", "/suppressions?pageSize=200")).value
        const listed = items.filter((entry) => entry.email.startsWith(kind.toLowerCase()))
        expect(listed.filter((entry) => entry.email.endsWith("@later.example"))).toHaveLength(3)
        expect(new Set(listed.map((entry) => entry.kind))).toEqual(new Set([kind]))
      })
    })

    describe("emails and the inbox", () => {
      const send = async (to: string) => {
        const json = { to, subject: `To ${to}`, text: "t" }
        return (await account.api<EmailAccepted>("POST", "/sending/emails", json)).value.id
      }
      const list = async (query: string) =>
        (await account.manage<Page<EmailSubmission>>("GET", `/emails${query}`)).value

      it("lists emails, newest first, by status and by recipient", async () => {
        const ids = [await send("one@listed.example"), await send("bounce@listed.example")]
        ids.push(await send("bounce@listed.example"))
        const settled = await eventually(
          () => list("?status=Bounced&to=BOUNCE@listed.example"),
          (page) => page.totalCount > 0
        )
        expect(settled.items.every((email) => email.status === "Bounced")).toBe(true)
        const all = await eventually(
          () => list(""),
          (page) => page.items.every((email) => !["Queued", "HandingOff", "Sent"].includes(email.status))
        )
        expect(all.items.slice(0, 3).map((email) => email.id)).toEqual(ids.toReversed())
        expect(all.items[2]).toMatchObject(
          (await account.api<EmailSubmission>("GET", `/sending/emails/${ids[0]}`)).value
        )
        expect(all.items[2]).toMatchObject({ from: null, subject: "To one@listed.example" })
        expect((await list("?to=one@listed.example")).items.map((email) => email.id)).toEqual([ids[0]])
        expect((await list("?to=nobody@listed.example")).totalCount).toBe(0)
        const page = await list("?page=2&pageSize=1")
        expect(page).toMatchObject({ page: 2, pageSize: 1, totalCount: all.totalCount })
        expect(page.items.map((email) => email.id)).toEqual([ids[1]])
      })

      it.each([
        ["status", "Lost"],
        ["to", "nobody"]
      ])("rejects to filter by %s %s", async (field, value) => {
        const answer = await account.manage("GET", `/emails?${field}=${value}`)
        expect(answer.status).toBe(400)
        expect(answer.fields).toEqual([field])
      })

      it("pages through the inbox, newest first, each message once", async () => {
        const { sandbox } = await openWorkspace(target(), "Inbox")
        for (let index = 0; index < 7; index++) {
          await sandbox.api("POST", "/sending/emails", { to: `n${index}@b.example`, subject: "s", text: "t" })
        }
        const page = async (number: number, size: number) =>
          (
            await sandbox.manage<Page<{ id: string; receivedAt: string }>>(
              "GET",
              `/inbox?page=${number}&pageSize=${size}`
            )
          ).value
        const whole = await eventually(
          () => page(1, 200),
          (inbox) => inbox.totalCount === 7
        )
        expect(whole.items).toHaveLength(7)
        const times = whole.items.map((message) => message.receivedAt)
        expect(times).toEqual(times.toSorted().toReversed())
        const pages = [await page(1, 3), await page(2, 3), await page(3, 3), await page(4, 3)]
        expect(pages.map((entry) => entry.items.length)).toEqual([3, 3, 1, 0])
        expect(pages.flatMap((entry) => entry.items)).toEqual(whole.items)
      })

      it("requires the token for a raw message too, and isolates accounts", async () => {
        await send("raw@listed.example")
        const inbox = await eventually(
          () => account.manage<Page<{ id: string }>>("GET", "/inbox"),
          (answer) => answer.value.totalCount > 0
        )
        const other = (await openWorkspace(target(), "Other inbox")).sandbox
        const { id } = inbox.value.items[0]!
        for (const path of [`/inbox/${id}`, `/inbox/${id}/raw`]) {
          const url = `/manage/v1/accounts/${account.accountId}${path}`
          expect((await call(target(), "GET", url, { token: account.key })).status).toBe(401)
          expect((await other.manage("GET", path)).status).toBe(404)
        }
      })
    })
  })

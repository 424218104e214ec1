/**
 * Tests POST /sending/emails, GET /sending/emails/{id} and simulated results in the sandbox (docs/contributing/public-api.md
 * "Transactional email", docs/contributing/decisions.md 1 and 5).
 *
 * @module
 */
import { simpleParser } from "mailparser"
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { idPattern, type Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { content, type InboxMessage, mailOf } from "../../support/mail.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

export const emailsSuite = (target: () => Target) =>
  describe("emails", () => {
    let workspace: Workspace
    let account: TestAccount
    let mail: ReturnType<typeof mailOf>
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Emails")
      account = workspace.sandbox
      mail = mailOf(account)
    })
    const rawOf = async (id: string) => {
      const path = `/manage/v1/accounts/${account.accountId}/inbox/${id}/raw`
      const answer = await call(target(), "GET", path, { token: target().managementToken })
      expect(answer.headers.get("content-type")).toMatch(/^message\/rfc822/)
      return answer.text
    }

    it("return 201 Queued and are delivered in the background", async () => {
      const answer = await mail.post({
        to: "Ada Lovelace <Ada@Example.org>",
        subject: "Hi",
        html: "<p>Hi</p>"
      })
      expect(answer.status).toBe(201)
      expect(answer.value).toEqual({ id: answer.value.id, status: "Queued", reason: null })
      const { id } = answer.value
      expect(id).toMatch(idPattern)
      expect(await mail.settled(id, "Delivered")).toEqual({
        id,
        status: "Delivered",
        reason: null,
        recipients: [
          {
            id,
            email: "ada@example.org",
            name: "Ada Lovelace",
            kind: "To",
            status: "Delivered",
            reason: null
          }
        ],
        sendAt: null,
        templateId: null,
        metadata: {},
        tags: {}
      })
    })

    it("appear in the inbox as the message that would have left", async () => {
      const html = '<p>Grüße, 漢字 &amp; <a href="https://x.example/?a=1&amp;b=2">😀</a></p>'
      const text = `.leading dot\n${"long ".repeat(300)}\nGrüße 😀\n`
      const subject = `Grüße 漢字 😀 ${"x".repeat(120)}`
      const { id } = await mail.send(
        { email: "zoe@mail.example", name: 'Zoë "Z", <x>' },
        { subject, html, text }
      )
      await mail.settled(id, "Delivered")
      const [message] = await mail.messagesOf(id)
      expect(message).toMatchObject({
        to: "zoe@mail.example",
        from: { email: "suite@mail.example", name: "Suite" },
        subject,
        html: expect.stringContaining(`<body>\n${html}\n</body>`),
        text
      })
      const one = await account.manage<InboxMessage>("GET", `/inbox/${message!.id}`)
      expect(one.value).toEqual(message)
      const raw = await rawOf(message!.id)
      expect(await rawOf(message!.id)).toBe(raw)
      for (const line of raw.split("\r\n")) {
        expect(line).not.toMatch(/[\r\n]/)
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(998)
      }
      const parsed = await simpleParser(raw)
      expect(parsed.subject).toBe(subject)
      expect(parsed.from?.value).toEqual([{ address: "suite@mail.example", name: "Suite" }])
      expect([parsed.to].flat().flatMap((list) => list?.value ?? [])).toEqual([
        { address: "zoe@mail.example", name: 'Zoë "Z", <x>' }
      ])
      expect(parsed.text?.trim()).toBe(text.trim())
      expect(parsed.html).toContain(html)
      expect(parsed.messageId).toMatch(/^<[^<>@\s]+@[^<>@\s]+>$/)
      expect(Math.abs(parsed.date!.getTime() - target().now())).toBeLessThan(60_000)
    })

    it("of html become whole documents with a text part, in the account's language", async () => {
      const html = '<h1>Hi</h1><p>See <a href="https://x.example/">the page</a>.</p>'
      const parts = async (more: object) => {
        const { id } = await mail.send("ada@b.example", { subject: "1 < 2", html, text: null, ...more })
        await mail.settled(id, "Delivered")
        const [message] = await mail.messagesOf(id)
        const raw = await rawOf(message!.id)
        expect(raw).toMatch(/^To: <ada@b\.example>\r$/m)
        const { html: shown, text } = await simpleParser(raw, { skipHtmlToText: true })
        return { html: shown || "", text, types: raw.match(/^Content-Type: [\w/]+/gm) }
      }
      const made = await parts({})
      expect(made.html).toMatch(/^<!doctype html>\s<html lang="en">[^]*<title>1 &lt; 2<\/title>/)
      expect(made.html).toContain(`<body>\n${html}\n</body>`)
      expect(made.text?.trim()).toBe("Hi\n\nSee the page: https://x.example/.")
      expect(made.types).toEqual([
        "Content-Type: multipart/alternative",
        "Content-Type: text/plain",
        "Content-Type: text/html"
      ])
      await account.manage("PATCH", "/settings", { language: "pt-br" })
      const own = "<html><body><p>Hi</p></body></html>"
      expect((await parts({})).html).toContain('<html lang="pt-BR">')
      expect((await parts({ html: own })).html.trim()).toBe(own)
      expect((await parts({ text: "" })).types).toEqual(["Content-Type: text/html"])
      expect((await parts({ html: null, text: "Hi" })).types).toEqual(["Content-Type: text/plain"])
      await account.manage("PATCH", "/settings", { language: "en" })
      expect((await account.manage("PATCH", "/settings", { language: "english!" })).codes).toEqual([
        "validation.format"
      ])
    })

    it.each([
      ["a@b.example", "a@b.example", null],
      [" A@B.Example ", "a@b.example", null],
      ["Ada <a@b.example>", "a@b.example", "Ada"],
      ['"Lovelace, Ada" <a@b.example>', "a@b.example", "Lovelace, Ada"],
      ["<a@b.example>", "a@b.example", null],
      [{ email: "a@b.example" }, "a@b.example", null],
      [{ email: "a@b.example", name: "Ada" }, "a@b.example", "Ada"],
      [{ email: "a@b.example", name: null }, "a@b.example", null]
    ])("accept the recipient %j", async (to, email, name) => {
      const { id } = await mail.send(to)
      expect((await mail.read(id)).recipients).toMatchObject([{ email, name, kind: "To" }])
    })

    it("keep tags and metadata", async () => {
      const tags = { campaign: "spring", "A.b-c_1": "", __proto__x: "x".repeat(256) }
      const metadata = Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`k${index}`, `ü${index}`])
      )
      const { id } = await mail.send("a@b.example", {
        tags,
        metadata,
        tracking: { opens: true, clicks: false }
      })
      expect(await mail.read(id)).toMatchObject({ tags, metadata })
    })

    it.each<readonly [string, object, string, string]>([
      ["no recipient", { to: undefined }, "to", "validation.required"],
      ["a wrong recipient", { to: "nobody" }, "to", "validation.email"],
      ["a recipient that breaks a line", { to: "a@b.example\r\nBcc: x@y.example" }, "to", "validation.email"],
      [
        "a name that breaks a line",
        { to: { email: "a@b.example", name: "A\r\nBcc: x@y.example" } },
        "to",
        "validation.email"
      ],
      ["no subject", { subject: undefined }, "subject", "sending.content_required"],
      ["neither html nor text", { text: undefined }, "html", "sending.content_required"],
      ["a long subject", { subject: "x".repeat(301) }, "subject", "validation.max_length"],
      ["a subject that breaks a line", { subject: "a\r\nBcc: x@y.example" }, "subject", "validation.format"],
      ["control characters", { text: "a\u0001b" }, "text", "validation.format"],
      ["long html", { html: "x".repeat(500_001) }, "html", "validation.max_length"],
      [
        "too many tags",
        { tags: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, ""])) },
        "tags",
        "sending.tags_invalid"
      ],
      ["a long tag name", { tags: { ["x".repeat(65)]: "" } }, "tags", "sending.tags_invalid"],
      ["a tag name with a space", { tags: { "a b": "" } }, "tags", "sending.tags_invalid"],
      ["an empty metadata name", { metadata: { "": "" } }, "metadata", "sending.metadata_invalid"],
      [
        "a long metadata value",
        { metadata: { k: "x".repeat(257) } },
        "metadata.k",
        "sending.metadata_invalid"
      ]
    ])("reject %s", async (_name, change, field, code) => {
      const answer = await mail.post({ to: "a@b.example", ...content, ...change })
      expect(answer.status).toBe(400)
      expect(answer.codes).toEqual([code])
      expect(answer.fields).toEqual([field])
    })

    it("accept content up to its limits", async () => {
      const { id } = await mail.send("a@b.example", {
        subject: "x".repeat(300),
        html: `<p>${"x".repeat(500_000 - 7)}</p>`
      })
      expect((await mail.settled(id, "Delivered")).status).toBe("Delivered")
    })

    it.each([
      { tags: { a: 1 } },
      { metadata: ["a"] },
      { tracking: { opens: "yes" } },
      { to: 5 },
      { subject: {} }
    ])("return problem+json for %j", async (change) => {
      const answer = await mail.post({ to: "a@b.example", ...content, ...change })
      expect(answer.status).toBe(400)
      expect(answer.refusal).not.toBeNull()
    })

    it.each(["01890a5d-ac96-774b-bcce-b302099a8057", "17", "x".repeat(500), "%00", "..%2F"])(
      "return 404 for the unknown email %s",
      async (id) => {
        const answer = await account.api("GET", `/sending/emails/${id}`)
        expect(answer.status).toBe(404)
        expect(answer.codes).toEqual(["common.not_found"])
      }
    )

    describe("in the sandbox simulate", () => {
      it("a bounce, which suppresses the address", async () => {
        const { id } = await mail.send("Bounce@acted.example")
        expect(await mail.settled(id, "Bounced")).toMatchObject({ status: "Bounced" })
        expect(await mail.send("bounce@acted.example")).toMatchObject({
          status: "Suppressed",
          reason: "sending.gate_bounced"
        })
      })

      it("a complaint after delivery, which suppresses the address", async () => {
        const email = "complaint@acted.example"
        await account.api("POST", "/contacts", { email, consent: { basis: "Customer" } })
        const { id } = await mail.send(email)
        expect((await mail.settled(id, "Delivered")).status).toBe("Delivered")
        expect(await mail.send(email)).toMatchObject({
          status: "Suppressed",
          reason: "sending.gate_complained"
        })
        const contact = await account.api<{ consentStatus: string }>("GET", `/contacts/email:${email}`)
        expect(contact.value).toMatchObject({ consentStatus: "Complained", consentSource: "Complaint" })
      })

      it("a retry after a temporary failure", async ({ skip }) => {
        const { id } = await mail.send("defer@acted.example")
        const waiting = await eventually(
          () => mail.read(id),
          (email) => email.reason === "sending.retrying"
        )
        expect(waiting).toMatchObject({ status: "Queued", reason: "sending.retrying" })
        expect(await mail.messagesOf(id)).toEqual([])
        const { advance } = target()
        if (advance === null) return skip("the clock is the machine's")
        await advance("2 minutes")
        expect(await mail.settled(id, "Delivered")).toMatchObject({ status: "Delivered", reason: null })
        expect(await mail.messagesOf(id)).toHaveLength(1)
      })
    })

    it.each([
      ["Bounced", "sending.gate_bounced"],
      ["Complained", "sending.gate_complained"],
      ["Protected", "sending.gate_protected"]
    ])("suppress email to an address that is %s", async (kind, reason) => {
      const email = `${kind.toLowerCase()}@suppressed.example`
      await account.manage("POST", "/suppressions", { email: email.toUpperCase(), kind })
      const answer = await mail.post({ to: email, ...content })
      expect(answer.status).toBe(201)
      expect(answer.value).toMatchObject({ status: "Suppressed", reason })
      expect(await mail.read(answer.value.id)).toMatchObject({
        status: "Suppressed",
        reason,
        recipients: [{ email, status: "Suppressed", reason }]
      })
      expect(await mail.messagesOf(answer.value.id)).toEqual([])
      expect((await account.manage("DELETE", `/suppressions/${email}`)).status).toBe(200)
      expect((await mail.send(email)).status).toBe("Queued")
    })

    it("suppress waiting email whose address is suppressed meanwhile", async () => {
      const { sandbox } = await openWorkspace(target(), "Meanwhile")
      const held = mailOf(sandbox)
      const settings = (await sandbox.manage<{ settings: object }>("GET", "")).value.settings
      await sandbox.manage("PATCH", "/settings", { defaultSender: null })
      const { id } = await held.send("late@suppressed.example")
      await sandbox.manage("POST", "/suppressions", { email: "late@suppressed.example", kind: "Complained" })
      expect((await sandbox.manage("PATCH", "/settings", settings)).status).toBe(200)
      expect(await held.settled(id, "Suppressed")).toMatchObject({
        status: "Suppressed",
        reason: "sending.gate_complained"
      })
      expect(await held.inbox()).toEqual([])
    })

    it("send transactional email to people who unsubscribed", async () => {
      const email = "off@unsubscribed.example"
      await account.api("POST", "/contacts", { email, consent: { basis: "Unsubscribed" } })
      expect((await mail.settled((await mail.send(email)).id, "Delivered")).status).toBe("Delivered")
    })

    it("of a live account wait for a verified sender", async () => {
      const live = mailOf(workspace.live)
      const accepted = await live.send("a@b.example")
      expect(accepted).toMatchObject({ status: "Queued", reason: "sending.no_verified_sender" })
      expect(await live.read(accepted.id)).toMatchObject({
        status: "Queued",
        reason: "sending.no_verified_sender",
        recipients: [{ status: "Queued", reason: "sending.no_verified_sender" }]
      })
      await workspace.live.manage("POST", "/domains", { domain: "live.example" })
      await workspace.live.manage("PATCH", "/settings", { defaultSender: { email: "x@live.example" } })
      expect(await live.send("a@b.example")).toMatchObject({ reason: "sending.no_verified_sender" })
    })

    it("wait without a domain and are all released with one", async () => {
      const { sandbox } = await openWorkspace(target(), "Release")
      const held = mailOf(sandbox)
      const domains = await sandbox.manage<Page<{ id: string }>>("GET", "/domains")
      await sandbox.manage("DELETE", `/domains/${domains.value.items[0]!.id}`)
      const waiting = await Promise.all(
        Array.from({ length: 10 }, (_, index) => held.send(`w${index}@b.example`))
      )
      for (const email of waiting) {
        expect(email).toMatchObject({ status: "Queued", reason: "sending.no_verified_sender" })
      }
      expect(await held.inbox()).toEqual([])
      expect((await sandbox.manage("POST", "/domains", { domain: "mail.example" })).status).toBe(201)
      for (const { id } of waiting) {
        expect(await held.settled(id, "Delivered")).toMatchObject({ status: "Delivered", reason: null })
      }
      expect(await held.inbox()).toHaveLength(10)
      await sandbox.manage("PATCH", "/settings", { defaultSender: null })
      expect(await held.send("a@b.example")).toMatchObject({ reason: "sending.no_verified_sender" })
    })
  })

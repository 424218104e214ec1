/**
 * Tests displaying the content of emails to people: the frame, images from other servers, the raw message, sending again, and
 * simulated results in the sandbox (docs/management-api.md "Content of emails").
 *
 * @module
 */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { uniqueName } from "../../support/flows.ts"
import { mailOf } from "../../support/mail.ts"
import type { Contact, ContactWritten, EmailDetail, EmailSubmission, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface Content {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly attachments: ReadonlyArray<{ readonly filename: string; readonly bytes: number }>
  readonly frameUrl: string
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"
const png = Buffer.from("\u0089PNG\r\n\u001a\nimage", "latin1")

const policy = (images: string) =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src data:${images}; form-action 'none'; base-uri 'none'; ` +
  "frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"

export const emailContentSuite = (target: () => Target) =>
  describe("the content of emails", () => {
    let workspace: Workspace
    let account: TestAccount
    let mail: ReturnType<typeof mailOf>
    let images: Server
    let imageBase: string
    let imageCalls = 0
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Email content")
      account = workspace.sandbox
      mail = mailOf(account)
      images = createServer((request, response) => {
        imageCalls++
        const isSvg = request.url === "/x.svg"
        response.end(isSvg ? "<svg xmlns='http://www.w3.org/2000/svg'/>" : png)
      })
      await new Promise<void>((resolve) => images.listen(0, "127.0.0.1", resolve))
      imageBase = `http://127.0.0.1:${(images.address() as AddressInfo).port}`
    })
    afterAll(() => new Promise((resolve) => images.close(resolve)))
    const address = () => `${uniqueName().replaceAll(/[._]/g, "-")}@content.example`
    const delivered = async (to: string, more: object = {}) => {
      const { id } = await mail.send(to, more)
      await mail.settled(id, "Delivered")
      return id
    }
    const open = (path: string) =>
      call(target(), "GET", `/manage/v1/accounts/${account.accountId}${path}`, {
        token: target().managementToken
      })
    const hostile = () =>
      `<p onclick="steal()">Hello</p><script>steal()</script><meta http-equiv="refresh" content="0;url=https://evil.example/">` +
      `<iframe src="https://evil.example/"></iframe><a href="https://shop.example/?a=1&amp;b=2">Shop</a>` +
      `<a href="javascript:steal()">x</a><img src="${imageBase}/a.png"><img src="${imageBase}/x.svg"><img src="cid:logo">`

    it("is returned with what belongs to it", async () => {
      const id = await delivered(address(), {
        subject: "Subject",
        html: hostile(),
        text: "Text",
        headers: { "X-Mine": "1" },
        attachments: [{ filename: "a.txt", contentType: "text/plain", content: btoa("abc") }]
      })
      const { value } = await account.manage<Content>("GET", `/emails/${id}/content`)
      expect(value).toMatchObject({
        subject: "Subject",
        html: expect.stringContaining(`<body>\n${hostile()}\n</body>`),
        text: "Text",
        headers: [{ name: "X-Mine", value: "1" }],
        attachments: [{ filename: "a.txt", contentType: "text/plain", contentId: null, bytes: 3 }],
        frameUrl: `/manage/v1/accounts/${account.accountId}/emails/${id}/frame`
      })
      const raw = await open(`/emails/${id}/raw`)
      expect(raw.headers.get("content-type")).toBe("message/rfc822")
      expect(raw.text).toMatch(/^Subject: Subject\r$/m)
      expect(raw.text).toMatch(/^X-Mine: 1\r$/m)
      for (const path of ["content", "raw", "frame"]) {
        expect((await open(`/emails/${unknownId}/${path}`)).codes).toEqual(["common.not_found"])
        expect((await workspace.live.manage("GET", `/emails/${id}/${path}`)).status).toBe(404)
      }
    })

    it("is shown in a frame that runs nothing and loads nothing", async () => {
      const id = await delivered(address(), {
        html: hostile(),
        attachments: [
          {
            filename: "logo.png",
            contentType: "image/png",
            contentId: "logo",
            content: png.toString("base64")
          }
        ]
      })
      const before = imageCalls
      const frame = await open(`/emails/${id}/frame`)
      expect(frame.status).toBe(200)
      expect(frame.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(frame.headers.get("content-security-policy")).toBe(policy(""))
      expect(frame.text).toContain("<p>Hello</p>")
      expect(frame.text).toContain(
        '<a href="https://shop.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">Shop</a>'
      )
      expect(frame.text).toContain(`<img src="data:image/png;base64,${png.toString("base64")}">`)
      expect(frame.text).not.toMatch(/script|steal|http-equiv|iframe|evil|127\.0\.0\.1/)
      expect(imageCalls).toBe(before)
      const text = await delivered(address(), { html: null, text: "<b>1 & 2</b>" })
      expect((await open(`/emails/${text}/frame`)).text).toContain("&lt;b&gt;1 &amp; 2&lt;/b&gt;")
    })

    it("loads images of other servers on request, by signed URLs of the service that expire", async () => {
      const id = await delivered(address(), { html: hostile() })
      const frame = await open(`/emails/${id}/frame?images=true`)
      const proxy = `${target().baseUrl}/mail-images/`
      expect(frame.headers.get("content-security-policy")).toBe(policy(` ${proxy}`))
      const urls = [...frame.text.matchAll(/<img src="([^"]+)"/g)].map((match) => match[1]!)
      expect(urls).toHaveLength(2)
      expect(urls.every((url) => url.startsWith(proxy))).toBe(true)
      const get = (url: string) => target().fetch(new URL(url).pathname)
      const image = await get(urls[0]!)
      expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"])
      expect(image.headers.get("cross-origin-resource-policy")).toBe("cross-origin")
      expect(image.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox")
      expect(Buffer.from(await image.arrayBuffer())).toEqual(png)
      expect((await get(urls[1]!)).status).toBe(404)
      const before = imageCalls
      const [, token] = /mail-images\/(.*)$/.exec(urls[0]!)!
      const [until, url, signature] = token!.split(".") as [string, string, string]
      const other = Buffer.from(`${imageBase}/other.png`).toString("base64url")
      for (const forged of [
        `${until}.${other}.${signature}`,
        `zzzzzzzz.${url}.${signature}`,
        `${until}.${url}`,
        "x",
        `${until}.${url}.${signature}x`
      ]) {
        expect((await target().fetch(`/mail-images/${forged}`)).status).toBe(404)
      }
      expect(imageCalls).toBe(before)
      const { advance } = target()
      if (advance === null) return
      await advance("11 minutes")
      expect((await get(urls[0]!)).status).toBe(404)
    })

    it("is shown of the sandbox inbox too", async () => {
      const id = await delivered(address(), { html: hostile() })
      const frame = await open(`/inbox/${id}/frame`)
      expect(frame.headers.get("content-security-policy")).toBe(policy(""))
      expect(frame.text).not.toMatch(/script|steal|http-equiv|iframe|evil|127\.0\.0\.1/)
      expect((await open(`/inbox/${unknownId}/frame`)).status).toBe(404)
      expect((await workspace.live.manage("GET", `/inbox/${id}/frame`)).status).toBe(404)
    })

    it("is sent again as a new email", async () => {
      const [to, cc] = [address(), address()]
      const first = await mail.send(to, {
        cc: [cc],
        subject: "Again",
        html: "<p>Again</p>",
        tags: { a: "b" },
        attachments: [{ filename: "a.txt", contentType: "text/plain", content: btoa("abc") }],
        idempotencyKey: uniqueName()
      })
      await mail.settled(first.id, "Delivered")
      const again = await account.manage<EmailSubmission>("POST", `/emails/${first.id}/resend`)
      expect(again.status).toBe(201)
      expect(again.value.id).not.toBe(first.id)
      expect(again.value.recipients.map(({ email, kind }) => [email, kind])).toEqual([
        [to, "To"],
        [cc, "Cc"]
      ])
      await mail.settled(again.value.id, "Delivered")
      const { value } = await account.manage<Content>("GET", `/emails/${again.value.id}/content`)
      expect(value).toMatchObject({
        subject: "Again",
        html: expect.stringContaining("<p>Again</p>"),
        attachments: [{ filename: "a.txt" }]
      })
      // A suppression added since then applies to this email.
      await account.manage("POST", "/suppressions", { email: to, kind: "Protected" })
      const third = await account.manage<EmailSubmission>("POST", `/emails/${first.id}/resend`)
      expect(third.value.recipients[0]).toMatchObject({
        status: "Suppressed",
        reason: "sending.gate_protected"
      })
      expect((await account.manage("POST", `/emails/${unknownId}/resend`)).status).toBe(404)
      const entries = await account.manage<Page<{ readonly before: unknown }>>(
        "GET",
        `/audit-log?target=${again.value.id}&action=email.resent`
      )
      expect(entries.value.items[0]!.before).toEqual({ email: first.id })
    })

    it("is gone where retention erased it", async ({ skip }) => {
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      const id = await delivered(address())
      await advance("32 days")
      await eventually(
        async () => (await account.manage<EmailDetail>("GET", `/emails/${id}`)).value.contentErasedAt,
        (at) => at !== null
      )
      for (const [method, path] of [
        ["GET", "content"],
        ["GET", "raw"],
        ["GET", "frame"],
        ["POST", "resend"]
      ] as const) {
        const answer = await account.manage(method, `/emails/${id}/${path}`)
        expect([answer.status, answer.codes]).toEqual([410, ["sending.content_erased"]])
      }
    })

    it("bounces, is complained about, opened, clicked and unsubscribed from in the sandbox", async () => {
      const simulate = (id: string, kind: string, of = account) =>
        of.manage<EmailSubmission>("POST", `/inbox/${id}/simulate`, { kind })
      const bounced = address()
      const first = await delivered(bounced)
      expect((await simulate(first, "Bounce")).value.status).toBe("Bounced")
      // Repeating it changes nothing.
      expect((await simulate(first, "Bounce")).value.status).toBe("Bounced")
      expect((await mail.send(bounced)).reason).toBe("sending.gate_bounced")
      const complaining = address()
      const second = await delivered(complaining)
      expect((await simulate(second, "Complaint")).status).toBe(200)
      expect((await mail.send(complaining)).reason).toBe("sending.gate_complained")

      const reader = address()
      const contact = (
        await account.api<ContactWritten>("POST", "/contacts", {
          email: reader,
          consent: { basis: "Customer" }
        })
      ).value.contact
      const third = await delivered(reader, { html: '<a href="https://shop.example/">Shop</a>' })
      await simulate(third, "Open")
      await simulate(third, "Click")
      interface Visited {
        readonly recipients: ReadonlyArray<{
          readonly openedAt: string | null
          readonly clickedAt: string | null
        }>
      }
      await eventually(
        async () => (await account.manage<Visited>("GET", `/emails/${third}`)).value.recipients[0]!,
        ({ clickedAt, openedAt }) => openedAt !== null && clickedAt !== null
      )
      await simulate(third, "Unsubscribe")
      expect((await account.api<Contact>("GET", `/contacts/${contact.id}`)).value).toMatchObject({
        consentStatus: "Unsubscribed",
        consentSource: "UnsubscribeLink"
      })
      // The content of a campaign's email is stored with the campaign.
      const segment = await account.manage<{ readonly id: string }>("POST", "/segments", {
        name: uniqueName(),
        definition: { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: "Clickton" }] }
      })
      const reached = address()
      const consent = { basis: "Customer" }
      await account.api("POST", "/contacts", { email: reached, city: "Clickton", consent })
      const campaign = await account.manage<{ readonly id: string }>("POST", "/campaigns", {
        name: uniqueName(),
        content: { subject: "Links", html: '<a href="https://shop.example/">Shop</a>' },
        audience: { segments: [segment.value.id] }
      })
      expect((await account.manage("POST", `/campaigns/${campaign.value.id}/launch`)).codes).toEqual([])
      const { value: inbox } = await eventually(
        () => account.manage<Page<{ readonly id: string; readonly to: string }>>("GET", "/inbox"),
        ({ value }) => value.items.some(({ to }) => to === reached)
      )
      const fromCampaign = inbox.items.find(({ to }) => to === reached)!.id
      expect((await simulate(fromCampaign, "Click")).codes).toEqual([])

      const stranger = await delivered(address(), { html: "<p>No link</p>" })
      expect((await simulate(stranger, "Unsubscribe")).codes).toEqual(["audience.contact_not_found"])
      expect((await simulate(stranger, "Click")).codes).toEqual(["sending.no_link"])
      const odd = await simulate(stranger, "Explode")
      expect([odd.status, odd.codes, odd.fields]).toEqual([400, ["validation.format"], ["kind"]])
      expect((await simulate(unknownId, "Open")).status).toBe(404)
      expect((await simulate(stranger, "Open", workspace.live)).status).toBe(404)
    })

    it("has its reads in the audit log of a live account", async () => {
      const { live } = workspace
      const sent = await live.api<{ readonly id: string }>("POST", "/sending/emails", {
        to: address(),
        subject: "s",
        text: "t"
      })
      const { id } = sent.value
      expect((await live.manage<Content>("GET", `/emails/${id}/content`)).value.text).toBe("t")
      await live.manage("GET", `/emails/${id}/frame`)
      await live.manage("GET", `/emails/${id}/raw`)
      const read = async (of: TestAccount) =>
        (
          await of.manage<Page<{ readonly target: { readonly id: string } }>>(
            "GET",
            "/audit-log?action=email.content_read"
          )
        ).value.items.map((entry) => entry.target.id)
      // Recorded once a minute for each reader and email.
      expect(await read(live)).toEqual([id])
    })

    it("is beside events that people report by hand", async () => {
      const email = address()
      const event = { id: uniqueName(), name: "thing.tried", contact: { email }, properties: { n: 1 } }
      const first = await account.manage("POST", "/events", event)
      expect(first.value).toEqual({ accepted: 1, duplicates: 0, rejected: [] })
      expect((await account.manage("POST", "/events", event)).value).toMatchObject({ duplicates: 1 })
      const wrong = await account.manage<{ readonly rejected: ReadonlyArray<unknown> }>("POST", "/events", {
        ...event,
        name: "Not A Name"
      })
      expect(wrong.value.rejected).toMatchObject([
        { index: 0, reasons: [{ code: "activity.event_name_invalid" }] }
      ])
    })
  })

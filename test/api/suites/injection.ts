/**
 * Tests that no input becomes a header, neither of a message nor of a response (CWE-93, CWE-113).
 *
 * @module
 */
import { simpleParser } from "mailparser"
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import type { EmailAccepted, EmailSubmission, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

/** Characters that some parsers treat as a line end. */
const breaks = [
  "\r\n",
  "\n",
  "\r",
  "\r\n\r\n",
  "\n ",
  "\u0085",
  "\u2028",
  "\u2029",
  "\v",
  "\f",
  "\0"
] as const

const evil = (lineBreak: string) => `a${lineBreak}X-Evil: 1${lineBreak}Bcc: evil@evil.example`

/** Every field of an email that ends up in a header, with a function that sets it. */
const fields: Readonly<Record<string, (text: string) => object>> = {
  subject: (text) => ({ subject: text }),
  "from.name": (text) => ({ from: { email: "suite@mail.example", name: text } }),
  "from.email": (text) => ({ from: { email: `${text}@mail.example` } }),
  from: (text) => ({ from: `${text} <suite@mail.example>` }),
  "to.name": (text) => ({ to: { email: "ada@example.org", name: text } }),
  "to.email": (text) => ({ to: { email: `ada@example.org${text}` } }),
  to: (text) => ({ to: `"${text}" <ada@example.org>` }),
  "cc.name": (text) => ({ cc: [{ email: "bob@example.org", name: text }] }),
  cc: (text) => ({ cc: [`${text} <bob@example.org>`] }),
  "bcc.name": (text) => ({ bcc: [{ email: "bob@example.org", name: text }] }),
  "replyTo.name": (text) => ({ replyTo: { email: "bob@example.org", name: text } }),
  replyTo: (text) => ({ replyTo: `bob@example.org${text}` }),
  // The header name ends at the colon of the injected header.
  "name of a header": (text) => ({ headers: { [`X-A${text.slice(0, text.indexOf(":"))}`]: "b" } }),
  "value of a header": (text) => ({ headers: { "X-A": text } }),
  "In-Reply-To": (text) => ({ headers: { "In-Reply-To": `<a@b.example>${text}` } }),
  References: (text) => ({ headers: { References: `<a@b.example>${text}` } }),
  filename: (text) => ({ attachments: [{ filename: text, contentType: "text/plain", content: "YQ==" }] }),
  contentType: (text) => ({
    attachments: [{ filename: "a", contentType: `text/plain${text}`, content: "YQ==" }]
  }),
  "parameter of contentType": (text) => ({
    attachments: [{ filename: "a", contentType: `text/plain; x="${text}"`, content: "YQ==" }]
  }),
  contentId: (text) => ({
    attachments: [{ filename: "a", contentType: "text/plain", content: "YQ==", contentId: text }]
  }),
  "name of a tag": (text) => ({ tags: { [text]: "b" } }),
  "value of a tag": (text) => ({ tags: { a: text } }),
  "name of metadata": (text) => ({ metadata: { [text]: "b" } }),
  "value of metadata": (text) => ({ metadata: { a: text } }),
  idempotencyKey: (text) => ({ idempotencyKey: text })
}

export const injectionSuite = (target: () => Target) =>
  describe("injection", () => {
    let account: TestAccount
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Injection")).sandbox
    })

    /** A server process is tested only with the two line ends of messages. */
    const tried = () => (target().advance === null ? breaks.slice(0, 2) : breaks)
    const send = (values: object) =>
      account.api<EmailAccepted>("POST", "/sending/emails", {
        to: "ada@example.org",
        subject: "s",
        text: "t",
        ...values
      })
    /** The messages that would have been sent for an email. */
    const messagesOf = async (id: string): Promise<ReadonlyArray<string>> => {
      await eventually(
        () => account.api<EmailSubmission>("GET", `/sending/emails/${id}`),
        (answer) => answer.value.status === "Delivered"
      )
      const inbox = await account.manage<
        Page<{ readonly id: string; readonly submissionId: string; readonly html: string | null }>
      >("GET", "/inbox?pageSize=50")
      const own = inbox.value.items.filter((message) => message.submissionId === id)
      expect(own.length).toBeGreaterThan(0)
      return Promise.all(
        own.map(async (message) => (await account.manage("GET", `/inbox/${message.id}/raw`)).text)
      )
    }
    /** Checks the whole message: its parts have headers too, and nothing in its content looks like a header. */
    const expectHarmless = async (raw: string, about: string) => {
      const names = raw
        .split(/\r\n|[\n\r\u0085\u2028\u2029\v\f\0]/)
        .map((line) => line.split(":", 1)[0]!.toLowerCase())
      expect([about, names.includes("x-evil"), names.includes("bcc")]).toEqual([about, false, false])
      const parsed = await simpleParser(raw)
      expect([about, parsed.headers.has("x-evil"), parsed.headers.has("bcc")]).toEqual([about, false, false])
    }

    it.each(Object.keys(fields))("an email's %s breaks no line", async (field) => {
      for (const lineBreak of tried()) {
        const about = `${field} ${JSON.stringify(lineBreak)}`
        const answer = await send(fields[field]!(evil(lineBreak)))
        expect([about, [201, 400].includes(answer.status)]).toEqual([about, true])
        if (answer.status === 400) continue
        for (const raw of await messagesOf(answer.value.id)) await expectHarmless(raw, about)
      }
    })

    it("a template's variables break no line of the subject", async () => {
      const template = await account.manage<{ readonly id: string }>("POST", "/templates", {
        name: "Injection",
        subject: "Hello {{ name }}",
        text: "t"
      })
      const templateId = template.value.id
      for (const lineBreak of tried()) {
        const answer = await account.api<EmailAccepted>("POST", "/sending/emails", {
          to: "ada@example.org",
          templateId,
          variables: { name: evil(lineBreak) }
        })
        const about = `a variable ${JSON.stringify(lineBreak)}`
        expect([about, [201, 400].includes(answer.status)]).toEqual([about, true])
        if (answer.status === 201)
          for (const raw of await messagesOf(answer.value.id)) await expectHarmless(raw, about)
      }
    })

    it("a default sender's name breaks no line", async () => {
      for (const lineBreak of tried()) {
        const answer = await account.manage("PATCH", "/settings", {
          defaultSender: { email: "suite@mail.example", name: evil(lineBreak) }
        })
        const about = `a default sender ${JSON.stringify(lineBreak)}`
        expect([about, [200, 400].includes(answer.status)]).toEqual([about, true])
        if (answer.status === 400) continue
        const { id } = (await send({})).value
        for (const raw of await messagesOf(id)) await expectHarmless(raw, about)
      }
    })

    it("a webhook's URL is one line", async () => {
      for (const lineBreak of tried()) {
        const url = `https://hook.example/${evil(lineBreak)}`
        const answer = await account.manage("POST", "/webhooks", { url, events: [] })
        expect([url, answer.status]).toEqual([url, 400])
      }
    })

    it("a tracked link redirects to one address, whatever it contains", async () => {
      const hrefs = [
        "https://shop.example/\r\nSet-Cookie: evil=1",
        "https://shop.example/%0d%0aSet-Cookie:%20evil=1",
        "https://shop.example/\u2028Set-Cookie: evil=1",
        "https://shop.example/ü/漢字?q=😀#é",
        "https://例え.example/"
      ]
      const html = hrefs.map((href) => `<a href="${href}">x</a>`).join("")
      const { value } = await send({ html, tracking: { opens: true, clicks: true } })
      await messagesOf(value.id)
      const inbox = await account.manage<Page<{ readonly submissionId: string; readonly html: string }>>(
        "GET",
        "/inbox?pageSize=50"
      )
      const shown = inbox.value.items.find((message) => message.submissionId === value.id)!.html
      const tracked = [...shown.matchAll(/href="([^"]*\/t\/c\/[^"]+)"/g)].map(
        ([, url]) => new URL(url!).pathname
      )
      expect(tracked.length).toBeGreaterThan(2)
      for (const path of tracked) {
        const response = await target().fetch(path, { redirect: "manual" })
        expect([path, response.status]).toEqual([path, 302])
        expect(response.headers.get("set-cookie")).toBeNull()
        expect(response.headers.get("location")).toMatch(/^https:\/\/[\x21-\x7e]+$/)
        expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      }
    })

    it("a path, a query or a header of a request is no header of the response", async () => {
      const escaped = "%0d%0aX-Evil:%201%0d%0a"
      const links = await account.api<{ readonly contact: { readonly id: string } }>("POST", "/contacts", {
        email: "page@example.org"
      })
      const made = await account.manage<Readonly<Record<string, string>>>(
        "POST",
        `/contacts/${links.value.contact.id}/links`
      )
      const pages = Object.values(made.value).flatMap((path) => [
        path,
        `${path}${escaped}`,
        `${path}?saved=${escaped}`
      ])
      for (const path of [...pages, `/p/${escaped}`, `/t/c/${escaped}`, `/t/o/${escaped}`, `/${escaped}`]) {
        for (const method of ["GET", "POST"]) {
          const response = await target().fetch(path, {
            method,
            redirect: "manual",
            headers: { "x-request-id": "a b", "content-type": `application/x-www-form-urlencoded` },
            ...(method === "POST" ? { body: `action=save&shown=${escaped}` } : {})
          })
          const { headers } = response
          expect([path, headers.has("x-evil")]).toEqual([path, false])
          expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
          expect(headers.get("x-content-type-options")).toBe("nosniff")
          expect(headers.get("cache-control")).toBe("no-store")
          if (headers.get("content-type")?.startsWith("text/html") !== true) continue
          expect(headers.get("content-security-policy")).toMatch(
            /^default-src 'none'; .*frame-ancestors 'none'$/
          )
          expect(headers.get("referrer-policy")).toBe("no-referrer")
        }
      }
    })

    it("the file name of an import's report is derived from its id alone", async () => {
      const started = await call<{ readonly id: string }>(
        target(),
        "POST",
        `/manage/v1/accounts/${account.accountId}/imports?name=a%0d%0aX-Evil:%201`,
        {
          token: target().managementToken,
          body: "email\nnobody\n=cmd()@example.org\n",
          headers: { "content-type": "text/csv" }
        }
      )
      expect([202, 400]).toContain(started.status)
      if (started.status === 400) return
      const { headers } = await account.manage("GET", `/imports/${started.value.id}/errors`)
      expect(headers.get("content-disposition")).toBe(
        `attachment; filename="import-${started.value.id}-errors.csv"`
      )
    })
  })

/**
 * Tests of validating email requests (docs/contributing/public-api.md "Transactional email", docs/contributing/decisions.md 5).
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import {
  parseEmailRequest,
  type EmailCommand,
  type EmailRequest
} from "../../../../core/sending/emails/EmailRequest.ts"
import type { Json } from "../../../../core/shared/Json.ts"
import { anyText, longTexts } from "../../arbitraries.ts"

const now = Date.UTC(2031, 4, 6, 7, 8, 9)

const valid = { to: "jane@example.com", subject: "Hello", html: "<p>Hello</p>" }

const issuesOf = (request: EmailRequest, headerKey: string | null = null) => {
  const result = parseEmailRequest(request, headerKey, now)
  return Result.isFailure(result) ? result.failure.issues.map(({ code, field }) => `${code} ${field}`) : []
}

const accepted = (request: EmailRequest, headerKey: string | null = null): EmailCommand => {
  return Result.getOrThrow(parseEmailRequest(request, headerKey, now))
}

const labels = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]))

/** The request that is parsed to a given command. */
const requestOf = (command: EmailCommand): EmailRequest => {
  const { body, recipients, sendAt, trackClicks, trackOpens, ...rest } = command
  const ofKind = (kind: string) => recipients.filter((recipient) => recipient.kind === kind)
  return {
    ...rest,
    ...(body._tag === "Content"
      ? { subject: body.subject, html: body.html, text: body.text }
      : { templateId: body.id, variables: body.variables }),
    to: ofKind("To"),
    cc: ofKind("Cc"),
    bcc: ofKind("Bcc"),
    sendAt: sendAt === null ? null : new Date(sendAt).toISOString(),
    tracking: { opens: trackOpens, clicks: trackClicks }
  }
}

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString("base64")

const file = { filename: "a.pdf", contentType: "application/pdf", content: base64("%PDF") }

const to = (count: number, prefix = "p") =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}@example.com`)

describe("parseEmailRequest", () => {
  it("accepts a minimal request", () => {
    expect(accepted(valid)).toEqual({
      from: null,
      recipients: [{ email: "jane@example.com", name: null, kind: "To" }],
      replyTo: null,
      body: { _tag: "Content", subject: "Hello", html: "<p>Hello</p>", text: null },
      keepsContent: false,
      attachments: [],
      headers: [],
      sendAt: null,
      idempotencyKey: null,
      tags: {},
      metadata: {},
      trackOpens: null,
      trackClicks: null
    })
    expect(accepted({ ...valid, html: null, text: " Hello\n" }).body).toMatchObject({
      html: null,
      text: " Hello\n"
    })
  })

  it("keeps the empty text of html, which leaves out the text part", () => {
    for (const text of ["", " \n"]) expect(accepted({ ...valid, text }).body).toMatchObject({ text: "" })
    expect(accepted({ ...valid, html: "", text: "Hello" }).body).toMatchObject({ html: null, text: "Hello" })
    expect(issuesOf({ ...valid, html: null, text: "" })).not.toEqual([])
  })

  it("accepts every address form and all options", () => {
    const options = {
      subject: " Zoë, 漢字 👋 ",
      text: "Hello",
      idempotencyKey: "order-7!~",
      tags: { "a.B_c-1": "x".repeat(256) },
      metadata: { order: "" },
      tracking: { opens: true, clicks: false }
    }
    for (const address of ["Jane <Jane@Example.com>", { email: "jane@example.com", name: "Jane" }]) {
      const jane = { email: "jane@example.com", name: "Jane" }
      const request = { ...valid, ...options, to: address, from: address, replyTo: address }
      expect(accepted(request)).toEqual({
        from: jane,
        recipients: [{ ...jane, kind: "To" }],
        replyTo: jane,
        body: { _tag: "Content", subject: "Zoë, 漢字 👋", html: "<p>Hello</p>", text: "Hello" },
        keepsContent: false,
        attachments: [],
        headers: [],
        sendAt: null,
        idempotencyKey: "order-7!~",
        tags: options.tags,
        metadata: options.metadata,
        trackOpens: true,
        trackClicks: false
      })
    }
  })

  it("keeps an address once, in its first role, and accepts at most 50 recipients", () => {
    const { recipients } = accepted({
      ...valid,
      cc: ["Ann <ann@example.com>", "JANE@example.com", "ann@Example.com"],
      bcc: ["bob@example.com", "ann@example.com"]
    })
    expect(recipients).toEqual([
      { email: "jane@example.com", name: null, kind: "To" },
      { email: "ann@example.com", name: "Ann", kind: "Cc" },
      { email: "bob@example.com", name: null, kind: "Bcc" }
    ])
    expect(accepted({ ...valid, cc: to(40), bcc: to(9, "q") }).recipients).toHaveLength(50)
    expect(issuesOf({ ...valid, cc: to(40), bcc: to(10, "q") })).toEqual(["sending.recipients_too_many to"])
    expect(accepted({ ...valid, to: [], bcc: ["bob@example.com"] }).recipients).toHaveLength(1)
  })

  it("accepts attachments with every byte, as bytes or base64", () => {
    const bytes = Uint8Array.from({ length: 256 * 3 }, (_, index) => index % 256)
    for (const length of [0, 1, 2, 3, 255, 768]) {
      const content = bytes.slice(0, length)
      for (const given of [content, base64(content)]) {
        const { attachments } = accepted({ ...valid, attachments: [{ ...file, content: given }] })
        expect(attachments).toEqual([
          { filename: "a.pdf", contentType: "application/pdf", contentId: null, content }
        ])
      }
    }
    const odd = { ...file, filename: " Zoë's 漢字.pdf ", contentType: "Image/SVG+XML", contentId: "<logo@x>" }
    expect(accepted({ ...valid, attachments: [odd] }).attachments[0]).toMatchObject({
      filename: "Zoë's 漢字.pdf",
      contentType: "image/svg+xml",
      contentId: "logo@x"
    })
    const most = 5 * 1024 * 1024
    expect(accepted({ ...valid, attachments: [{ ...file, content: new Uint8Array(most) }] })).toBeDefined()
    const half = base64(new Uint8Array(most / 2 + 1))
    const two = [file, file].map((one) => ({ ...one, content: half }))
    expect(issuesOf({ ...valid, attachments: two })).toEqual(["sending.attachments_too_large attachments"])
    const many = Array.from({ length: 11 }, () => file)
    expect(issuesOf({ ...valid, attachments: many })).toEqual(["sending.attachments_too_many attachments"])
    expect(accepted({ ...valid, attachments: many.slice(1) }).attachments).toHaveLength(10)
  })

  it.each<[object, string]>([
    [{ filename: "" }, "filename"],
    [{ filename: ".." }, "filename"],
    [{ filename: "a/b" }, "filename"],
    [{ filename: "a\\b" }, "filename"],
    [{ filename: "a\r\nb" }, "filename"],
    [{ filename: "a\0b" }, "filename"],
    [{ filename: "\ud800" }, "filename"],
    [{ filename: "x".repeat(256) }, "filename"],
    [{ contentType: "pdf" }, "contentType"],
    [{ contentType: "text/html\r\nX: y" }, "contentType"],
    [{ contentType: "multipart/mixed" }, "contentType"],
    [{ content: "YQ" }, "content"],
    [{ content: "YQ=" }, "content"],
    [{ content: "YR==" }, "content"],
    [{ content: "Y===" }, "content"],
    [{ content: "====" }, "content"],
    [{ content: "YWE\n" }, "content"],
    [{ content: "YW-_" }, "content"],
    [{ content: "YWéé" }, "content"],
    [{ content: "YQ==YQ==" }, "content"],
    [{ contentId: "" }, "contentId"],
    [{ contentId: "a b" }, "contentId"],
    [{ contentId: "a>b" }, "contentId"],
    [{ contentId: "ü" }, "contentId"],
    [{ contentId: "x".repeat(201) }, "contentId"]
  ])("rejects an attachment with %j", (values, field) => {
    const request = { ...valid, attachments: [file, { ...file, ...values }] }
    expect(issuesOf(request)).toEqual([`sending.attachment_invalid attachments[1].${field}`])
  })

  it("decodes base64 as Node does, and rejects any other string", () => {
    const some = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map(base64),
      fc.base64String({ maxLength: 40 }),
      fc.stringMatching(/^[A-Za-z0-9+/=]{0,12}$/),
      anyText
    )
    fc.assert(
      fc.property(some, (content) => {
        const result = parseEmailRequest({ ...valid, attachments: [{ ...file, content }] }, null, now)
        const canonical = base64(Buffer.from(content, "base64")) === content
        expect(Result.isSuccess(result)).toBe(canonical)
        if (Result.isSuccess(result)) expect(base64(result.success.attachments[0]!.content)).toBe(content)
      }),
      { numRuns: 2000 }
    )
  })

  it("accepts the allowed headers", () => {
    const headers = {
      "X-Order": " 1 ",
      "x-y": "Grüße",
      "in-reply-to": "<a@b>",
      REFERENCES: Array.from({ length: 20 }, (_, index) => `<${index}@example.com>`).join(" ")
    }
    expect(accepted({ ...valid, headers }).headers).toEqual([
      { name: "X-Order", value: "1" },
      { name: "x-y", value: "Grüße" },
      { name: "In-Reply-To", value: "<a@b>" },
      { name: "References", value: headers.REFERENCES }
    ])
    const twice = [
      { name: "X-A", value: "1" },
      { name: "X-A", value: "2" }
    ]
    expect(accepted({ ...valid, headers: twice }).headers).toEqual(twice)
    const some = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, "v"]))
    expect(accepted({ ...valid, headers: some(20) }).headers).toHaveLength(20)
    expect(issuesOf({ ...valid, headers: some(21) })).toEqual(["sending.headers_too_many headers"])
  })

  it.each<[string, string, string]>([
    ["Bcc", "x@y.example", "sending.header_not_allowed headers.Bcc"],
    ["Subject", "x", "sending.header_not_allowed headers.Subject"],
    ["X-", "x", "sending.header_not_allowed headers.X-"],
    ["X-A B", "x", "sending.header_not_allowed headers.X-A B"],
    ["X-A:B", "x", "sending.header_not_allowed headers.X-A:B"],
    ["X-A\r\nBcc", "x", "sending.header_not_allowed headers"],
    ["X-Ü", "x", "sending.header_not_allowed headers"],
    ["x-svc-tags", "x", "sending.header_not_allowed headers.x-svc-tags"],
    [`X-${"a".repeat(75)}`, "x", "sending.header_not_allowed headers"],
    ["X-A", "", "sending.header_invalid headers.X-A"],
    ["X-A", "a\r\nBcc: x@y.example", "sending.header_invalid headers.X-A"],
    ["X-A", "a\nb", "sending.header_invalid headers.X-A"],
    ["X-A", "a\0", "sending.header_invalid headers.X-A"],
    ["X-A", "\udc00", "sending.header_invalid headers.X-A"],
    ["X-A", "a".repeat(901), "sending.header_invalid headers.X-A"],
    ["X-A", "a ".repeat(1001), "validation.max_length headers.X-A"],
    ["references", "<ü@x>", "sending.header_invalid headers.References"]
  ])("rejects the header %j: %j", (name, value, expected) => {
    expect(issuesOf({ ...valid, headers: { [name]: value } })).toEqual([expected])
  })

  it("rejects a second In-Reply-To or References header", () => {
    const headers = { References: "<a@b>", references: "<c@d>" }
    expect(issuesOf({ ...valid, headers })).toEqual(["sending.header_not_allowed headers.References"])
  })

  it("accepts a template instead of content, not beside it", () => {
    const templateId = "0197f6a0-0000-7000-8000-000000000001"
    const variables = { name: "Zoë", list: [1, { a: null }] }
    expect(accepted({ to: valid.to, templateId: ` ${templateId.toUpperCase()}`, variables }).body).toEqual({
      _tag: "Template",
      id: templateId,
      variables
    })
    expect(accepted({ to: valid.to, templateId, subject: "", html: " " }).body._tag).toBe("Template")
    expect(issuesOf({ ...valid, templateId })).toEqual([
      "sending.content_ambiguous subject",
      "sending.content_ambiguous html"
    ])
    expect(issuesOf({ ...valid, variables })).toEqual(["sending.content_ambiguous variables"])
    expect(issuesOf({ ...valid, variables: {} })).toEqual([])
    expect(issuesOf({ to: valid.to, templateId: "welcome" })).toEqual([
      "sending.template_not_found templateId"
    ])
    const large = { a: "x".repeat(100_000) }
    expect(issuesOf({ to: valid.to, templateId, variables: large })).toEqual([
      "sending.variables_invalid variables"
    ])
    let deep: Json = "x"
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(issuesOf({ to: valid.to, templateId, variables: { deep } })).toEqual([
      "sending.variables_invalid variables"
    ])
  })

  it("accepts a time with an offset, up to 30 days ahead", () => {
    const at = (millis: number) => new Date(now + millis).toISOString()
    const days30 = 30 * 86_400_000
    expect(accepted({ ...valid, sendAt: "2031-05-06T12:00:00+02:00" }).sendAt).toBe(Date.UTC(2031, 4, 6, 10))
    expect(accepted({ ...valid, sendAt: at(-days30) }).sendAt).toBe(now - days30)
    expect(accepted({ ...valid, sendAt: at(days30) }).sendAt).toBe(now + days30)
    expect(issuesOf({ ...valid, sendAt: at(days30 + 1) })).toEqual(["sending.send_at_too_far sendAt"])
    for (const sendAt of ["", "tomorrow", "2031-05-06", "2031-05-06T12:00:00", "2031-02-30T12:00:00Z"]) {
      expect(issuesOf({ ...valid, sendAt })).toEqual(["validation.format sendAt"])
    }
  })

  it.each<[EmailRequest, ReadonlyArray<string>]>([
    [{ ...valid, to: null }, ["validation.required to"]],
    [{ ...valid, to: "jane" }, ["validation.email to"]],
    [{ ...valid, to: "a@example.com, b@example.com" }, ["validation.email to"]],
    [{ ...valid, to: [] }, ["validation.required to"]],
    [{ ...valid, from: "nobody" }, ["validation.email from"]],
    [{ ...valid, replyTo: "a@b.example\r\nBcc: c@d.example" }, ["validation.email replyTo"]],
    [
      { ...valid, cc: ["a@b.example", "x"], bcc: ["y"] },
      ["validation.email cc[1]", "validation.email bcc[0]"]
    ],
    [{ ...valid, subject: null }, ["sending.content_required subject"]],
    [{ ...valid, html: null }, ["sending.content_required html"]],
    [{ ...valid, html: " ", text: "\n" }, ["sending.content_required html"]],
    [{ ...valid, subject: "x".repeat(301) }, ["validation.max_length subject"]],
    [{ ...valid, subject: "Hello\r\nBcc: x@example.com" }, ["validation.format subject"]],
    [{ ...valid, subject: "a\0b" }, ["validation.format subject"]],
    [{ ...valid, html: "x".repeat(500_001) }, ["validation.max_length html"]],
    [{ ...valid, html: "<p>\ud800</p>" }, ["validation.format html"]],
    [{ ...valid, text: "a\0" }, ["validation.format text"]],
    [{ ...valid, idempotencyKey: "" }, ["sending.idempotency_key_invalid idempotencyKey"]],
    [{ ...valid, idempotencyKey: "a b" }, ["sending.idempotency_key_invalid idempotencyKey"]],
    [{ ...valid, idempotencyKey: "ü" }, ["sending.idempotency_key_invalid idempotencyKey"]],
    [{ ...valid, idempotencyKey: "x".repeat(151) }, ["sending.idempotency_key_invalid idempotencyKey"]],
    [{ ...valid, tags: labels(21) }, ["sending.tags_invalid tags"]],
    [{ ...valid, tags: { "": "x" } }, ["sending.tags_invalid tags"]],
    [{ ...valid, tags: { "a b": "x" } }, ["sending.tags_invalid tags"]],
    [{ ...valid, tags: { ["x".repeat(65)]: "x" } }, ["sending.tags_invalid tags"]],
    [{ ...valid, metadata: { a: "x".repeat(257) } }, ["sending.metadata_invalid metadata.a"]],
    [{ ...valid, metadata: { a: "\ud800" } }, ["sending.metadata_invalid metadata.a"]]
  ])("rejects %j", (request, expected) => {
    expect(issuesOf(request)).toEqual(expected)
  })

  it("accepts values at each limit", () => {
    const most = {
      ...valid,
      subject: "x".repeat(300),
      html: "x".repeat(500_000),
      idempotencyKey: "~".repeat(150),
      tags: labels(20),
      metadata: { ["x".repeat(64)]: "" }
    }
    expect(accepted(most)).toMatchObject({
      body: { subject: most.subject, html: most.html },
      tags: most.tags
    })
  })

  it("accepts the idempotency key in the header or the body, and rejects two different keys", () => {
    expect(accepted(valid, "key").idempotencyKey).toBe("key")
    expect(accepted({ ...valid, idempotencyKey: "key" }, "key").idempotencyKey).toBe("key")
    expect(issuesOf({ ...valid, idempotencyKey: "key" }, "other")).toEqual([
      "sending.idempotency_key_mismatch idempotencyKey"
    ])
    expect(issuesOf(valid, "a b")).toEqual(["sending.idempotency_key_invalid idempotencyKey"])
    const visible = /^[!-~]{1,150}$/
    fc.assert(
      fc.property(fc.oneof(anyText, fc.stringMatching(visible)), (key) => {
        expect(issuesOf(valid, key).length).toBe(visible.test(key) ? 0 : 1)
      })
    )
  })

  it("accepts its own output unchanged, without characters that break a header", () => {
    const field = (text: string) => fc.option(fc.oneof(anyText, fc.constant(text)))
    const anyLabels = fc.option(
      fc.dictionary(fc.oneof(anyText, fc.constantFrom("a", "b.c", "__proto__", "toString")), anyText, {
        maxKeys: 2
      })
    )
    const address = fc.oneof(
      fc.constant("Jane <jane@example.com>"),
      anyText.map((name) => `${name} <jane@example.com>`),
      fc.record({ email: fc.constant("ann@example.com"), name: field("Jane") })
    )
    const anyRequest: fc.Arbitrary<EmailRequest> = fc.record(
      {
        from: fc.option(address),
        to: address,
        cc: fc.option(fc.array(address, { maxLength: 3 })),
        bcc: fc.option(fc.array(address, { maxLength: 3 })),
        replyTo: fc.option(address),
        subject: field("Hello"),
        html: field("<p>"),
        text: field("Hello"),
        attachments: fc.option(
          fc.array(
            fc.record({
              filename: fc.oneof(anyText, fc.constant("a")),
              contentType: fc.oneof(anyText, fc.constant("a/b")),
              content: fc.oneof(anyText, fc.constant("YQ==")),
              contentId: field("a@b")
            }),
            { maxLength: 2 }
          )
        ),
        headers: fc.option(
          fc.dictionary(fc.oneof(anyText, fc.constantFrom("X-A", "References", "__proto__")), anyText, {
            maxKeys: 2
          })
        ),
        sendAt: fc.option(fc.oneof(anyText, fc.constant("2031-05-06T12:00:00Z"))),
        idempotencyKey: fc.option(fc.stringMatching(/^[!-~ ]{0,4}$/)),
        tags: anyLabels,
        metadata: anyLabels,
        tracking: fc.option(fc.record({ opens: fc.option(fc.boolean()), clicks: fc.option(fc.boolean()) }))
      },
      { requiredKeys: [] }
    )
    fc.assert(
      fc.property(anyRequest, (request) => {
        const result = parseEmailRequest(request, null, now)
        if (Result.isFailure(result)) return
        const command = result.success
        const { attachments, body, headers, recipients } = command
        if (body._tag === "Template") return
        expect(parseEmailRequest(requestOf(command), command.idempotencyKey, now)).toEqual(result)
        const names = [command.from, command.replyTo, ...recipients].map((mailbox) => mailbox?.name ?? "")
        const written = [
          ...headers.flatMap(({ name, value }) => [name, value]),
          ...attachments.flatMap(({ contentId, contentType, filename }) => [
            filename,
            contentType,
            contentId ?? ""
          ])
        ]
        expect([body.subject, ...names, ...written].join("")).not.toMatch(/[\0-\x1f\x7f]/)
        expect(body.html ?? body.text).not.toBeNull()
        expect(Object.entries(command.tags)).toEqual(Object.entries(request.tags ?? {}))
        expect(JSON.stringify(command)).not.toMatch(/\\u0000|\\ud[89a-f]/)
      }),
      { numRuns: 3000 }
    )
  })

  it("rejects strings longer than their limits", () => {
    for (const text of longTexts) {
      const long = {
        ...valid,
        to: text,
        subject: `x${text}x`,
        tags: { [text]: "x" },
        metadata: { a: `x${text}x` }
      }
      const codes = issuesOf(long, text)
      expect(codes).toContain("validation.email to")
      expect(codes).toContain("sending.idempotency_key_invalid idempotencyKey")
      expect(codes).toContain("sending.tags_invalid tags")
      expect(codes).toContain("sending.metadata_invalid metadata.a")
      expect(codes.some((code) => code.endsWith(" subject"))).toBe(true)
    }
  })
})

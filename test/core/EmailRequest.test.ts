/**
 * Email requests as they come in (public-api "Transactional email", decisions 5).
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { checkEmailRequest, type EmailCommand, type EmailRequest } from "../../core/sending/EmailRequest.ts"
import { Problem } from "../../core/shared/Problem.ts"
import { anyText, longTexts } from "./arbitraries.ts"

const valid = { to: "jane@example.com", subject: "Hello", html: "<p>Hello</p>" }

const issuesOf = (request: EmailRequest, headerKey: string | null = null) => {
  const result = checkEmailRequest(request, headerKey)
  return result instanceof Problem ? result.issues.map(({ code, field }) => `${code} ${field}`) : []
}

const accepted = (request: EmailRequest, headerKey: string | null = null): EmailCommand => {
  const command = checkEmailRequest(request, headerKey)
  if (command instanceof Problem) throw command
  return command
}

const labels = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]))

/** The request that says what a command says. */
const requestOf = ({ trackClicks, trackOpens, ...command }: EmailCommand): EmailRequest => ({
  ...command,
  tracking: { opens: trackOpens, clicks: trackClicks }
})

describe("checkEmailRequest", () => {
  it("takes the least there is", () => {
    expect(accepted(valid)).toEqual({
      to: { email: "jane@example.com", name: null },
      subject: "Hello",
      html: "<p>Hello</p>",
      text: null,
      idempotencyKey: null,
      tags: {},
      metadata: {},
      trackOpens: null,
      trackClicks: null
    })
    expect(accepted({ ...valid, html: null, text: " Hello\n" })).toMatchObject({
      html: null,
      text: " Hello\n"
    })
  })

  it("takes every address form and all options", () => {
    const options = {
      subject: " Zoë, 漢字 👋 ",
      text: "Hello",
      idempotencyKey: "order-7!~",
      tags: { "a.B_c-1": "x".repeat(256) },
      metadata: { order: "" },
      tracking: { opens: true, clicks: false }
    }
    for (const to of ["Jane <Jane@Example.com>", { email: "jane@example.com", name: "Jane" }]) {
      expect(accepted({ ...valid, ...options, to })).toEqual({
        to: { email: "jane@example.com", name: "Jane" },
        subject: "Zoë, 漢字 👋",
        html: "<p>Hello</p>",
        text: "Hello",
        idempotencyKey: "order-7!~",
        tags: options.tags,
        metadata: options.metadata,
        trackOpens: true,
        trackClicks: false
      })
    }
  })

  it.each<[EmailRequest, ReadonlyArray<string>]>([
    [{ ...valid, to: null }, ["validation.required to"]],
    [{ ...valid, to: "jane" }, ["validation.email to"]],
    [{ ...valid, to: "a@example.com, b@example.com" }, ["validation.email to"]],
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
  ])("refuses %j", (request, expected) => {
    expect(issuesOf(request)).toEqual(expected)
  })

  it("takes each limit exactly", () => {
    const most = {
      ...valid,
      subject: "x".repeat(300),
      html: "x".repeat(500_000),
      idempotencyKey: "~".repeat(150),
      tags: labels(20),
      metadata: { ["x".repeat(64)]: "" }
    }
    expect(accepted(most)).toMatchObject({ subject: most.subject, html: most.html, tags: most.tags })
  })

  it("takes the idempotency key of the header or the body for the same thing, and refuses two", () => {
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

  it("accepts unchanged what it has accepted, and no header can be broken by it", () => {
    const field = (text: string) => fc.option(fc.oneof(anyText, fc.constant(text)))
    const anyLabels = fc.option(
      fc.dictionary(fc.oneof(anyText, fc.constantFrom("a", "b.c", "__proto__", "toString")), anyText, {
        maxKeys: 2
      })
    )
    const anyRequest: fc.Arbitrary<EmailRequest> = fc.record(
      {
        to: fc.oneof(
          fc.constant("Jane <jane@example.com>"),
          anyText.map((name) => `${name} <jane@example.com>`),
          fc.record({ email: fc.constant("jane@example.com"), name: field("Jane") })
        ),
        subject: field("Hello"),
        html: field("<p>"),
        text: field("Hello"),
        idempotencyKey: fc.option(fc.stringMatching(/^[!-~ ]{0,4}$/)),
        tags: anyLabels,
        metadata: anyLabels,
        tracking: fc.option(fc.record({ opens: fc.option(fc.boolean()), clicks: fc.option(fc.boolean()) }))
      },
      { requiredKeys: [] }
    )
    fc.assert(
      fc.property(anyRequest, (request) => {
        const command = checkEmailRequest(request, null)
        if (command instanceof Problem) return
        expect(checkEmailRequest(requestOf(command), command.idempotencyKey)).toEqual(command)
        expect(`${command.subject}${command.to.name ?? ""}`).not.toMatch(/[\0-\x1f\x7f]/)
        expect(command.html ?? command.text).not.toBeNull()
        expect(Object.entries(command.tags)).toEqual(Object.entries(request.tags ?? {}))
        expect(JSON.stringify(command)).not.toMatch(/\\u0000|\\ud[89a-f]/)
      }),
      { numRuns: 3000 }
    )
  })

  it("refuses long text where it is too long", () => {
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

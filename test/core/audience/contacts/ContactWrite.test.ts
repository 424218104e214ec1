/**
 * Tests of parsing contact writes and references: each field is normalized or rejected (docs/contributing/public-api.md "Contact
 * write shape", docs/contributing/decisions.md 2 and 3).
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import {
  type ContactCommand,
  parseContactWrite,
  batchSizeProblem
} from "../../../../core/audience/contacts/ContactWrite.ts"
import type { ContactWrite } from "../../../../core/model/ContactInput.ts"
import { parseReference, type Reference } from "../../../../core/audience/contacts/Reference.ts"
import { Problem } from "../../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../../core/shared/Validate.ts"
import { anyText, longTexts, textOf } from "../../arbitraries.ts"

const id = "01963f0e-7c00-7abc-8def-0123456789ab"
const proof = { text: "Yes, please" }
const now = Date.UTC(2031, 4, 1)

const issuesOf = (result: Result.Result<unknown, Problem>) =>
  Result.isFailure(result) ? result.failure.issues.map(({ code, field }) => `${code} ${field}`) : []

const accepted = (write: ContactWrite): ContactCommand => Result.getOrThrow(parseContactWrite(write, now))

/** The write that parses into a command. */
const writeOf = (command: ContactCommand): ContactWrite => ({
  id: command.id,
  externalId: command.externalId,
  email: command.email,
  ...command.profile,
  attributes: command.attributes,
  topics: command.topics,
  ...(command.consent !== null && {
    consent: {
      basis: command.consent._tag,
      proof: command.proof && {
        ...command.proof,
        givenAt: command.proof.givenAt === null ? null : formatDateTime(command.proof.givenAt)
      }
    }
  })
})

describe("parseContactWrite", () => {
  it("normalizes every field", () => {
    expect(
      accepted({
        id: ` ${id.toUpperCase()} `,
        externalId: " User-7 ",
        email: " Jane@Example.COM ",
        firstName: " Zoë ",
        lastName: "",
        phone: " +49 (0)30 123 ",
        city: null,
        countryCode: "de",
        language: "de-at",
        consent: {
          basis: "Subscribed",
          proof: {
            text: " Yes ",
            textVersion: "v2 ",
            locale: "de",
            ipAddress: "2001:db8::1",
            givenAt: "2031-04-06T07:08:09+02:00"
          }
        }
      })
    ).toEqual({
      id,
      externalId: "User-7",
      email: "jane@example.com",
      profile: {
        firstName: "Zoë",
        lastName: null,
        phone: "+49 (0)30 123",
        city: null,
        countryCode: "DE",
        language: "de-AT"
      },
      consent: {
        _tag: "Subscribed",
        proof: {
          text: "Yes",
          textVersion: "v2",
          locale: "de",
          ipAddress: "2001:db8::1",
          givenAt: Date.UTC(2031, 3, 6, 5, 8, 9)
        }
      },
      proof: expect.objectContaining({ text: "Yes" }),
      attributes: {},
      topics: {}
    })
  })

  it("returns null for fields that are left out", () => {
    const nothing = {
      id: null,
      externalId: null,
      email: null,
      profile: {},
      consent: null,
      proof: null,
      attributes: {},
      topics: {}
    }
    expect(accepted({})).toEqual(nothing)
    expect(accepted({ attributes: null, topics: null, consent: null })).toEqual(nothing)
  })

  it("returns attributes and topics unvalidated", () => {
    const choices = { attributes: { plan: "pro", seats: null }, topics: { news: true } }
    expect(accepted(choices)).toMatchObject(choices)
  })

  it("accepts a batch of up to 1,000 contacts", () => {
    expect(batchSizeProblem(0)).toBeUndefined()
    expect(batchSizeProblem(1000)).toBeUndefined()
    expect(batchSizeProblem(1001)?.issues).toEqual([
      {
        code: "audience.batch_too_large",
        field: "contacts",
        params: { max: 1000 },
        details: { found: "1001" }
      }
    ])
  })

  it.each<[ContactWrite, ReadonlyArray<string>]>([
    [{ id: "7" }, ["validation.format id"]],
    [{ email: "jane" }, ["validation.email email"]],
    [{ email: "" }, ["validation.email email"]],
    [{ externalId: "x".repeat(201) }, ["validation.max_length externalId"]],
    [{ phone: "1".repeat(41) }, ["validation.max_length phone"]],
    [{ countryCode: "XX" }, ["validation.format countryCode"]],
    [{ language: "english language" }, ["validation.format language"]],
    [{ firstName: "a\0b" }, ["validation.format firstName"]],
    [{ city: "\ud800" }, ["validation.format city"]],
    [{ consent: { basis: "Bounced" } }, ["validation.format consent.basis"]],
    [{ consent: { basis: "subscribed", proof } }, ["validation.format consent.basis"]],
    [{ consent: { basis: "Subscribed" } }, ["audience.consent_proof_required consent.proof.text"]],
    [
      { consent: { basis: "Subscribed", proof: { text: " ", locale: "de" } } },
      ["audience.consent_proof_required consent.proof.text"]
    ],
    [
      { consent: { basis: "Customer", proof: { ...proof, ipAddress: "localhost" } } },
      ["validation.format consent.proof.ipAddress"]
    ],
    [
      { consent: { basis: "Customer", proof: { ...proof, givenAt: "yesterday" } } },
      ["validation.format consent.proof.givenAt"]
    ],
    [{ email: "jane", countryCode: "XX" }, ["validation.email email", "validation.format countryCode"]]
  ])("rejects %j", (write, expected) => {
    expect(issuesOf(parseContactWrite(write, now))).toEqual(expected)
  })

  it("returns a proof submitted with another basis", () => {
    const parsedProof = {
      text: "Yes, please",
      textVersion: null,
      locale: null,
      ipAddress: null,
      givenAt: null
    }
    for (const basis of ["Customer", "Unsubscribed"]) {
      const command = accepted({ consent: { basis, proof } })
      expect(command).toMatchObject({ consent: { _tag: basis }, proof: parsedProof })
      expect(accepted({ consent: { basis } })).toMatchObject({ consent: { _tag: basis }, proof: null })
    }
  })

  const valid = (text: string) => fc.oneof(anyText, fc.constant(text))
  const field = (text: string) => fc.option(valid(text))
  const anyWrite: fc.Arbitrary<ContactWrite> = fc.record(
    {
      id: field(id),
      externalId: field("user-7"),
      email: field("jane@example.com"),
      firstName: field("Jane"),
      lastName: field("Doe"),
      phone: field("+49 30 123"),
      city: field("Rome"),
      countryCode: field("it"),
      language: field("it-ch"),
      attributes: fc.option(fc.dictionary(anyText, fc.oneof(fc.constant(null), anyText), { maxKeys: 2 })),
      topics: fc.option(fc.dictionary(anyText, fc.boolean(), { maxKeys: 1 })),
      consent: fc.option(
        fc.record(
          {
            basis: fc.oneof(fc.constantFrom("Customer", "Subscribed", "Unsubscribed"), anyText),
            proof: fc.option(
              fc.record(
                {
                  text: field("Yes"),
                  textVersion: field("v1"),
                  locale: field("de"),
                  ipAddress: field("127.0.0.1"),
                  givenAt: field("2031-04-06T07:08:09Z")
                },
                { requiredKeys: [] }
              )
            )
          },
          { requiredKeys: ["basis"] }
        )
      )
    },
    { requiredKeys: [] }
  )

  it("parses a parsed write into the same command, and names a field of the request in each issue", () => {
    fc.assert(
      fc.property(anyWrite, (write) => {
        const parsed = parseContactWrite(write, now)
        if (Result.isFailure(parsed)) {
          for (const entry of parsed.failure.issues) {
            const [first] = entry.field!.split(".")
            expect(Object.keys(write)).toContain(first)
          }
          return
        }
        const command = parsed.success
        expect(parseContactWrite(writeOf(command), now)).toEqual(parsed)
        if (command.consent?._tag === "Subscribed") expect(command.consent.proof.text).toMatch(/\S/)
        const { attributes, topics, ...rest } = command
        expect({ attributes, topics }).toEqual({
          attributes: write.attributes ?? {},
          topics: write.topics ?? {}
        })
        const text = JSON.stringify(rest)
        expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/)
      }),
      { numRuns: 3000 }
    )
  })

  it("rejects a proof given in the future, beyond what clocks may differ", () => {
    fc.assert(
      fc.property(fc.integer({ min: -100_000, max: 100_000 }), fc.boolean(), (ahead, isSubscribed) => {
        const basis = isSubscribed ? "Subscribed" : "Customer"
        const givenAt = formatDateTime(now + ahead)
        const issues = issuesOf(parseContactWrite({ consent: { basis, proof: { ...proof, givenAt } } }, now))
        expect(issues).toEqual(ahead > 5_000 ? ["validation.range consent.proof.givenAt"] : [])
      })
    )
  })

  it("rejects long strings with an issue for each field", () => {
    const fields = [
      "externalId",
      "email",
      "firstName",
      "phone",
      "city",
      "countryCode",
      "language",
      "id"
    ] as const
    for (const text of longTexts) {
      if (text.trim() === "") continue
      const write = Object.fromEntries(fields.map((name) => [name, text]))
      const problem = Result.merge(
        parseContactWrite({ ...write, consent: { basis: "Subscribed", proof: { ...write, text } } }, now)
      )
      expect(problem).toBeInstanceOf(Problem)
      const named = (problem as Problem).issues.map((entry) => entry.field)
      expect(named).toEqual(expect.arrayContaining([...fields, "consent.proof.text"]))
    }
  })
})

describe("parseReference", () => {
  it.each<[string, Reference]>([
    [id, { _tag: "Id", id }],
    [id.toUpperCase(), { _tag: "Id", id }],
    ["ext:user-7", { _tag: "ExternalId", externalId: "user-7" }],
    ["ext:email:a@b.c", { _tag: "ExternalId", externalId: "email:a@b.c" }],
    [`ext:${id}`, { _tag: "ExternalId", externalId: id }],
    ["email:Jane@Example.com", { _tag: "Email", email: "jane@example.com" }]
  ])("parses %j", (text, expected) => {
    expect(parseReference(text)).toEqual(Result.succeed(expected))
  })

  it.each([
    "",
    "ext:",
    "ext: ",
    "email:",
    "email:jane",
    "jane@example.com",
    "user-7",
    "7",
    `id:${id}`,
    `${id}0`
  ])("rejects %j", (text) => {
    expect(issuesOf(parseReference(text))).toEqual(["audience.contact_reference_invalid reference"])
  })

  it("parses the formatted form of each reference it returns, and rejects everything else", () => {
    const anyReference = textOf(["ext:", "email:", "a@b.c", "user", id, ":", "A@B.C"])
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          anyReference,
          anyText.map((text) => `ext:${text}`),
          fc.uuid()
        ),
        (text) => {
          const parsed = parseReference(text)
          if (Result.isFailure(parsed)) {
            expect(parsed.failure.issues[0].code).toBe("audience.contact_reference_invalid")
            return
          }
          const reference = parsed.success
          const prefix = { Id: "", ExternalId: "ext:", Email: "email:" }[reference._tag]
          const value = Object.values(reference)[1]!
          expect(parseReference(prefix + value)).toEqual(parsed)
          expect(value.isWellFormed() && !value.includes("\0")).toBe(true)
        }
      ),
      { numRuns: 2000 }
    )
    for (const text of longTexts) {
      expect(Result.isFailure(parseReference(text))).toBe(true)
      expect(Result.isFailure(parseReference(`ext:${text}`))).toBe(true)
      expect(Result.isFailure(parseReference(`email:${text}`))).toBe(true)
    }
  })
})

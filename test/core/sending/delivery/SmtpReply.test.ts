/**
 * Tests the classes of rejections against a second copy of the table in docs/contributing/decisions.md 5.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
  classifyReply,
  classOfStatus,
  type RefusalClass
} from "../../../../core/sending/delivery/ReplyClass.ts"
import { namesBlockList, speaksOfPolicy } from "../../../../core/sending/shaping/Answers.ts"
import {
  closesService,
  maxRetryAfter,
  parseReply,
  parseStatus,
  type SmtpStage
} from "../../../../core/sending/shaping/SmtpReply.ts"
import { spentMillis } from "../../../support/stall.ts"

/** Servers' replies, taken from their source code, with addresses replaced. */
const corpus = readFileSync(join(import.meta.dirname, "../../../fixtures/replies/rejections.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map(
    (line) =>
      JSON.parse(line) as {
        readonly stage: SmtpStage
        readonly reply: string
        readonly class: RefusalClass
        readonly source: string
      }
  )

const stages: ReadonlyArray<SmtpStage> = [
  "Connect",
  "Ehlo",
  "StartTls",
  "Auth",
  "Mail",
  "Rcpt",
  "Data",
  "Message"
]

const classOf = (stage: SmtpStage, raw: string) => classifyReply(stage, parseReply(raw)).class

const waitOf = (raw: string) => classifyReply("Rcpt", parseReply(raw)).retryAfter

describe("parseReply", () => {
  it("reads one line and several", () => {
    expect(parseReply("550 5.1.1 no such user\r\n")).toEqual({
      code: 550,
      status: "5.1.1",
      text: "no such user"
    })
    expect(parseReply("550-5.1.1 no\r\n550-5.1.1 such\r\n550 5.1.1 user")).toEqual({
      code: 550,
      status: "5.1.1",
      text: "no such user"
    })
    expect(parseReply("550 no such user")).toEqual({ code: 550, status: null, text: "no such user" })
    expect(parseReply("550")).toEqual({ code: 550, status: null, text: "" })
    expect(parseReply("550 5.1.1")).toEqual({ code: 550, status: "5.1.1", text: "" })
    expect(parseReply("451-4.07.001 wait")).toEqual({ code: 451, status: "4.7.1", text: "wait" })
    expect(parseReply("550 5.1.1.9 version")).toEqual({ code: 550, status: null, text: "5.1.1.9 version" })
    expect(parseReply("hello")).toEqual({ code: 0, status: null, text: "hello" })
    expect(parseReply("")).toEqual({ code: 0, status: null, text: "" })
  })

  it("returns a status in canonical form", () => {
    expect(parseStatus(" 5.1.10 ")).toBe("5.1.10")
    expect(parseStatus("5.01.001")).toBe("5.1.1")
    for (const text of ["", "5", "5.1", "3.1.1", "5.1.1.1", "5.1.1111", "a.b.c"])
      expect(parseStatus(text)).toBeNull()
  })
})

const statuses: ReadonlyArray<readonly [string, RefusalClass | null]> = [
  ["5.1.1", "Bounced"],
  ["5.1.2", "Bounced"],
  ["5.1.3", "Bounced"],
  ["5.1.6", "Bounced"],
  ["5.1.10", "Bounced"],
  ["5.2.1", "Bounced"],
  ["5.01.001", "Bounced"],
  ["5.2.2", "MailboxFull"],
  ["4.2.2", "Deferred"],
  ["4.1.1", "Deferred"],
  ["5.1.8", "Refused"],
  ["5.1.0", "Refused"],
  ["5.2.3", "Refused"],
  ["5.3.4", "Refused"],
  ["5.4.4", "Refused"],
  ["5.5.0", "Refused"],
  ["5.6.0", "Refused"],
  ["5.7.1", "Refused"],
  ["5.7.26", "Refused"],
  ["5.1.100", "Refused"],
  ["2.0.0", null],
  ["nonsense", null]
]

describe("classifyReply", () => {
  for (const [status, expected] of statuses) {
    it(`classifies status ${status}`, () => {
      expect(classOfStatus(status)).toBe(expected)
      if (status.startsWith("5") && status !== "5.5.0") {
        expect(classOf("Rcpt", `550 ${status} text`)).toBe(expected)
        expect(classOf("Message", `550 ${status} text`)).toBe(expected)
      }
    })
  }

  const replies: ReadonlyArray<readonly [SmtpStage, string, RefusalClass]> = [
    ["Rcpt", "550 No such user here", "Bounced"],
    ["Rcpt", "551 User not local", "Bounced"],
    ["Rcpt", "553 mailbox name not allowed", "Bounced"],
    ["Rcpt", "556 domain takes no mail", "Bounced"],
    ["Rcpt", "550 5.5.0 Requested action not taken: mailbox unavailable", "Bounced"],
    ["Rcpt", "554 5.5.0 no", "Bounced"],
    ["Rcpt", "554 refused", "Refused"],
    ["Rcpt", "552 storage exceeded", "Deferred"],
    ["Rcpt", "550 5.2.2 quota", "MailboxFull"],
    ["Rcpt", "552 5.02.002 quota", "MailboxFull"],
    ["Rcpt", "452 4.2.2 quota", "Deferred"],
    ["Rcpt", "452 5.2.2 of two minds", "Deferred"],
    ["Rcpt", "552 4.2.2 of two minds", "Deferred"],
    ["Rcpt", "550 5.4.1 Recipient address rejected: Access denied", "Refused"],
    ["Rcpt", "550 Blocked by Spamhaus, see https://example.org", "Refused"],
    ["Rcpt", "550 5.7.1 Blocked by Spamhaus", "Refused"],
    ["Rcpt", "550 rejected due to SPF", "Refused"],
    ["Rcpt", "550 5.1.1 listed as spam by nobody", "Refused"],
    ["Rcpt", "450 4.2.1 later", "Deferred"],
    ["Rcpt", "450 5.1.1 of two minds", "Deferred"],
    ["Rcpt", "550 4.7.1 of two minds", "Deferred"],
    ["Rcpt", "550 Greylisted, please try again in 5 minutes", "Deferred"],
    ["Rcpt", "421 closing", "Deferred"],
    ["Rcpt", "250 fine", "Deferred"],
    ["Mail", "550 5.1.1 sender unknown", "Refused"],
    ["Mail", "550 no", "Refused"],
    ["Mail", "552 5.3.4 too large", "Refused"],
    ["Mail", "451 later", "Deferred"],
    ["Data", "554 no valid recipients", "Refused"],
    ["Data", "550 5.5.0 no", "Refused"],
    ["Message", "550 no such user", "Refused"],
    ["Message", "550 5.1.1 no such user", "Bounced"],
    ["Message", "552 5.2.2 mailbox full", "MailboxFull"],
    ["Message", "554 5.7.1 spam", "Refused"],
    ["Message", "451 4.7.1 greylisted", "Deferred"],
    ["Connect", "554 5.7.1 not you", "Deferred"],
    ["Connect", "521 takes no mail", "Refused"],
    ["Ehlo", "550 who are you", "Deferred"],
    ["Auth", "535 5.7.8 wrong password", "Deferred"]
  ]
  for (const [stage, reply, expected] of replies) {
    it(`classifies at ${stage}: ${reply}`, () => {
      expect(classOf(stage, reply)).toBe(expected)
    })
  }

  it.each(corpus)("classifies a reply of $source at $stage: $reply", ({ class: expected, reply, stage }) => {
    expect(classOf(stage, reply)).toBe(expected)
  })

  it("treats only 421 as a closed service", () => {
    expect(closesService(parseReply("421 4.3.2 closing"))).toBe(true)
    expect(closesService(parseReply("450 4.2.1 421"))).toBe(false)
  })
})

describe("the wait that a server states", () => {
  const texts: ReadonlyArray<readonly [string, number | null]> = [
    ["450 4.2.0 Greylisted, see http://postgrey.schweikert.ch/help/example.org.html", null],
    ["450 4.7.1 Greylisting in action, please come back in 00:04:58", 298_000],
    ["451 4.7.1 Greylisting in action, please come back later", null],
    ["450 4.2.0 Recipient address rejected: Greylisted for 5 minutes", 300_000],
    ["450 4.2.0 Greylisted for 300 seconds (see ...)", 300_000],
    ["451 4.7.1 Please try again in 300 seconds", 300_000],
    ["451 Try again in 1 hour", 3_600_000],
    ["451 4.7.1 try again in 300s", 300_000],
    ["421 4.7.0 Too many connections, retry in 15 min", 900_000],
    ["451 Temporarily rejected. Minimum wait 10 minutes", 600_000],
    ["451 retry after 3600 seconds", 3_600_000],
    ["451 try again in 99999 hours", maxRetryAfter],
    ["451 try again in 0 seconds", null],
    ["450 4.2.0 wait", null],
    ["450 you sent 300 messages, slow down", null],
    ["452 4.2.2 over quota by 5 MB, try again", null]
  ]
  for (const [reply, expected] of texts) {
    it(`is read from ${reply}`, () => {
      expect(waitOf(reply)).toBe(expected)
    })
  }
})

const reply = fc.oneof(
  fc.string({ maxLength: 200, unit: "binary" }),
  fc
    .tuple(
      fc.integer({ min: 200, max: 599 }),
      fc.constantFrom(" ", "-", ""),
      fc.constantFrom("", "5.1.1 ", "4.7.1 ", "5.7.1", "2.0.0 ", "5.9999.1 "),
      fc.string({ maxLength: 100 })
    )
    .map(([code, separator, status, text]) => `${code}${separator}${status}${text}`)
)

describe("any reply", () => {
  it("has a class, and Bounced only at RCPT and after", () => {
    fc.assert(
      fc.property(fc.constantFrom(...stages), reply, (stage, raw) => {
        const parsed = parseReply(raw)
        const refusal = classifyReply(stage, parsed)
        if (refusal.retryAfter !== null) {
          expect(refusal.retryAfter).toBeGreaterThan(0)
          expect(refusal.retryAfter).toBeLessThanOrEqual(maxRetryAfter)
        }
        if (refusal.class === "Bounced") expect(["Rcpt", "Data", "Message"]).toContain(stage)
        if (refusal.class !== "Deferred") expect(parsed.code).toBeGreaterThanOrEqual(500)
        if (parsed.status?.startsWith("5.7.") === true) expect(refusal.class).not.toBe("Bounced")
      })
    )
  })

  it("suppresses no address that its text rejects for a block list, reputation, policy or rate", () => {
    const spoken = corpus.flatMap(({ class: found, reply: raw }) =>
      found === "Refused" && speaksOfPolicy(parseReply(raw).text) ? [parseReply(raw).text] : []
    )
    expect(spoken.length).toBeGreaterThan(60)
    fc.assert(
      fc.property(
        fc.constantFrom(...stages),
        fc.integer({ min: 200, max: 599 }),
        fc.constantFrom("", "5.1.1 ", "5.1.2 ", "5.1.3 ", "5.1.6 ", "5.1.10 ", "5.2.1 ", "5.5.0 ", "5.7.1 "),
        fc.constantFrom("", "user unknown: ", "<ann@example.org>: ", "mailbox unavailable; "),
        fc.constantFrom(...spoken),
        (stage, code, status, before, text) => {
          expect(classOf(stage, `${code} ${status}${before}${text}`)).not.toBe("Bounced")
        }
      )
    )
  })

  it("suppresses no address before the recipient is named, and for no code of authentication", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...stages),
        fc.integer({ min: 400, max: 599 }),
        fc.constantFrom("", "5.1.1 ", "5.2.1 ", "5.7.1 "),
        fc.string({ maxLength: 100 }),
        (stage, code, status, text) => {
          const isBefore = !["Rcpt", "Data", "Message"].includes(stage)
          if (isBefore || (code >= 530 && code <= 539)) {
            expect(classOf(stage, `${code} ${status}${text}`)).not.toBe("Bounced")
          }
        }
      )
    )
  })

  it("is read in a time linear in its length", () => {
    const texts = [
      "again 1".repeat(60_000),
      `again ${" ".repeat(400_000)}`,
      "550-".repeat(100_000),
      "1 ".repeat(200_000),
      "see ".repeat(100_000),
      "sender ".repeat(100_000),
      "<a@".repeat(100_000),
      "http://".repeat(100_000)
    ]
    const before = spentMillis()
    for (const text of texts) {
      classifyReply("Rcpt", parseReply(`450 ${text}`))
      classifyReply("Rcpt", parseReply(`550 ${text}`))
      speaksOfPolicy(text)
      namesBlockList(text)
    }
    expect(spentMillis() - before).toBeLessThan(1000)
  })
})

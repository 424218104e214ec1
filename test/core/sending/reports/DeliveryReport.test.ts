/**
 * Tests of reading the delivery reports of many mail systems, each with its expected result, and of any other input.
 *
 * @module
 */
import * as fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readReport, type Report } from "../../../../core/sending/reports/DeliveryReport.ts"
import { readMime } from "../../../../core/sending/reports/MimeReader.ts"

const folder = join(import.meta.dirname, "../../../fixtures/reports")

const fileOf = (name: string): string => readFileSync(join(folder, `${name}.eml`), "utf8")

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const read = (text: string): Report => readReport(readMime(bytesOf(text)))

/** The expected result of each report: for its recipients, or for the message complained about. */
const expected: Readonly<Record<string, string | ReadonlyArray<string>>> = {
  "alias-all-failed": ["MailboxFull ann@example.org", "Bounced bob@example.org"],
  "alias-one-failed": ["Delivered ann@example.net", "Bounced bob@example.net"],
  "arf-abuse": "Complaint abuse the-token@example.com bounce-address@bounces.example.com",
  "arf-abuse-redacted": "Complaint abuse the-token@example.com bounce-address@bounces.example.com",
  "arf-auth-failure": "Other",
  "arf-encoded-copy": "Complaint abuse the-token@example.com bounce-address@bounces.example.com",
  "arf-headers-only": "Complaint abuse the-token@example.com bounce-address@bounces.example.com",
  "arf-not-spam": "Other",
  "arf-opt-out": "Complaint opt-out the-token@example.com bounce-address@bounces.example.com",
  "arf-without-type": "Other",
  "base64-report": ["Bounced jane@example.net"],
  challenge: "Other",
  "conflicting-codes": ["Refused jane@example.net"],
  "domino-report": ["Bounced jane@example.net"],
  "domino-text": ["Bounced jane@example.net"],
  "exchange2003-report": ["Bounced jane@example.net"],
  // The report states no cause.
  "exchange2003-text": ["Refused jane@example.net"],
  "exchange2010-html": ["Bounced jane@example.net"],
  "exchange55-text": ["Bounced jane@example.net"],
  "exim-report": ["Bounced jane@example.net"],
  "exim-text-content": ["Refused jane@example.net"],
  "exim-text-delay": "Other",
  "exim-text-quota": ["Deferred jane@example.net"],
  "exim-text-retry-timeout": ["Deferred jane@example.net"],
  "exim-text-unknown": ["Bounced jane@example.net"],
  "exim-text-unrouteable": ["Bounced jane@example.net"],
  "forwarded-message": "Other",
  "gateway-policy": ["Refused jane@example.net"],
  "gmail-delay": ["Delayed jane@gmail.example"],
  "gmail-no-such-user": ["Bounced jane@gmail.example"],
  "gmail-over-quota": ["MailboxFull jane@gmail.example"],
  "gmail-text": ["Bounced jane@example.net"],
  "headers-only-report": ["Bounced jane@example.net"],
  "no-action": ["Bounced jane@example.net"],
  "office365-disabled": ["Bounced jane@example.net"],
  "office365-not-authorized": ["Refused jane@example.net"],
  "office365-recipient-not-found": ["Bounced jane@example.net"],
  "out-of-office-quoting-a-failure": "Other",
  "outlook-complaint": "Complaint abuse the-token@example.com bounce-address@bounces.example.com",
  "postfix-bare-550": ["Bounced jane@example.net"],
  "postfix-bare-550-after-data": ["Refused jane@example.net"],
  "postfix-bare-blocklist": ["Refused jane@example.net"],
  "postfix-blocklist": ["Refused jane@example.net"],
  "postfix-blocklist-in-text": ["Refused jane@example.net"],
  "postfix-coded-blocklist": ["Refused jane@example.net"],
  "postfix-delayed": ["Delayed jane@example.net"],
  "postfix-expanded": ["Delivered jane@example.net"],
  "postfix-expired": ["Deferred jane@example.net"],
  "postfix-host-not-found": ["Refused jane@example.net"],
  "postfix-mailbox-full": ["MailboxFull jane@example.net"],
  "postfix-message-too-large": ["Refused jane@example.net"],
  // 5.1.0 is not one of the codes that concern the address (docs/contributing/decisions.md 5).
  "postfix-null-mx": ["Refused jane@example.net"],
  "postfix-relayed": ["Delayed jane@example.net"],
  "postfix-success": ["Delivered jane@example.net"],
  "postfix-user-unknown": ["Bounced jane@example.net"],
  "qmail-local": ["Bounced jane@example.net"],
  "qmail-message-refused": ["Refused jane@example.net"],
  "qmail-remote": ["Bounced jane@example.net"],
  "qmail-too-long": ["Deferred jane@example.net"],
  "read-receipt": "Other",
  "sendmail-report": ["Bounced jane@example.net"],
  "sendmail-text": ["Bounced jane@example.net"],
  "sendmail-warning": ["Delayed jane@example.net"],
  "status-only": ["Bounced jane@example.net"],
  "truncated-report": ["Bounced jane@example.net"],
  "utf8-report": ["Bounced jürgen@example.net"],
  vacation: "Other",
  // 554 does not concern the address (docs/contributing/decisions.md 5).
  "yahoo-report": ["Refused jane@yahoo.example"],
  "yahoo-text": ["Bounced jane@yahoo.example"]
}

const names = Object.keys(expected)

/** The Message-IDs and return paths of the message complained about. */
const namesOf = ({ copies, returnPaths }: Extract<Report, { readonly _tag: "Complaint" }>) => [
  ...copies.map(({ messageId }) => messageId),
  ...returnPaths
]

const resultOf = (report: Report): string | ReadonlyArray<string> => {
  switch (report._tag) {
    case "Other":
      return "Other"
    case "Complaint":
      return ["Complaint", report.kind, ...namesOf(report)].join(" ")
    case "Delivery":
      return report.recipients.map(({ outcome, recipient }) => `${outcome} ${recipient}`)
  }
}

/** Checks the properties of any result. */
const check = (report: Report) => {
  if (report._tag === "Complaint") {
    expect(report.returnPaths.length).toBeLessThanOrEqual(20)
    expect(report.copies.length).toBeLessThanOrEqual(5)
    for (const name of namesOf(report)) expect(name.length).toBeLessThanOrEqual(320)
  }
  if (report._tag !== "Delivery") return
  expect(report.recipients.length).toBeGreaterThan(0)
  expect(report.recipients.length).toBeLessThanOrEqual(100)
  for (const { reason } of report.recipients) {
    if (reason === null) continue
    expect(reason.length).toBeLessThanOrEqual(300)
    expect(reason).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    expect(reason.isWellFormed()).toBe(true)
  }
}

describe("reports of mail systems", () => {
  it("all have an expected result", () => {
    expect(
      readdirSync(folder)
        .map((file) => file.replace(/\.eml$/, ""))
        .sort()
    ).toEqual(names.toSorted())
  })

  it.each(names)("%s", (name) => {
    const text = fileOf(name)
    const report = read(text)
    expect(resultOf(report)).toEqual(expected[name])
    check(report)
    expect(resultOf(read(text.replaceAll("\n", "\r\n")))).toEqual(expected[name])
  })

  it("give the reason on one line", () => {
    const reasonOf = (name: string) => {
      const report = read(fileOf(name))
      return report._tag === "Delivery" ? report.recipients[0]!.reason : null
    }
    expect(reasonOf("postfix-user-unknown")).toBe(
      "550 5.1.1 <jane@example.net>: Recipient address rejected: User unknown in virtual mailbox table"
    )
    expect(reasonOf("status-only")).toBe("5.1.2")
    expect(reasonOf("qmail-local")).toContain("no mailbox here by that name")
    expect(reasonOf("qmail-local")).not.toContain("Thank you")
  })
})

describe("any other input", () => {
  const file = fc.constantFrom(...names).map(fileOf)
  const bytes = fc.uint8Array({ maxLength: 2000 })

  it("has a result", () => {
    fc.assert(
      fc.property(bytes, (raw) => check(readReport(readMime(raw)))),
      { numRuns: 300 }
    )
  })

  it("has a result when a report was cut, doubled or changed", () => {
    const change = fc.tuple(fc.nat(), fc.nat(200), fc.oneof(bytes, file.map(bytesOf)))
    fc.assert(
      fc.property(file, fc.array(change, { minLength: 1, maxLength: 5 }), (text, changes) => {
        let raw = Buffer.from(text, "utf8")
        for (const [at, gone, added] of changes) {
          const start = at % (raw.length + 1)
          raw = Buffer.concat([raw.subarray(0, start), added, raw.subarray(start + gone)])
        }
        check(readReport(readMime(raw)))
      }),
      { numRuns: 500 }
    )
  })

  it("is read in a time bounded by its length", () => {
    const megabyte = 1_000_000
    const report = "Content-Type: multipart/report; boundary=b\n\n"
    const status = `${report}--b\nContent-Type: message/delivery-status\n\n`
    const daemon = "From: mailer-daemon@example.net\n"
    const fill = (head: string, unit: string) => head + unit.repeat(Math.ceil(megabyte / unit.length))
    const hostile = [
      fill("", "\n"),
      fill("", " "),
      fill("X: ", "a\n "),
      fill("", "a:b\n"),
      fill(report, "--b\n"),
      fill(report, "\n--b"),
      fill(report, "--b\nContent-Type: multipart/mixed; boundary=b\n\n"),
      fill(status, "\n \t"),
      fill(status, "Final-Recipient: rfc822;a@b\n\n"),
      fill(`${status}Action: failed\nDiagnostic-Code: smtp; `, "550 5.1.1 "),
      fill(`${status}Action: failed\nDiagnostic-Code: `, "5."),
      fill(`${daemon}\n`, "was not delivered to: "),
      fill(`${daemon}\n`, "-"),
      fill(`${daemon}\n`, "-- "),
      fill(`${daemon}Content-Type: text/html\n\n`, "-"),
      fill(`${daemon}\nThis is a permanent error; I've given up.`, "<a@"),
      fill(`${daemon}\ndid not reach the following recipient(s):`, "does not have an "),
      fill(`${daemon}Content-Type: text/html\n\n`, "<"),
      fill(`${daemon}Content-Type: text/html\n\n`, "<a "),
      fill("Content-Transfer-Encoding: quoted-printable\n\n", "=41"),
      fill("Content-Transfer-Encoding: quoted-printable\n\n", " "),
      fill("Content-Transfer-Encoding: quoted-printable\n\n", "= "),
      fill("Content-Transfer-Encoding: base64\n\n", "QUFB\n"),
      fill("From: ", "a@"),
      fill("Content-Type: ", "a;boundary=")
    ]
    for (const text of hostile) {
      const start = performance.now()
      check(read(text))
      const slow = performance.now() - start > 2000
      expect({ text: text.slice(0, 90), slow }).toEqual({ text: text.slice(0, 90), slow: false })
    }
  })
})

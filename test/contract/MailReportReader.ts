/**
 * The contract of `core/ports/MailReportReader`: the reports it reads, and those it rejects for exceeding its bounds.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { gzipSync, strToU8, zipSync } from "fflate"
import type { MailReport } from "../../core/model/MailReport.ts"
import { MailReportReader, reportBounds } from "../../core/ports/MailReportReader.ts"

/** A DMARC report about a domain; records may be given as XML. */
export const dmarcXml = (domain: string, records: string, id = "id-1", begin = 1_767_225_600): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0"><version>1.0</version>
<report_metadata><org_name>Example Mail</org_name><email>reports@example.net</email><report_id>${id}</report_id>
<date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range></report_metadata>
<policy_published><domain>${domain}</domain><p>none</p></policy_published>${records}</feedback>`

/** A record of a DMARC report. */
export const dmarcRecord = (
  from: string,
  count: number | string,
  ip = "192.0.2.10",
  disposition = "none",
  dkim = "pass",
  spf = "fail"
): string => `<record><row><source_ip>${ip}</source_ip><count>${count}</count><policy_evaluated>
<disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row>
<identifiers><header_from>${from}</header_from></identifiers><auth_results>
<dkim><domain>other.test</domain><result>fail</result></dkim><dkim><domain>${from}</domain><result>${dkim}</result></dkim>
<spf><domain>${from}</domain><result>softfail</result></spf></auth_results></record>`

/** A TLS report about a domain. */
export const tlsJson = (domain: string, changes: Record<string, unknown> = {}): string =>
  JSON.stringify({
    "organization-name": "Example Mail",
    "date-range": { "start-datetime": "2026-01-01T00:00:00Z", "end-datetime": "2026-01-01T23:59:59Z" },
    "contact-info": "tls@example.net",
    "report-id": "id-1",
    policies: [
      {
        policy: { "policy-type": "sts", "policy-string": [], "policy-domain": domain },
        summary: { "total-successful-session-count": 7, "total-failure-session-count": 3 },
        "failure-details": [
          {
            "result-type": "certificate-expired",
            "receiving-mx-hostname": "mx.example.org",
            "failed-session-count": 2
          },
          { "result-type": "something-new", "failed-session-count": 1 }
        ]
      }
    ],
    ...changes
  })

/** A message with an attachment. */
export const reportMessage = (
  type: string,
  attachment: string | Uint8Array,
  encoding: "base64" | "7bit" = "base64"
): Uint8Array<ArrayBuffer> => {
  const bytes = typeof attachment === "string" ? strToU8(attachment) : attachment
  const lines = (
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,76}/g) ?? []
  ).join("\r\n")
  const body = encoding === "base64" ? lines : Buffer.from(bytes).toString("latin1")
  return Uint8Array.from(
    Buffer.from(
      [
        "From: reports@example.net",
        "Subject: Report",
        "MIME-Version: 1.0",
        'Content-Type: multipart/mixed; boundary="b"',
        "",
        "--b",
        "Content-Type: text/plain",
        "",
        "A report.",
        "--b",
        `Content-Type: ${type}`,
        `Content-Transfer-Encoding: ${encoding}`,
        "",
        body,
        "--b--",
        ""
      ].join("\r\n"),
      "latin1"
    )
  )
}

const xml = dmarcXml("example.org", dmarcRecord("example.org", 3) + dmarcRecord("Example.Org.", 4))
const zipOf = (files: Readonly<Record<string, Uint8Array>>) => zipSync({ ...files })
const utf16 = (text: string): Uint8Array => Buffer.from(`\ufeff${text}`, "utf16le")

const dmarc: MailReport = {
  _tag: "Dmarc",
  reporter: "example mail reports@example.net",
  reportId: "id-1",
  begin: Date.UTC(2026, 0, 1),
  domain: "example.org",
  records: [
    {
      from: "example.org",
      network: "192.0.2.0/24",
      disposition: "None",
      dkim: "pass",
      dkimAligned: true,
      spf: "softfail",
      spfAligned: false,
      count: 7
    }
  ]
}

const tls: MailReport = {
  _tag: "Tls",
  reporter: "example mail tls@example.net",
  reportId: "id-1",
  begin: Date.UTC(2026, 0, 1),
  records: [
    { domain: "example.org", policy: "sts", result: "success", host: "", count: 7 },
    { domain: "example.org", policy: "sts", result: "certificate-expired", host: "mx.example.org", count: 2 },
    { domain: "example.org", policy: "sts", result: "validation-failure", host: "", count: 1 }
  ]
}

/** 8 MB and 4 GB of spaces, compressed. XML and JSON may begin with spaces. */
const spaces = new Uint8Array(8_000_000).fill(32)
const packedSpaces = gzipSync(spaces)
const gzipBomb = Buffer.concat(Array<Uint8Array>(500).fill(packedSpaces))

const packedZeros = gzipSync(new Uint8Array(8_000_000))

/** A zip archive that contains itself. Unpacking it recursively would never end (Russ Cox, "Zip Files All The Way Down"). */
const quine = Array.from({ length: 6 }).reduce<Uint8Array>(
  (inner) => zipOf({ "r/r.zip": inner }),
  zipOf({ "r/r.zip": new Uint8Array(0) })
)

/** A zip archive whose entry declares a wrong length. */
const withWrongLength = (): Uint8Array => {
  const zip = Buffer.from(zipOf({ "a.xml": strToU8(xml) }))
  zip.writeUInt32LE(20, 18)
  return zip
}

const nested = (depth: number) => "<a>".repeat(depth) + "</a>".repeat(depth)

/** Messages that are rejected, with the reason. */
const hostile: Readonly<
  Record<string, readonly [MailReport["_tag"], bound: string, message: () => Uint8Array<ArrayBuffer>]>
> = {
  "a gzip bomb": ["Dmarc", "ratio", () => reportMessage("application/gzip", packedSpaces)],
  "a gzip of 4 GB": ["Dmarc", "size", () => reportMessage("application/gzip", gzipBomb)],
  "a zip bomb": ["Dmarc", "ratio", () => reportMessage("application/zip", zipOf({ "a.xml": spaces }))],
  "a bomb of TLS": ["Tls", "ratio", () => reportMessage("application/tlsrpt+gzip", packedSpaces)],
  "22 MB that pack less": [
    "Dmarc",
    "size",
    () => {
      const padded = Array.from({ length: 220_000 }, (_, at) => `<a>${at}</a>`.padEnd(100)).join("")
      return reportMessage("application/gzip", gzipSync(strToU8(`<feedback>${padded}`), { level: 1 }))
    }
  ],
  "100 MB": ["Dmarc", "size", () => new Uint8Array(100_000_000)],
  "a zip of two": [
    "Dmarc",
    "archive",
    () => reportMessage("application/zip", zipOf({ "a.xml": strToU8(xml), "b.xml": strToU8(xml) }))
  ],
  "a zip in a zip": [
    "Dmarc",
    "format",
    () => reportMessage("application/zip", zipOf({ "a.xml": zipOf({ "a.xml": strToU8(xml) }) }))
  ],
  "a gzip in a gzip": [
    "Dmarc",
    "format",
    () => reportMessage("application/gzip", gzipSync(gzipSync(strToU8(xml))))
  ],
  "a wrong length": ["Dmarc", "archive", () => reportMessage("application/zip", withWrongLength())],
  "half a gzip": [
    "Dmarc",
    "archive",
    () => reportMessage("application/gzip", gzipSync(strToU8(xml)).subarray(0, 200))
  ],
  "a gzip of many members": [
    "Dmarc",
    "archive",
    () => {
      const member = gzipSync(new Uint8Array())
      const members = new Uint8Array(300_000 * member.length)
      for (let at = 0; at < members.length; at += member.length) members.set(member, at)
      return reportMessage("application/gzip", members)
    }
  ],
  "a gzip with an endless name": [
    "Dmarc",
    "archive",
    () => {
      const name = new Uint8Array(7_000_000).fill(97)
      name.set([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0])
      return reportMessage("application/gzip", name)
    }
  ],
  "an empty zip": ["Dmarc", "archive", () => reportMessage("application/zip", zipOf({}))],
  "entities that grow": [
    "Dmarc",
    "markup",
    () =>
      reportMessage(
        "text/xml",
        `<?xml version="1.0"?><!DOCTYPE feedback [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${xml.slice(38)}`
      )
  ],
  "an entity of a file": [
    "Dmarc",
    "markup",
    () => reportMessage("text/xml", `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${xml.slice(38)}`)
  ],
  "entities in UTF-16": [
    "Dmarc",
    "markup",
    () => reportMessage("text/xml", utf16(`<!DOCTYPE x [<!ENTITY a "aaaa">]>${xml.slice(38)}`))
  ],
  "10 GB of zeros": [
    "Dmarc",
    "size",
    () => reportMessage("application/gzip", Buffer.concat(Array<Uint8Array>(1_250).fill(packedZeros)))
  ],
  "a zip that contains itself": ["Dmarc", "format", () => reportMessage("application/zip", quine)],
  "a deep report": [
    "Dmarc",
    "depth",
    () => reportMessage("text/xml", `<feedback>${nested(10_000)}</feedback>`)
  ],
  "1,000,000 records": [
    "Dmarc",
    "records",
    () =>
      reportMessage(
        "application/gzip",
        gzipSync(strToU8(`<feedback>${"<record/>".repeat(1_000_000)}</feedback>`))
      )
  ],
  "half a report": ["Dmarc", "format", () => reportMessage("text/xml", xml.slice(0, -30))],
  "another document": ["Dmarc", "format", () => reportMessage("text/xml", "<html></html>")],
  "no text": ["Dmarc", "format", () => reportMessage("text/xml", "")],
  "no attachment": ["Dmarc", "format", () => reportMessage("text/html", xml)],
  "deep JSON": ["Tls", "depth", () => reportMessage("application/json", "[".repeat(1_000_000))],
  "long JSON": ["Tls", "records", () => reportMessage("application/json", `[${"1,".repeat(1_000_000)}1]`)],
  "broken JSON": ["Tls", "format", () => reportMessage("application/json", tlsJson("a.test").slice(1))],
  "JSON of another kind": ["Tls", "format", () => reportMessage("application/json", '"policies"')]
}

/** Tests of the port `MailReportReader`. */
export const mailReportReaderContract = (it: Vitest.MethodsNonLive<MailReportReader>): void => {
  describe("MailReportReader", () => {
    it.effect("reads DMARC reports as they come: plain, gzip, zip, and in UTF-16", () =>
      Effect.gen(function* () {
        const { read } = yield* MailReportReader
        for (const message of [
          reportMessage("text/xml", xml),
          reportMessage("text/xml; charset=utf-8", xml, "7bit"),
          reportMessage("application/gzip", gzipSync(strToU8(xml))),
          reportMessage("application/zip", zipOf({ "../../etc/passwd": strToU8(xml) })),
          reportMessage('application/octet-stream; name="a!b!1!2.xml.gz"', gzipSync(strToU8(xml))),
          reportMessage("application/xml", utf16(xml)),
          reportMessage(
            "text/xml",
            xml.replaceAll("<", "<r:").replaceAll("<r:/", "</r:").replace("<r:?", "<?")
          ),
          reportMessage("text/xml", xml.replaceAll("192.0.2.10", "<![CDATA[192.0.2.10]]>"))
        ])
          expect(yield* read(message, "Dmarc")).toEqual(dmarc)
      })
    )

    it.effect(
      "cuts what is long, and leaves out what is no count, of no domain, or of too many domains",
      () =>
        Effect.gen(function* () {
          const { read } = yield* MailReportReader
          const records = [
            ...["-1", "0", "x", "1e400", "0x10", "1e2", "9007199254740993"].map((count) =>
              dmarcRecord("a.test", count)
            ),
            dmarcRecord("no domain", 1),
            dmarcRecord("a.test", 5, "2001:db8:1:2::3", "pass", "fail", "pass"),
            ...Array.from({ length: 150 }, (_, at) => dmarcRecord(`d${at}.test`, 1))
          ].join("")
          const id = "i".repeat(5_000)
          const report = yield* read(reportMessage("text/xml", dmarcXml("a.test", records, id)), "Dmarc")
          expect(report.reportId).toBe("i".repeat(reportBounds.text))
          expect(report.records).toHaveLength(reportBounds.domains)
          expect(report.records[0]).toMatchObject({
            from: "a.test",
            count: 5,
            network: "2001:db8:1::/48",
            disposition: "Pass",
            dkimAligned: false,
            spfAligned: true
          })
        })
    )

    it.effect("reads TLS reports", () =>
      Effect.gen(function* () {
        const { read } = yield* MailReportReader
        const json = tlsJson("Example.org")
        for (const message of [
          reportMessage("application/tlsrpt+json", json),
          reportMessage("application/tlsrpt+gzip", gzipSync(strToU8(json))),
          reportMessage('application/octet-stream; name="r.json.gz"', gzipSync(strToU8(`\ufeff${json}`)))
        ])
          expect(yield* read(message, "Tls")).toEqual(tls)
      })
    )

    it.effect("refuses hostile reports, each for the bound that it exceeds", () =>
      Effect.gen(function* () {
        const { read } = yield* MailReportReader
        const found: Record<string, string> = {}
        for (const [what, [kind, , message]] of Object.entries(hostile)) {
          const result = yield* Effect.result(read(message(), kind))
          found[what] = result._tag === "Failure" ? result.failure.bound : "read"
        }
        const expected = Object.entries(hostile).map(([what, [, bound]]) => [what, bound])
        expect(found).toEqual(Object.fromEntries(expected))
      })
    )

    it.effect("gives a report or a refusal for any bytes", () =>
      Effect.gen(function* () {
        const reader = yield* MailReportReader
        const sound = [
          reportMessage("application/zip", zipOf({ "a.xml": strToU8(xml) })),
          reportMessage("application/gzip", gzipSync(strToU8(xml))),
          reportMessage("text/xml", xml),
          reportMessage("application/json", tlsJson("a.test"))
        ]
        const changed = fc
          .tuple(
            fc.constantFrom(...sound),
            fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 20 }),
            fc.constantFrom("Dmarc" as const, "Tls" as const)
          )
          .map(([bytes, changes, kind]) => {
            const copy = Uint8Array.from(bytes)
            for (const [at, byte] of changes) copy[at % copy.length] = byte
            return [copy, kind] as const
          })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(changed, async ([bytes, kind]) => {
              const exit = await Effect.runPromise(Effect.result(reader.read(bytes, kind)))
              expect(exit._tag === "Success" ? exit.success._tag : exit.failure._tag).toMatch(
                /^(?:Dmarc|Tls|ReportRefused)$/
              )
            }),
            { numRuns: 150 }
          )
        )
      })
    )
  })
}

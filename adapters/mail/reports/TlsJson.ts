/**
 * Reads TLS reports (RFC 8460, 4). The nesting and the number of values are checked before the text is parsed.
 *
 * @module
 */
import {
  type MailReport,
  reportedPolicies,
  reportedTlsResults,
  type TlsCount
} from "../../../core/model/MailReport.ts"
import { reportBounds } from "../../../core/ports/MailReportReader.ts"
import { countOf, domainOf } from "./DmarcXml.ts"
import { Refusal } from "./Unpack.ts"

type TlsReport = Extract<MailReport, { readonly _tag: "Tls" }>
type Fields = Readonly<Record<string, unknown>>

/** The maximum number of values in a report: several for each record. */
const maxValues = 10 * reportBounds.records

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const openers: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closers: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Throws `Refusal` if the parsed form of a text would be too deep or too large. */
const check = (text: string): void => {
  let depth = 0
  let values = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isString) {
      if (code === backslash) at++
      else if (code === quote) isString = false
    } else if (code === quote) isString = true
    else if (openers.has(code)) {
      values++
      if (++depth > reportBounds.depth) throw new Refusal("depth")
    } else if (closers.has(code)) depth--
    else if (code === comma) values++
    if (values > maxValues) throw new Refusal("records")
  }
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const listOf = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fieldsOf) : [])

const textOf = (value: unknown): string =>
  typeof value === "string" ? value.slice(0, reportBounds.text).trim() : ""

const parse = (text: string): Fields => {
  check(text)
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    throw new Refusal("format")
  }
}

/** The report in a text. Throws `Refusal` if it is not a report. */
export const readTlsReport = (text: string): TlsReport => {
  const report = parse(text.replace(/^\uFEFF/, ""))
  const policies = listOf(report["policies"])
  const reporter = `${textOf(report["organization-name"])} ${textOf(report["contact-info"])}`
    .trim()
    .toLowerCase()
  const reportId = textOf(report["report-id"])
  const begin = Date.parse(textOf(fieldsOf(report["date-range"])["start-datetime"]))
  if (reporter === "" || reportId === "" || Number.isNaN(begin) || policies.length === 0)
    throw new Refusal("format")

  const counts = new Map<string, TlsReport["records"][number]>()
  const domains = new Set<string>()
  let records = 0
  const add = (domain: string, counted: TlsCount, value: unknown): void => {
    if (++records > reportBounds.records) throw new Refusal("records")
    const count = countOf(value)
    if (count === 0) return
    const key = JSON.stringify([domain, counted])
    const known = counts.get(key)?.count ?? 0
    counts.set(key, { ...counted, domain, count: Math.min(known + count, Number.MAX_SAFE_INTEGER) })
  }

  for (const entry of policies) {
    const described = fieldsOf(entry["policy"])
    const domain = domainOf(textOf(described["policy-domain"]))
    const policy = reportedPolicies.find((type) => type === textOf(described["policy-type"]).toLowerCase())
    if (domain === null || policy === undefined) continue
    if (!domains.has(domain) && domains.size >= reportBounds.domains) continue
    domains.add(domain)
    const summary = fieldsOf(entry["summary"])
    add(domain, { policy, result: "success", host: "" }, summary["total-successful-session-count"])
    for (const detail of listOf(entry["failure-details"])) {
      const said = textOf(detail["result-type"]).toLowerCase()
      const result = reportedTlsResults.find((known) => known === said && known !== "success")
      const host = domainOf(textOf(detail["receiving-mx-hostname"])) ?? ""
      add(domain, { policy, result: result ?? "validation-failure", host }, detail["failed-session-count"])
    }
  }
  return { _tag: "Tls", reporter, reportId, begin, records: [...counts.values()] }
}

/**
 * Reads DMARC reports (RFC 9990, appendix A; RFC 7489, appendix C) piece by piece, with htmlparser2. Namespaces of elements are
 * ignored. A report with a document type or entities of its own is rejected.
 *
 * @module
 */
import { Parser } from "htmlparser2"
import { TextDecoder } from "node:util"
import {
  type AuthResult,
  authResults,
  type Disposition,
  type DmarcCount,
  type MailReport
} from "../../../core/model/MailReport.ts"
import { reportBounds } from "../../../core/ports/MailReportReader.ts"
import { parseDomain } from "../../../core/shared/EmailAddress.ts"
import { networkOf } from "../../../core/sending/tracking/Machines.ts"
import { Refusal } from "./Unpack.ts"

type DmarcReport = Extract<MailReport, { readonly _tag: "Dmarc" }>
type DmarcRecord = DmarcReport["records"][number]

/** The texts in a record, by their paths. */
type Texts = Map<string, string>

const dispositionOf: Readonly<Record<string, Disposition>> = {
  none: "None",
  quarantine: "Quarantine",
  reject: "Reject",
  pass: "Pass"
}

const resultOf = (text: string | undefined): AuthResult => {
  const said = text?.toLowerCase()
  return authResults.find((result) => result === said) ?? "none"
}

const isPass = (text: string | undefined): boolean => text?.toLowerCase() === "pass"

/** A count in a report: an integer up to 2^53, as a number or as digits. */
export const countOf = (value: unknown): number => {
  const isDigits = typeof value === "string" && /^\d{1,16}$/.test(value.trim())
  const count = isDigits || typeof value === "number" ? Number(value) : 0
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}

/** A domain in lower case without a trailing dot; null if it is not a domain. */
export const domainOf = (text: string | undefined): string | null =>
  parseDomain((text ?? "").trim().toLowerCase().replace(/\.$/, ""))

const countedOf = (texts: Texts): DmarcCount => ({
  network: networkOf(texts.get("row/source_ip") ?? "") ?? "",
  disposition: dispositionOf[texts.get("row/policy_evaluated/disposition")?.toLowerCase() ?? ""] ?? "None",
  dkim: resultOf(texts.get("auth_results/dkim/result")),
  dkimAligned: isPass(texts.get("row/policy_evaluated/dkim")),
  spf: resultOf(texts.get("auth_results/spf/result")),
  spfAligned: isPass(texts.get("row/policy_evaluated/spf"))
})

/** Reads one report. */
export class DmarcReader {
  readonly #parser: Parser
  readonly #path: Array<string> = []
  readonly #decoder: TextDecoder
  #first = true
  #hasRoot = false
  #text = ""
  #records = 0
  #texts: Texts = new Map()
  readonly #meta: Texts = new Map()
  readonly #domains = new Set<string>()
  readonly #counts = new Map<string, DmarcRecord>()

  constructor(first: Uint8Array) {
    const [a, b] = first
    const label = a === 0xfe && b === 0xff ? "utf-16be" : a === 0xff && b === 0xfe ? "utf-16le" : "utf-8"
    this.#decoder = new TextDecoder(label)
    this.#parser = new Parser(
      {
        onprocessinginstruction: (name) => {
          if (name.startsWith("!")) throw new Refusal("markup")
        },
        onopentagname: (name) => this.#open(name),
        ontext: (text) => {
          if (this.#text.length < reportBounds.text)
            this.#text += text.slice(0, reportBounds.text - this.#text.length)
        },
        onclosetag: () => this.#close()
      },
      { xmlMode: true, decodeEntities: true }
    )
  }

  /** Reads the next bytes. Throws `Refusal`. */
  write(piece: Uint8Array): void {
    this.#read(this.#decoder.decode(piece, { stream: true }))
  }

  /** The report that was read. Throws `Refusal` if it was not a report. */
  end(): DmarcReport {
    this.#read(this.#decoder.decode())
    // The parser would close open elements if the text ends prematurely.
    if (this.#first || this.#path.length > 0) throw new Refusal("format")
    this.#parser.end()
    const meta = (name: string): string => this.#meta.get(name)?.trim() ?? ""
    const domain = domainOf(meta("policy_published/domain"))
    const reporter = `${meta("report_metadata/org_name")} ${meta("report_metadata/email")}`
      .trim()
      .toLowerCase()
    const reportId = meta("report_metadata/report_id")
    const begin = countOf(meta("report_metadata/date_range/begin")) * 1000
    if (domain === null || reporter === "" || reportId === "" || begin === 0) throw new Refusal("format")
    return { _tag: "Dmarc", reporter, reportId, begin, domain, records: [...this.#counts.values()] }
  }

  #read(text: string): void {
    // Text that is not XML is detected at once, because 20 MB of it would become a single text node.
    if (this.#first && text.trim() !== "") {
      if (!text.trimStart().startsWith("<")) throw new Refusal("format")
      this.#first = false
    }
    this.#parser.write(text)
  }

  #open(name: string): void {
    if (this.#path.length >= reportBounds.depth) throw new Refusal("depth")
    const local = name.slice(name.indexOf(":") + 1, name.indexOf(":") + 1 + reportBounds.text)
    this.#path.push(local)
    this.#text = ""
    if (this.#path.length === 1) {
      if (this.#hasRoot || local !== "feedback") throw new Refusal("format")
      this.#hasRoot = true
    }
    if (this.#path.length === 2 && local === "record") {
      if (++this.#records > reportBounds.records) throw new Refusal("records")
      this.#texts = new Map()
    }
  }

  #close(): void {
    const [, section, ...rest] = this.#path
    const text = this.#text.trim()
    if (section === "record") {
      if (rest.length === 0) this.#count()
      else this.#note(this.#texts, rest.join("/"), text)
    } else if (section !== undefined && rest.length > 0 && this.#meta.size < 100) {
      this.#note(this.#meta, [section, ...rest].join("/"), text)
    }
    this.#path.pop()
    this.#text = ""
  }

  /** Keeps the first text of each path. Of several signatures it keeps a result that passed. */
  #note(texts: Texts, path: string, text: string): void {
    if (text === "" || texts.size >= 100) return
    const passes = path.endsWith("/result") && isPass(text)
    if (passes || !texts.has(path)) texts.set(path, text)
  }

  #count(): void {
    const texts = this.#texts
    const from = domainOf(texts.get("identifiers/header_from"))
    const count = countOf(texts.get("row/count"))
    if (from === null || count === 0) return
    if (!this.#domains.has(from)) {
      if (this.#domains.size >= reportBounds.domains) return
      this.#domains.add(from)
    }
    const counted = countedOf(texts)
    const key = JSON.stringify([from, counted])
    const known = this.#counts.get(key)?.count ?? 0
    this.#counts.set(key, { ...counted, from, count: Math.min(known + count, Number.MAX_SAFE_INTEGER) })
  }
}

/**
 * Reads the report in a message, in a function that threads can run.
 *
 * @module
 */
import type { MailReport } from "../../../core/model/MailReport.ts"
import { reportBounds, type ReportBound } from "../../../core/ports/MailReportReader.ts"
import type { ThreadFunction, ThreadTask } from "../../../core/ports/Threads.ts"
import { type EncodedPart, headerOf, readParts } from "../../../core/sending/reports/MimeReader.ts"
import { DmarcReader } from "./DmarcXml.ts"
import { readTlsReport } from "./TlsJson.ts"
import { Refusal, unpack } from "./Unpack.ts"

/** A message, and the kind of its report. */
export interface ReportInput {
  readonly raw: Uint8Array<ArrayBuffer>
  readonly kind: MailReport["_tag"]
}

/** The report, or the limit for which it was rejected. */
export type ReportResult = MailReport | { readonly _tag: "Refused"; readonly bound: ReportBound }

/** The media types of attachments. Many senders use a binary type and a file name instead. */
const mediaTypes: Readonly<Record<MailReport["_tag"], ReadonlySet<string>>> = {
  Dmarc: new Set([
    "application/gzip",
    "application/x-gzip",
    "application/zip",
    "application/x-zip",
    "application/x-zip-compressed",
    "application/xml",
    "text/xml"
  ]),
  Tls: new Set([
    "application/tlsrpt+gzip",
    "application/tlsrpt+json",
    "application/gzip",
    "application/x-gzip",
    "application/json"
  ])
}

const fileNames: Readonly<Record<MailReport["_tag"], RegExp>> = {
  Dmarc: /\.(?:xml|gz|zip)"?\s*(?:;|$)/i,
  Tls: /\.(?:json|gz|zip)"?\s*(?:;|$)/i
}

const isReport = ({ headers, mediaType }: EncodedPart, kind: MailReport["_tag"]): boolean =>
  mediaTypes[kind].has(mediaType) ||
  (mediaType === "application/octet-stream" &&
    ["content-disposition", "content-type"].some((name) =>
      fileNames[kind].test(headerOf(headers, name)?.slice(0, 1_000) ?? "")
    ))

const bytesOf = ({ body, headers }: EncodedPart): Uint8Array => {
  const encoding = headerOf(headers, "content-transfer-encoding")?.trim().toLowerCase()
  if (encoding === "base64") return Buffer.from(body, "base64")
  if (encoding === "quoted-printable") {
    const text = body
      .replaceAll(/=[ \t]{0,20}\n/g, "")
      .replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    return Buffer.from(text, "latin1")
  }
  return Buffer.from(body, "latin1")
}

const readAttachment = (packed: Uint8Array, kind: MailReport["_tag"]): MailReport => {
  if (kind === "Dmarc") {
    let reader: DmarcReader | undefined
    unpack(packed, (piece) => {
      if (piece.length === 0) return
      reader ??= new DmarcReader(piece)
      reader.write(piece)
    })
    if (reader === undefined) throw new Refusal("format")
    return reader.end()
  }
  const decoder = new TextDecoder("utf-8")
  let text = ""
  unpack(packed, (piece) => {
    text += decoder.decode(piece, { stream: true })
  })
  return readTlsReport(text + decoder.decode())
}

/** The report in a message. Never throws. */
export const readMailReport = ({ kind, raw }: ReportInput): ReportResult => {
  try {
    if (raw.length > reportBounds.message) throw new Refusal("size")
    const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString("latin1")
    const part = readParts(text.replaceAll("\r\n", "\n")).parts.find((one) => isReport(one, kind))
    if (part === undefined) throw new Refusal("format")
    return readAttachment(bytesOf(part), kind)
  } catch (error) {
    if (error instanceof Refusal) return { _tag: "Refused", bound: error.bound }
    throw error
  }
}

export const readInThread: ThreadFunction<ReportInput, ReportResult> = (input) => ({
  value: readMailReport(input),
  transfer: []
})

/** Declares the function as a task for threads. */
export const readTask: ThreadTask<ReportInput, ReportResult> = {
  module: import.meta.url,
  name: "readInThread",
  maxMillis: reportBounds.millis
}

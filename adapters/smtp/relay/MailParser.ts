/**
 * Parses a MIME message with mailparser. Any bytes result in a message or null. The time is limited by the thread in which it
 * runs, because some messages take a thousand times as long as others of the same size.
 *
 * @module
 */
import { isUtf8 } from "node:buffer"
import {
  type AddressObject,
  type AttachmentStream,
  type EmailAddress,
  type HeaderLines,
  type Headers,
  MailParser,
  type MessageText,
  type StructuredHeader
} from "mailparser"
import type { MailAddress } from "../../../core/relay/MailAddress.ts"
import type { ThreadResult } from "../../../core/ports/Threads.ts"
import type { ExtraHeader } from "../../../core/model/Submission.ts"
import { shortBodyOf } from "../../../core/relay/MailBody.ts"
import type { MailPart, RelayMail } from "../../../core/relay/RelayMail.ts"
import { isBlank, type LongText } from "../../../core/model/LongText.ts"
import { withLineFeeds } from "./LineEnds.ts"
import { hasOneAddressEach } from "../../../core/shared/Mailbox.ts"

/** The maximum number of header fields that are passed on. */
const maxFields = 500
/** The maximum number of addresses in a header. A message with more cannot be read. */
export const maxAddresses = 5_000
/** The maximum number of parts. A message with more cannot be read. */
export const maxParts = 200
/** The maximum size of the header of a message or of a part, in bytes. */
export const maxHeadBytes = 256 * 1024

const options = {
  // The customer's html and text are not changed, including links and images.
  skipHtmlToText: true,
  skipImageLinks: true,
  skipTextLinks: true,
  // Forwarded messages and reports are treated as attachments.
  ignoreEmbedded: true,
  keepDeliveryStatus: true,
  maxHeadSize: maxHeadBytes,
  maxChildNodes: maxParts
}

/** Whether the html may have to include plain text, because parts are not alternatives of each other. */
const mixesTextAndHtml = (raw: Buffer): boolean => {
  const end = raw.indexOf("\r\n\r\n")
  // A message can have parts only if it contains a multipart.
  if (end !== -1 && !/multipart\//i.test(raw.toString("latin1", 0, end))) return false
  const text = raw.toString("latin1")
  return /text\/html/i.test(text) && /multipart\/(?!alternative)/i.test(text)
}

interface PartRead extends Omit<MailPart, "contentId"> {
  readonly cid: string | null
  readonly isRelated: boolean
}

/** The URL of this module, for threads. */
export const parserModule = import.meta.url

/** Parses a message in a thread. */
export const readMailInThread = async (raw: Uint8Array): Promise<ThreadResult<RelayMail | null>> => {
  const mail = await parseMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength))
  if (mail === null) return { value: null, transfer: [] }
  const parts = mail.parts.map((part) => ({ ...part, content: ownBuffer(part.content) }))
  const own = { html: movable(mail.html), text: movable(mail.text), entity: movable(mail.entity) }
  const moved = [...parts.map(({ content }) => content), ...Object.values(own)].filter(
    (one) => one instanceof Uint8Array
  )
  return { value: { ...mail, parts, ...own }, transfer: moved.map(({ buffer }) => buffer) }
}

/** A value that can be transferred to another thread: bytes get a buffer of their own. */
const movable = <A>(value: A | Uint8Array): A | Uint8Array<ArrayBuffer> =>
  value instanceof Uint8Array ? ownBuffer(value) : value

/** Bytes with a buffer of their own, which can be transferred. Small byte arrays share a buffer. */
const ownBuffer = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes)

/** Parses a message, whose bytes it may overwrite; null if it cannot be parsed. */
export const parseMail = async (raw: Buffer): Promise<RelayMail | null> => {
  const end = headerEndOf(raw)
  const body = raw.subarray(end)
  if (end === 0 || body.length < longBody || body.length > maxBody || !isUtf8(body)) return readWhole(raw)
  const head = await readParts(raw.subarray(0, end))
  const field = head?.plainBody
  if (head == null || field == null || isBlank(body)) return readWhole(raw)
  return mailOf({ ...head, html: null, text: null, [field]: withLineFeeds(body) })
}

const readWhole = async (raw: Buffer): Promise<RelayMail | null> => {
  const read = await readParts(raw)
  return read && mailOf(read)
}

/** From this length, a body that needs no decoding is passed on as bytes, and mailparser reads only the header. */
const longBody = 4_096
const maxBody = 1_000_000

/** Where the header ends; 0 if readers may disagree about that. */
const headerEndOf = (raw: Buffer): number => {
  const end = raw.indexOf("\r\n\r\n")
  const isEmpty = end <= 0 || raw[0] === 0x0d || raw[0] === 0x0a
  return isEmpty || raw.subarray(0, end).includes("\n\n") ? 0 : end + 4
}

/** Reads the parts that mailparser finds in a message; null if it finds an error. */
const readParts = (raw: Buffer): Promise<MailRead | null> =>
  new Promise((resolve) => {
    const parser = new MailParser({ ...options, skipTextToHtml: !mixesTextAndHtml(raw) })
    const { splitter } = parser as unknown as { readonly splitter: Splitter }
    let plainBody: MailRead["plainBody"] = null
    let isSealed = false
    keepEmptyBodies(splitter, (node) => {
      if (node.root === true) plainBody = plainBodyOf(node)
      isSealed ||= sealed.test(node.contentType || "")
    })
    passWholeBody(splitter)
    const parts: Array<PartRead> = []
    let headers: Headers | null = null
    let lines: HeaderLines = []
    let body: MessageText | null = null
    parser.on("error", () => resolve(null))
    parser.on("headers", (found) => {
      headers = found
    })
    parser.on("headerLines", (found) => {
      lines = found
    })
    parser.on("data", (data) => {
      if (data.type === "text") body = data
      else readPart(data, (part) => parts.push(part))
    })
    parser.on("end", () => {
      const found = { headers: headers ?? new Map(), html: textOf(body?.html), text: textOf(body?.text) }
      resolve({ raw, lines, parts, plainBody, isSealed, ...found })
    })
    parser.end(raw)
  })

/** The pieces into which mailparser splits a message. They include nodes (headers), bodies, and the boundary lines after them. */
interface Chunk {
  readonly type: string
  readonly node?: SplitNode
  value?: Buffer
  readonly root?: boolean
  readonly contentType?: string | false
  readonly charset?: string | false
  readonly encoding?: string | false
  readonly flowed?: boolean
  readonly filename?: string | false
  disposition?: string | false
}

/** The part whose lines are being split. */
interface SplitNode {
  readonly multipart: string | false
  readonly _boundary: Buffer | false
  readonly _parentBoundary: Buffer | false
}

type Done = (error?: Error | null) => void

/** The stream in mailparser that splits messages. */
interface Splitter {
  readonly node: SplitNode
  readonly state: number
  push: (chunk: Chunk | null) => boolean
  _transform: (bytes: Buffer, encoding: BufferEncoding, done: Done) => void
}

/** The state of the splitter after a header. */
const inBody = 2

/**
 * Makes the splitter pass on the body of a message with a single part unchanged. None of its lines is a boundary, and checking
 * each of them takes most of the time of parsing.
 */
const passWholeBody = (splitter: Splitter): void => {
  const transform = splitter._transform.bind(splitter)
  const passBody = (bytes: Buffer, encoding: BufferEncoding, done: Done): void => {
    const { node } = splitter
    const isWhole = splitter.state === inBody && !node.multipart && !node._boundary && !node._parentBoundary
    if (!isWhole) return transform(bytes, encoding, done)
    if (bytes.length > 0) splitter.push({ node, type: "body", value: bytes })
    done()
  }
  splitter._transform = (bytes, encoding, done) => {
    const headerEnd = bytes.indexOf("\r\n\r\n") + 4
    if (headerEnd === 3) return transform(bytes, encoding, done)
    transform(bytes.subarray(0, headerEnd), encoding, (error) =>
      error == null ? passBody(bytes.subarray(headerEnd), encoding, done) : done(error)
    )
  }
}

const startOf = ({ value }: Chunk, length: number): string => value?.toString("latin1", 0, length) ?? ""

/** Whether a header belongs to a file that mailparser would treat as text of the message. */
const isNamedText = ({ contentType, disposition, filename, type }: Chunk): boolean =>
  type === "node" &&
  (contentType === "text/plain" || contentType === "text/html") &&
  (disposition || "inline") === "inline" &&
  Boolean(filename)

const undecodedEncodings: ReadonlySet<string> = new Set(["", "7bit", "8bit", "binary"])
const utf8Charsets: ReadonlySet<string> = new Set(["", "utf-8", "us-ascii"])

/** The kind of body that a header announces, if it is UTF-8 without another encoding; null for anything else. */
const plainBodyOf = (node: Chunk): MailRead["plainBody"] => {
  const { charset, contentType, disposition, encoding, filename, flowed } = node
  const isDecoded =
    undecodedEncodings.has((encoding || "").toLowerCase()) && utf8Charsets.has((charset || "").toLowerCase())
  if (!isDecoded || filename || flowed || (disposition || "inline") !== "inline") return null
  if (contentType === "text/html") return "html"
  return (contentType || "text/plain") === "text/plain" ? "text" : null
}

/**
 * Corrects two errors of mailparser's splitter. It treats the line end of an empty body as content, but that line end belongs to
 * the boundary (RFC 2046, 5.1.1), which then begins without one. It also treats a named text without content as text of the
 * message, which would lose it, although it is a file.
 */
const keepEmptyBodies = (splitter: Splitter, onHeader: (node: Chunk) => void): void => {
  const push = splitter.push.bind(splitter)
  let node: Chunk | null = null
  let body: Chunk | null = null
  splitter.push = (chunk) => {
    if (chunk?.type === "node") onHeader(chunk)
    const isLineEnd = chunk?.type === "body" && /^\r?\n$/.test(startOf(chunk, 3))
    if (isLineEnd && body === null) {
      body = chunk
      return true
    }
    if (body !== null && chunk?.type === "data" && startOf(chunk, 2) === "--") body.value = Buffer.alloc(0)
    if (node !== null) {
      if (chunk?.type !== "body" && !body?.value?.length) node.disposition = "attachment"
      push(node)
      node = null
    }
    if (body !== null) push(body)
    body = isLineEnd ? chunk : null
    if (isLineEnd) return true
    if (chunk !== null && isNamedText(chunk)) {
      node = chunk
      return true
    }
    return push(chunk)
  }
}

/** Reads an attachment. The parser waits until each attachment is released. */
const readPart = (attachment: AttachmentStream, done: (part: PartRead) => void): void => {
  const chunks: Array<Buffer> = []
  const stream = attachment.content
  stream.on("data", (chunk: Buffer) => chunks.push(chunk))
  stream.once("error", () => attachment.release())
  stream.once("end", () => {
    done({
      filename: attachment.filename ?? null,
      contentType: attachment.contentType ?? "",
      parameters: parametersOf(attachment.headers),
      cid: attachment.cid ?? null,
      isRelated: attachment.related === true,
      content: Buffer.concat(chunks)
    })
    attachment.release()
  })
}

/** The parameters of a part's content type. */
const parametersOf = (headers: Headers): MailPart["parameters"] => {
  const found = headers.get("content-type") as StructuredHeader | undefined
  return Object.entries(found?.params ?? {})
}

interface MailRead {
  readonly raw: Buffer
  readonly headers: Headers
  readonly lines: HeaderLines
  readonly html: LongText | null
  readonly text: LongText | null
  /** The kind of the only body, if it needs no decoding; null if the message must be read completely. */
  readonly plainBody: "html" | "text" | null
  /** Whether the message, or a part of it, is signed or encrypted. Attached messages do not count. */
  readonly isSealed: boolean
  readonly parts: ReadonlyArray<PartRead>
}

const mailOf = ({ headers, html, isSealed, lines, parts, raw, text }: MailRead): RelayMail | null => {
  const names = lines.map(({ key }) => key)
  const fields = lines.filter(({ key }) => isPassed(key)).map(fieldOf)
  const subject: unknown = headers.get("subject")
  const from = names.filter((name) => name === "from").length === 1 ? addressesOf(headers, "from") : []
  const to = names.includes("to") ? addressesOf(headers, "to") : null
  const cc = addressesOf(headers, "cc")
  const replyTo = addressesOf(headers, "reply-to")
  const counts = [from.length, to?.length ?? 0, cc.length, replyTo.length]
  if (fields.length > maxFields || parts.length > maxParts || Math.max(...counts) > maxAddresses) return null
  return {
    from,
    to,
    cc,
    replyTo,
    ambiguous: addressFields
      .filter(([name]) => lines.some((line) => line.key === name && !hasOneAddressEach(fieldOf(line).value)))
      .map(([, field]) => field),
    subject: typeof subject === "string" ? subject : "",
    html: html && shortBodyOf(html),
    text: text && shortBodyOf(text),
    parts: parts.map(({ cid, content, contentType, filename, isRelated, parameters }) => ({
      filename,
      contentType,
      parameters,
      content,
      // Mail programs give every attachment an id, but it matters only if the html refers to it.
      contentId: cid && (isRelated || (typeof html === "string" && html.includes(`cid:${cid}`))) ? cid : null
    })),
    entity: isSealed ? entityOf(raw, lines) : null,
    headers: fields
  }
}

/** The content types of signed and encrypted content (RFC 1847, 2). A comment may follow. */
const sealed = /^multipart\/(?:signed|encrypted)(?![^\s(])/
/** Whether no reader can misinterpret a line of a header field: it is printable ASCII, short enough, and not blank. */
const isPlainLine = (line: string): boolean =>
  line.length <= 998 && line.trim() !== "" && /^[\t\x20-\x7e]*$/.test(line)

/** The body of a message with its content header fields; null if these cannot be passed on unchanged. */
const entityOf = (raw: Buffer, lines: HeaderLines): Uint8Array | null => {
  const fields = lines.filter(({ key }) => key.startsWith("content-")).map(({ line }) => line)
  if (lines.filter(({ key }) => key === "content-type").length !== 1) return null
  const end = raw.indexOf("\r\n\r\n")
  const isPlain = fields.every((field) => field.split("\r\n").every(isPlainLine))
  if (end === -1 || !isPlain) return null
  const header = fields.map((field) => `${field}\r\n`).join("")
  return Buffer.concat([Buffer.from(`${header}\r\n`, "latin1"), raw.subarray(end + 4)])
}

/** The address headers, with the names of fields in the API. */
const addressFields = [
  ["from", "from"],
  ["to", "to"],
  ["cc", "cc"],
  ["reply-to", "replyTo"]
] as const

/** Whether a header field, given by its name in lower case, is passed on and not just read here. */
const isPassed = (name: string): boolean =>
  name.startsWith("x-") || name === "in-reply-to" || name === "references"

const textOf = (text: unknown): string | null =>
  typeof text === "string" && text.trim() !== "" ? text : null

/** Parses a header field from its line, which has a character for each byte. */
const fieldOf = ({ line }: { readonly line: string }): ExtraHeader => {
  const text = Buffer.from(line, "latin1").toString("utf8")
  const at = text.indexOf(":")
  return {
    name: text.slice(0, Math.max(0, at)).trim(),
    value: text
      .slice(at + 1)
      .replaceAll(/\r?\n(?=[ \t])/g, "")
      .trim()
  }
}

const addressesOf = (headers: Headers, name: string): ReadonlyArray<MailAddress> => {
  const found = headers.get(name) as AddressObject | ReadonlyArray<AddressObject> | undefined
  const objects: ReadonlyArray<AddressObject> = found === undefined ? [] : "value" in found ? [found] : found
  return objects.flatMap(({ value }) => value.flatMap(mailboxesOf))
}

const mailboxesOf = ({ address, group, name }: EmailAddress): ReadonlyArray<MailAddress> =>
  group === undefined ? [{ address: address ?? "", name }] : group.flatMap(mailboxesOf)

/**
 * Parses a MIME message by mailparser. Total: any bytes give a message or null, in bounded time.
 *
 * @module
 */
import {
  type AddressObject,
  type AttachmentStream,
  type EmailAddress,
  type HeaderLines,
  type Headers,
  MailParser,
  type MessageText
} from "mailparser"
import type { MailAddress } from "../../../core/relay/MailAddress.ts"
import type { MailPart, RelayMail } from "../../../core/relay/RelayMail.ts"
import type { ExtraHeader } from "../../../core/model/Submission.ts"

const options = {
  // The customer's html and text stay as they are; links and images are not changed.
  skipHtmlToText: true,
  skipImageLinks: true,
  skipTextLinks: true,
  // Forwarded messages and reports are attachments.
  ignoreEmbedded: true,
  keepDeliveryStatus: true,
  maxHeadSize: 256 * 1024,
  maxChildNodes: 200
}

/** Whether the html may have to include plain text: parts that are not alternatives of each other. */
const mixesTextAndHtml = (raw: Buffer): boolean => {
  const text = raw.toString("latin1")
  return /text\/html/i.test(text) && /multipart\/(?!alternative)/i.test(text)
}

const maxReadMillis = 20_000

interface PartRead extends Omit<MailPart, "contentId"> {
  readonly cid: string | null
  readonly isRelated: boolean
}

/** Parses a message; null for one that cannot be parsed. */
export const readMail = (raw: Buffer): Promise<RelayMail | null> =>
  new Promise((resolve) => {
    const parser = new MailParser({ ...options, skipTextToHtml: !mixesTextAndHtml(raw) })
    const parts: Array<PartRead> = []
    let headers: Headers | null = null
    let lines: HeaderLines = []
    let body: MessageText | null = null
    const end = (mail: RelayMail | null) => {
      clearTimeout(timer)
      resolve(mail)
    }
    const timer = setTimeout(() => {
      parser.destroy()
      end(null)
    }, maxReadMillis)
    parser.on("error", () => end(null))
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
    parser.on("end", () => end(mailOf({ headers: headers ?? new Map(), lines, body, parts })))
    parser.end(raw)
  })

/** The parser waits for each attachment to be released. */
const readPart = (attachment: AttachmentStream, done: (part: PartRead) => void): void => {
  const chunks: Array<Buffer> = []
  const stream = attachment.content
  stream.on("data", (chunk: Buffer) => chunks.push(chunk))
  stream.once("error", () => attachment.release())
  stream.once("end", () => {
    done({
      filename: attachment.filename ?? null,
      contentType: attachment.contentType ?? "",
      cid: attachment.cid ?? null,
      isRelated: attachment.related === true,
      content: Buffer.concat(chunks)
    })
    attachment.release()
  })
}

interface MailRead {
  readonly headers: Headers
  readonly lines: HeaderLines
  readonly body: MessageText | null
  readonly parts: ReadonlyArray<PartRead>
}

const mailOf = ({ body, headers, lines, parts }: MailRead): RelayMail => {
  const html = textOf(body?.html)
  const fields = lines.map(fieldOf)
  const isSingle = fields.filter(({ name }) => name.toLowerCase() === "from").length === 1
  const subject: unknown = headers.get("subject")
  return {
    from: isSingle ? addressesOf(headers, "from") : [],
    to: fields.some(({ name }) => name.toLowerCase() === "to") ? addressesOf(headers, "to") : null,
    cc: addressesOf(headers, "cc"),
    replyTo: addressesOf(headers, "reply-to"),
    subject: typeof subject === "string" ? subject : "",
    html,
    text: textOf(body?.text),
    parts: parts.map(({ cid, content, contentType, filename, isRelated }) => ({
      filename,
      contentType,
      content,
      // Mail programs give every attachment an id; it matters only where the html refers to it.
      contentId: cid && (isRelated || html?.includes(`cid:${cid}`)) ? cid : null
    })),
    headers: fields
  }
}

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

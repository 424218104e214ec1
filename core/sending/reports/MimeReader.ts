/**
 * Parses the structure of received email: header fields and the text of each part (RFC 5322, RFC 2045, RFC 2046). Total: any
 * bytes give a result, in time and memory bounded by their length. A message inside a message is one part, whose text is that
 * message.
 *
 * @module
 */
import { fromBase64Url } from "../../shared/Bytes.ts"

/** Header fields by lower-case name: their unfolded values in order. */
export type HeaderFields = ReadonlyMap<string, ReadonlyArray<string>>

/** A part that contains no other parts. */
export interface MimePart {
  readonly headers: HeaderFields
  /** Lower case, without parameters. */
  readonly mediaType: string
  /** Decoded, with LF as line ends; only the beginning of a long part. */
  readonly text: string
}

/** A received message. */
export interface MimeMessage {
  readonly headers: HeaderFields
  /** In order, including nested parts. */
  readonly parts: ReadonlyArray<MimePart>
}

/** Limits. Reports are small, and anything beyond the limits is left out. */
const maxParts = 50
const maxDepth = 8
const maxFields = 500
const maxFieldLength = 8_192
const maxTextLength = 65_536

const utf8 = (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: false }).decode(bytes)

/** A part as it is in the message, still encoded. */
export interface EncodedPart {
  readonly headers: HeaderFields
  /** Lower case, without parameters. */
  readonly mediaType: string
  /** The whole body, before its transfer encoding is decoded. */
  readonly body: string
}

/** Reads a message. */
export const readMime = (raw: Uint8Array): MimeMessage => {
  const { headers, parts } = readParts(utf8(raw).replaceAll(/\r\n?/g, "\n"))
  return {
    headers,
    parts: parts.map(({ body, headers: own, mediaType }) => ({
      headers: own,
      mediaType,
      text: decode(body, headerOf(own, "content-transfer-encoding"))
    }))
  }
}

/** Reads the structure of a message that has LF as line ends. */
export const readParts = (
  text: string
): { readonly headers: HeaderFields; readonly parts: ReadonlyArray<EncodedPart> } => {
  const parts: Array<EncodedPart> = []
  return { headers: walk(text, 0, parts), parts }
}

/** The first value of a header field; null if it is missing. */
export const headerOf = (headers: HeaderFields, name: string): string | null => headers.get(name)?.[0] ?? null

/** The header fields at the beginning of a string, up to the first empty line. */
export const readFields = (text: string): HeaderFields => {
  const fields = new Map<string, Array<string>>()
  let current: { readonly values: Array<string>; value: string } | null = null
  const finish = () => current?.values.push(current.value.trim())
  let count = 0
  for (const line of linesOf(text)) {
    if (line === "") break
    if (line.startsWith(" ") || line.startsWith("\t")) {
      if (current !== null && current.value.length < maxFieldLength) {
        current.value += ` ${line.trim().slice(0, maxFieldLength)}`
      }
      continue
    }
    const [, name, value] = /^([!-9;-~]{1,100})[ \t]*:(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    if (++count > maxFields) break
    finish()
    const key = name.toLowerCase()
    const values = fields.get(key) ?? []
    fields.set(key, values)
    current = { values, value: value.trim().slice(0, maxFieldLength) }
  }
  finish()
  return fields
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start)
    yield end === -1 ? text.slice(start) : text.slice(start, end)
    if (end === -1) return
    start = end + 1
  }
}

/** Adds the parts of an entity and returns its header fields. */
const walk = (entity: string, depth: number, parts: Array<EncodedPart>): HeaderFields => {
  const headers = readFields(entity)
  const body = bodyOf(entity)
  const type = headerOf(headers, "content-type") ?? "text/plain"
  const mediaType = /^\s*([\w.+-]{1,60}\/[\w.+-]{1,60})/.exec(type)?.[1]?.toLowerCase() ?? "text/plain"
  const boundary = mediaType.startsWith("multipart/") ? boundaryOf(type) : null
  if (boundary !== null && depth < maxDepth) {
    for (const child of split(body, boundary)) {
      if (parts.length >= maxParts) break
      walk(child, depth + 1, parts)
    }
  } else parts.push({ headers, mediaType, body })
  return headers
}

const bodyOf = (entity: string): string => {
  if (entity.startsWith("\n")) return entity.slice(1)
  const end = entity.indexOf("\n\n")
  return end === -1 ? "" : entity.slice(end + 2)
}

const boundaryOf = (type: string): string | null => {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s";]{1,200}))/i.exec(type) ?? []
  return quoted ?? plain ?? null
}

/** Splits a body into the entities between the delimiters of a boundary. The closing delimiter may be missing. */
const split = (body: string, boundary: string): ReadonlyArray<string> => {
  const entities: Array<string> = []
  const delimiter = `--${boundary}`
  let begun: number | null = null
  for (let at = body.startsWith(delimiter) ? 0 : next(body, delimiter, 0); at !== -1;) {
    const lineEnd = body.indexOf("\n", at)
    const rest = body.slice(at + delimiter.length, lineEnd === -1 ? undefined : lineEnd)
    const closes = rest.startsWith("--")
    // The boundary may be the beginning of another one.
    if (closes || rest.trim() === "") {
      if (begun !== null) entities.push(body.slice(begun, Math.max(begun, at - 1)))
      begun = null
      if (closes || lineEnd === -1 || entities.length >= maxParts) break
      begun = lineEnd + 1
    }
    at = next(body, delimiter, at + delimiter.length)
  }
  if (begun !== null) entities.push(body.slice(begun))
  return entities
}

/** The index of the next line that begins with a delimiter; -1 if there is none. */
const next = (body: string, delimiter: string, from: number): number => {
  const found = body.indexOf(`\n${delimiter}`, Math.max(0, from - 1))
  return found === -1 ? -1 : found + 1
}

const decode = (body: string, encoding: string | null): string => {
  const text = body.slice(0, 2 * maxTextLength)
  switch (encoding?.trim().toLowerCase()) {
    case "base64":
      return utf8(
        fromBase64Url(
          text
            .replaceAll(/[^\w+/-]/g, "")
            .replaceAll("+", "-")
            .replaceAll("/", "_")
        )
      )
        .replaceAll(/\r\n?/g, "\n")
        .slice(0, maxTextLength)
    case "quoted-printable":
      return fromQuotedPrintable(text).slice(0, maxTextLength)
    default:
      return text.slice(0, maxTextLength)
  }
}

const fromQuotedPrintable = (text: string): string =>
  text
    .replaceAll(/=[ \t]{0,20}\n/g, "")
    .replaceAll(/(?:=[0-9A-Fa-f]{2}){1,1000}/g, (run) =>
      utf8(
        Uint8Array.from({ length: run.length / 3 }, (_, at) =>
          Number.parseInt(run.slice(3 * at + 1, 3 * at + 3), 16)
        )
      )
    )

/**
 * The content of emails as stored: each content once per account, named by its hash.
 *
 * @module
 */
import { stringOf, utf8Of } from "./LongText.ts"
import type { Attachment, EmailBodies, NewSubmission } from "./Submission.ts"

/** The name of stored bytes in an account. */
export interface ObjectName {
  readonly accountId: string
  /** SHA-256 of the bytes, lower-case hex. */
  readonly hash: string
  /**
   * A UUIDv7 of the write that stored the bytes, so that no two writes use the same name: removing a name never removes what a
   * later write of equal bytes stored. Its time is that of the write.
   */
  readonly id: string
}

/** Bytes with their name. */
export interface StoredObject {
  readonly name: ObjectName
  readonly bytes: Uint8Array
}

/** The html and text of an email as one object: their UTF-8 bytes, html first. */
export interface BodiesObject {
  readonly object: ObjectName
  /** The length of the html in bytes; null if the email has none. */
  readonly htmlBytes: number | null
  /** The length of the text in bytes; null if the email has none. */
  readonly textBytes: number | null
}

/** Html and text as read: either the bodies themselves, or both null with the object that contains them outside the database. */
export interface StoredBodies extends EmailBodies {
  readonly outside?: BodiesObject
}

/** An attachment as read: with its bytes, or with the name of the object that contains them outside the database. */
export interface StoredAttachment extends Omit<Attachment, "content"> {
  readonly content: Uint8Array | ObjectName
}

/** The content of an email's messages, as read. */
export interface StoredContent extends StoredBodies {
  readonly attachments: ReadonlyArray<StoredAttachment>
}

/** Bytes with their hash. */
export interface ContentPiece {
  /** SHA-256, lower-case hex. */
  readonly hash: string
  readonly bytes: Uint8Array
}

/** An email's content, divided into the parts in which it is stored. */
export interface ContentParts {
  /** The bodies that are stored with the submission; both null if they are stored as a piece. */
  readonly inline: EmailBodies
  /** The bodies as a piece, with the lengths by which they are separated again; null if they are inline. */
  readonly bodies: (ContentPiece & Omit<BodiesObject, "object">) | null
  /** The bytes of the attachments, in order. */
  readonly attachments: ReadonlyArray<ContentPiece>
}

/**
 * Bodies of at most this many characters in total are stored with their submission if the database stores content. Storing them
 * separately would take a row and two index entries, which is about as much.
 */
export const maxInlineBodies = 2_000

/** How long bytes without a use are kept, milliseconds: far longer than the acceptance of an email takes. */
export const maxUnnamedMillis = 12 * 3_600_000

const noBytes = new Uint8Array()

const joined = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

/**
 * Divides an email's content into parts.
 *
 * @param sha256Hex the SHA-256 of bytes in lower-case hex
 * @param maxInline the most characters of bodies that are stored with the submission; 0 for none
 */
export const partsOf = (
  { attachments, html, text }: Pick<NewSubmission, "attachments" | "html" | "text">,
  sha256Hex: (bytes: Uint8Array) => string,
  maxInline: number
): ContentParts => {
  const piece = (bytes: Uint8Array): ContentPiece => ({ hash: sha256Hex(bytes), bytes })
  const files = attachments.map(({ content }) => piece(content))
  if ((html?.length ?? 0) + (text?.length ?? 0) <= maxInline) {
    const inline = { html: html && stringOf(html), text: text && stringOf(text) }
    return { inline, bodies: null, attachments: files }
  }
  const [htmlBytes, textBytes] = [html, text].map((body) => (body === null ? null : utf8Of(body)))
  const bytes = htmlBytes && textBytes ? joined(htmlBytes, textBytes) : (htmlBytes ?? textBytes ?? noBytes)
  return {
    inline: { html: null, text: null },
    bodies: { ...piece(bytes), htmlBytes: htmlBytes?.length ?? null, textBytes: textBytes?.length ?? null },
    attachments: files
  }
}

/** The pieces of several emails' content, each hash once. */
export const piecesOf = (parts: ReadonlyArray<ContentParts>): ReadonlyMap<string, Uint8Array> =>
  new Map(
    parts.flatMap(({ attachments, bodies }) =>
      [...(bodies === null ? [] : [bodies]), ...attachments].map(({ bytes, hash }) => [hash, bytes] as const)
    )
  )

/** The html and text from the bytes of an object. */
export const bodiesOf = (
  bytes: Uint8Array,
  { htmlBytes, textBytes }: Omit<BodiesObject, "object">
): EmailBodies => {
  const start = htmlBytes ?? 0
  return {
    html: htmlBytes === null ? null : stringOf(bytes.subarray(0, htmlBytes)),
    text: textBytes === null ? null : stringOf(bytes.subarray(start, start + textBytes))
  }
}

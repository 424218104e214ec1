/**
 * Validates the attachments of a request (docs/contributing/decisions.md 5).
 *
 * @module
 */
import { base64Size, fromBase64 } from "../../shared/Bytes.ts"
import type { Issues } from "../../shared/Problem.ts"
import { isStorable, type Maybe } from "../../shared/Validate.ts"
import type { Attachment } from "../../model/Submission.ts"
import { parseContentType } from "./ContentType.ts"

/** An attachment as submitted. */
export interface AttachmentWrite {
  readonly filename: string
  /** A media type, with parameters if it has any. */
  readonly contentType: string
  /** Base64 in JSON; bytes from the SMTP relay. */
  readonly content: string | Uint8Array
  readonly contentId?: Maybe<string>
}

/** The maximum number of attachments of an email. */
export const maxAttachments = 10
/** The maximum number of decoded bytes in all attachments of an email. */
export const maxAttachmentBytes = 5 * 1024 * 1024

const maxFilename = 255
const maxContentId = 200

/** Control characters, and directory separators of any system. */
const filenameForbidden = /[\u0000-\u001f\u007f-\u009f/\\\u2028\u2029]/
const contentIdPattern = /^[\x21-\x3b\x3d\x3f-\x7e]+$/

/** Validates attachments. The returned attachments are valid only if no issue was added. */
export const checkAttachments = (
  given: Maybe<ReadonlyArray<AttachmentWrite>>,
  issues: Issues
): ReadonlyArray<Attachment> => {
  const writes = given ?? []
  if (writes.length > maxAttachments) {
    issues.add("sending.attachments_too_many", "attachments", { max: maxAttachments })
    return []
  }
  // Computed from the length of the base64 before anything is decoded.
  const size = writes.reduce((sum, { content }) => sum + sizeOf(content), 0)
  if (size > maxAttachmentBytes) {
    issues.add(
      "sending.attachments_too_large",
      "attachments",
      { max: maxAttachmentBytes },
      { found: String(size) }
    )
    return []
  }
  const contentIds = new Set<string>()
  return writes.map((write, index) => {
    const reject = (field: keyof AttachmentWrite) =>
      issues.add("sending.attachment_invalid", `attachments[${index}].${field}`)
    const filename = write.filename.trim()
    if (!isFilename(filename)) reject("filename")
    const contentType = parseContentType(write.contentType)
    if (contentType === null) reject("contentType")
    const content = typeof write.content === "string" ? fromBase64(write.content) : write.content
    if (content === null) reject("content")
    const contentId = write.contentId == null ? null : unbracketed(write.contentId.trim())
    if (contentId !== null && (!isContentId(contentId) || contentIds.has(contentId))) reject("contentId")
    if (contentId !== null) contentIds.add(contentId)
    return {
      filename,
      contentType: contentType ?? "",
      contentId,
      content: content ?? new Uint8Array()
    }
  })
}

const sizeOf = (content: string | Uint8Array): number =>
  typeof content === "string" ? base64Size(content) : content.length

const isFilename = (name: string): boolean =>
  name !== "" &&
  name !== "." &&
  name !== ".." &&
  name.length <= maxFilename &&
  isStorable(name) &&
  !filenameForbidden.test(name)

const isContentId = (id: string): boolean => id.length <= maxContentId && contentIdPattern.test(id)

/** Removes the angle brackets of a content id. The message has them; `cid:` links do not. */
const unbracketed = (id: string): string => (id.startsWith("<") && id.endsWith(">") ? id.slice(1, -1) : id)

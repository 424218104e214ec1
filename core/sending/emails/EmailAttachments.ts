/**
 * The attachments of a request and their rules (decisions 5).
 *
 * @module
 */
import { base64Size, fromBase64 } from "../../shared/Bytes.ts"
import { type Issue, issue } from "../../shared/Problem.ts"
import { isStorable, type Maybe } from "../../shared/Validate.ts"
import type { Attachment } from "../../model/Submission.ts"

/** An attachment as a request gives it. */
export interface AttachmentWrite {
  readonly filename: string
  readonly contentType: string
  /** Base64 in JSON; bytes where a request comes in another way. */
  readonly content: string | Uint8Array
  readonly contentId?: Maybe<string>
}

/** The most attachments of an email. */
export const maxAttachments = 10
/** The most bytes of an email's attachments together, decoded. */
export const maxAttachmentBytes = 5 * 1024 * 1024

const maxFilename = 255
const maxContentId = 200

/** Controls, and what separates directories on any system. */
const filenameRefused = /[\u0000-\u001f\u007f-\u009f/\\\u2028\u2029]/
/** RFC 6838, 4.2, without parameters. */
const mediaType = /^([A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126})\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$/
const contentIdPattern = /^[\x21-\x3b\x3d\x3f-\x7e]+$/

/** Checks attachments; what is answered counts only when no issue was found. */
export const checkAttachments = (
  given: Maybe<ReadonlyArray<AttachmentWrite>>,
  issues: Array<Issue>
): ReadonlyArray<Attachment> => {
  const writes = given ?? []
  if (writes.length > maxAttachments) {
    issues.push(issue("sending.attachments_too_many", "attachments", { max: maxAttachments }))
    return []
  }
  // By what the texts say, before anything is decoded.
  const size = writes.reduce((sum, { content }) => sum + sizeOf(content), 0)
  if (size > maxAttachmentBytes) {
    issues.push(issue("sending.attachments_too_large", "attachments", { max: maxAttachmentBytes }))
    return []
  }
  const contentIds = new Set<string>()
  return writes.map((write, index) => {
    const refuse = (field: keyof AttachmentWrite) =>
      issues.push(issue("sending.attachment_invalid", `attachments[${index}].${field}`))
    const filename = write.filename.trim()
    if (!isFilename(filename)) refuse("filename")
    const contentType = write.contentType.trim()
    // The parts of a multipart cannot be told from one file's bytes.
    const type = mediaType.exec(contentType)?.[1]?.toLowerCase()
    if (type === undefined || type === "multipart") refuse("contentType")
    const content = typeof write.content === "string" ? fromBase64(write.content) : write.content
    if (content === null) refuse("content")
    const contentId = write.contentId == null ? null : unbracketed(write.contentId.trim())
    if (contentId !== null && (!isContentId(contentId) || contentIds.has(contentId))) refuse("contentId")
    if (contentId !== null) contentIds.add(contentId)
    return {
      filename,
      contentType: contentType.toLowerCase(),
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
  !filenameRefused.test(name)

const isContentId = (id: string): boolean => id.length <= maxContentId && contentIdPattern.test(id)

/** A content id is written with angle brackets in the message, and without them in `cid:` links. */
const unbracketed = (id: string): string => (id.startsWith("<") && id.endsWith(">") ? id.slice(1, -1) : id)

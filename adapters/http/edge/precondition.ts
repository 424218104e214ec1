/**
 * The headers of concurrent edits: If-Match of a request and ETag of a response (RFC 9110, 13.1.1 and 8.8.3).
 *
 * @module
 */
import { Effect } from "effect"
import { type Edited, tagOf } from "../../../core/model/Edited.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import type { HandlerReply } from "./reply.ts"

/** `*`, or one tag; a proxy that encodes a response may make its tag a weak one. */
const tagPattern = /^(?:W\/)?("[\x21\x23-\x7e]{0,200}")$/

/** The tag that a header names; null for any version. validation.format of what is neither. */
export const parseIfMatch = (header: string | null): Effect.Effect<string | null, Problem> => {
  const text = header?.trim() ?? "*"
  const [, tag] = tagPattern.exec(text) ?? []
  return tag === undefined && text !== "*"
    ? Effect.fail(
        Problem.of("validation.format", "If-Match", null, { expected: 'one tag such as "x1", or *' })
      )
    : Effect.succeed(tag ?? null)
}

/** A reply with the ETag of what it shows. */
export const tagged = <Value>(reply: HandlerReply<Value>, edited: Edited): HandlerReply<Value> =>
  reply._tag === "Value" ? { ...reply, etag: tagOf(edited) } : reply

/** When and by whom something was changed last. */
export const encodeEdited = ({ updatedAt, updatedBy }: Edited) => ({
  updatedAt: formatDateTime(updatedAt),
  updatedBy: updatedBy && { ...updatedBy }
})

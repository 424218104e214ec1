/**
 * The headers of conditional changes: If-Match of a request and ETag of a response (RFC 9110, 13.1.1 and 8.8.3).
 *
 * @module
 */
import { Effect } from "effect"
import { type Edited, tagOf } from "../../../core/model/Edited.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import type { HandlerReply } from "./reply.ts"

/** `*`, or one tag. A proxy that encodes a response may turn its tag into a weak one. */
const tagPattern = /^(?:W\/)?("[\x21\x23-\x7e]{0,200}")$/

/** Returns the tag that a header names; null for any version. Fails with validation.format for anything else. */
export const parseIfMatch = (header: string | null): Effect.Effect<string | null, Problem> => {
  const text = header?.trim() ?? "*"
  const [, tag] = tagPattern.exec(text) ?? []
  return tag === undefined && text !== "*"
    ? Effect.fail(
        Problem.of("validation.format", "If-Match", null, { expected: 'one tag such as "x1", or *' })
      )
    : Effect.succeed(tag ?? null)
}

/** Adds to a reply the ETag of the version that it shows. */
export const tagged = <Value>(reply: HandlerReply<Value>, edited: Edited): HandlerReply<Value> =>
  reply._tag === "Value" ? { ...reply, etag: tagOf(edited) } : reply

/** When something was last changed, and by whom. */
export const encodeEdited = ({ updatedAt, updatedBy }: Edited) => ({
  updatedAt: formatDateTime(updatedAt),
  updatedBy: updatedBy && { ...updatedBy }
})

/**
 * Finds a provider's own message id in its reply to a message. Pure.
 *
 * @module
 */
import { isUuid } from "../../shared/Uuid.ts"

/** A word that may be an id: 12 to 200 characters that occur in ids, at least one of them a digit. */
const form = /^(?=\D{0,200}\d)[A-Za-z0-9][\w.@+/=-]{11,199}$/

const maxReply = 500

/** An id in the form in which ids are compared. A UUID may be written in either case (RFC 9562, 4). */
export const foldedId = (id: string): string => (isUuid(id) ? id.toLowerCase() : id)

/**
 * The id in a reply such as `250 2.0.0 Ok: queued as <id>` or `250 Ok <id>`: the last word that may be an id, without brackets
 * around it; null if there is none.
 */
export const providerIdOf = (reply: string): string | null => {
  const id = reply
    .slice(0, maxReply)
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^(?:id=)?[<("'[]/, "").replace(/[>)"'\]]$/, ""))
    .findLast((word) => form.test(word))
  return id === undefined ? null : foldedId(id)
}

/**
 * Reads a provider's own id of a message in its reply to it. Pure.
 *
 * @module
 */
import { isUuid } from "../../shared/Uuid.ts"

/** A word that may be an id: 12 to 200 characters of ids, one of them a digit. */
const form = /^(?=\D{0,200}\d)[A-Za-z0-9][\w.@+/=-]{11,199}$/

const maxReply = 500

/** An id as it is compared: a UUID may be written in either case (RFC 9562, 4). */
export const foldedId = (id: string): string => (isUuid(id) ? id.toLowerCase() : id)

/**
 * The id in a reply such as `250 2.0.0 Ok: queued as <id>` or `250 Ok <id>`: the last word that may be one; null for none.
 * Brackets around it are no part of it.
 */
export const providerIdOf = (reply: string): string | null => {
  const id = reply
    .slice(0, maxReply)
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^(?:id=)?[<("'[]/, "").replace(/[>)"'\]]$/, ""))
    .findLast((word) => form.test(word))
  return id === undefined ? null : foldedId(id)
}

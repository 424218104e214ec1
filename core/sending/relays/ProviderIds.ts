/**
 * Reads a provider's own id of a message in its reply to it. Pure.
 *
 * @module
 */

/** A word that may be an id: 12 to 200 characters of ids, one of them a digit. */
const form = /^(?=\D{0,200}\d)[A-Za-z0-9][\w.@+/=-]{11,199}$/

const maxReply = 500

/**
 * The id in a reply such as `250 2.0.0 Ok: queued as <id>` or `250 Ok <id>`: the last word that may be one; null for none.
 * Brackets around it are no part of it.
 */
export const providerIdOf = (reply: string): string | null =>
  reply
    .slice(0, maxReply)
    .split(/[\s,;]+/)
    .map((word) => word.replace(/^(?:id=)?[<("'[]/, "").replace(/[>)"'\]]$/, ""))
    .findLast((word) => form.test(word)) ?? null

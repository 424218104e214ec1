/**
 * By which id a provider's report names a message of this installation. Pure.
 *
 * @module
 */
import { isUuid } from "../../shared/Uuid.ts"

/** A word that may be an id: 12 to 200 characters of ids, one of them a digit. */
const form = /^(?=\D{0,200}\d)[A-Za-z0-9][\w.@+/=-]{11,199}$/

/** What SparkPost's servers reply, `95/6F-30607-EA5D4555`: a name in their queue, which no report has. */
const queueName = /^[0-9A-F]{2}\/[0-9A-F]{2}-\d+-[0-9A-F]+$/

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
    .findLast((word) => form.test(word) && !queueName.test(word))
  return id === undefined ? null : foldedId(id)
}

/** How far the time of a provider may be from ours, milliseconds: clocks differ, and some state seconds alone. */
export const arrivalMillis = 30_000

/**
 * The id of a message whose provider gives back nothing of it: for whom it is, as a hash, and when the provider took it. No
 * reply has an id of this form.
 */
export const arrivalIdOf = (recipient: string, at: number): string =>
  `arrival ${Math.floor(at / arrivalMillis)} ${recipient}`

/** The ids of all such messages that were sent at most `arrivalMillis` from the time that the provider states. */
export const arrivalIdsOf = (recipient: string, at: number): ReadonlyArray<string> =>
  [-1, 0, 1].map((windows) => arrivalIdOf(recipient, at + windows * arrivalMillis))

/**
 * The SMTP replies of the relay, and the mapping of the service's error codes to them (docs/contributing/public-api.md
 * "SMTP relay"; enhanced codes of RFC 3463).
 *
 * @module
 */
import { type Code, type Issue, type Problem, messageOf } from "../shared/Problem.ts"

/** A reply of the relay. */
export interface Answer {
  readonly code: number
  /** The enhanced status code. */
  readonly enhanced: string
  readonly text: string
}

const answer = (code: number, enhanced: string, text: string): Answer => ({ code, enhanced, text })

/** The replies that do not depend on the content of a message. */
export const answers = {
  encryptFirst: answer(530, "5.7.0", "Must issue a STARTTLS command first"),
  loginRequired: answer(530, "5.7.0", "Authentication required"),
  loginRefused: answer(535, "5.7.8", "The password must be an active API key with emails:send"),
  lockedOut: answer(535, "5.7.8", "Too many failed logins from this address; refused for 15 minutes"),
  tooManyMessages: answer(451, "4.7.0", "Too many messages from this key in this minute; try again later"),
  temporary: answer(451, "4.3.0", "Cannot take the message now; try again later"),
  tooLarge: answer(552, "5.3.4", "The message is larger than 10 MB"),
  badRecipient: answer(553, "5.1.3", "Not an address mail can be sent to"),
  mixedLineEnds: answer(
    554,
    "5.6.0",
    "The lines of a message end with CR LF, or all with LF, and this one mixes them: convert it, in Python by as_bytes(policy=email.policy.SMTP)"
  ),
  bareCommand: answer(521, "5.5.2", "Lines end with CR LF"),
  lineTooLong: answer(500, "5.5.2", "The command line is too long"),
  badCommand: answer(500, "5.5.2", "A command holds no control characters"),
  tooSlow: answer(421, "4.4.2", "The message comes too slowly"),
  idle: answer(421, "4.4.2", "Nothing came for too long"),
  loginTooLate: answer(421, "4.4.2", "Nobody logged in for too long"),
  tooManyErrors: answer(421, "4.7.0", "Too many errors"),
  tooManyCommands: answer(421, "4.7.0", "Too many commands"),
  tooManyOfConnection: answer(421, "4.7.0", "Enough messages for one connection; open another"),
  tooManyOfAccount: answer(
    421,
    "4.7.0",
    "Too many connections of this account; send more messages over fewer, or close some and try again later"
  ),
  placeTaken: answer(421, "4.7.0", "Too many connections, and this one has not logged in"),
  stopping: answer(421, "4.3.2", "The service is stopping; connect again")
} as const satisfies Record<string, Answer>

/** The reply to an accepted message. */
export const queuedAs = (id: string): Answer => answer(250, "2.0.0", `Ok: queued as ${id}`)

/** The replies to codes that are not about the content of a message. */
const byCode: Partial<Record<Code, readonly [code: number, enhanced: string]>> = {
  "deliverability.sender_domain_not_verified": [550, "5.7.1"],
  "auth.unauthorized": [535, "5.7.8"],
  "auth.forbidden": [535, "5.7.8"],
  "common.rate_limited": [451, "4.7.0"],
  "sending.queue_full": [452, "4.3.1"],
  "common.unavailable": [451, "4.3.0"],
  "common.internal": [451, "4.3.0"],
  "common.body_too_large": [552, "5.3.4"]
}

/** The reply to any other code: the content is invalid, permanently. */
const content = [554, "5.6.0"] as const

/** A line of SMTP has at most 512 octets (RFC 5321, 4.5.3.1.5). */
const maxText = 400

/** The reply to a problem, by its first issue. */
export const answerOf = ({ issues }: Problem): Answer => {
  const [first] = issues
  const [code, enhanced] = byCode[first.code] ?? content
  return answer(code, enhanced, textOf(first))
}

const textOf = (issue: Issue): string =>
  `${issue.code}${issue.field === null ? "" : ` (${issue.field})`}: ${messageOf(issue)}`
    .replaceAll(/[^\x20-\x7e]/g, "?")
    .slice(0, maxText)

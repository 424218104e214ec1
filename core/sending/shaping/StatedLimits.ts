/**
 * Parses the limits that a server states in its replies: how many connections it accepts at once, how many messages on each,
 * and whether connections must be encrypted. The patterns are data, `limits.json`. Waits are parsed by `statedWait`.
 *
 * @module
 */
import { Schema } from "effect"
import type { Statement } from "../../model/Lane.ts"
import { asksForEncryption, maxAnswerText } from "./Answers.ts"
import limitsJson from "./limits.json" with { type: "json" }
import type { SmtpReply } from "./SmtpReply.ts"

const LimitRule = Schema.Struct({
  id: Schema.String,
  /** What is limited. */
  of: Schema.Literals(["connections", "messages"]),
  /** Enhanced codes that the reply must have; any if omitted. */
  statuses: Schema.optionalKey(Schema.Array(Schema.String)),
  /** As in the rules of `answers.json`. */
  pattern: Schema.String,
  /** Where such replies were seen, or which software sends them. */
  source: Schema.String,
  asOf: Schema.String
})

/** The rules, in the order in which they are tried. */
export const limitRules = Schema.decodeUnknownSync(Schema.Array(LimitRule))(limitsJson)

const prepared = limitRules.map((rule) => ({ ...rule, regExp: new RegExp(rule.pattern, "i") }))

/** The number of a limit: `max 2`, `limit is 5`, `no more than 10 messages`. It must not be the beginning of an address. */
const number =
  /\b(?:max(?:imum)?|limit|at most|no more than|only|up to)(?: (?:is|of|allowed))?[ :=(]{1,3}(\d{1,4})(?:[ ),;/]|\.\s|\.?$)/i

const statedNumber = (text: string): number | null => {
  const found = Number(number.exec(text)?.[1] ?? 0)
  return found > 0 ? found : null
}

/** How the service used a server when the server stated a limit. */
export interface SeenOfServer {
  /** The connections of all processes, including the rejected one. */
  readonly connections: number
  /** The messages that the connection had carried before. */
  readonly accepted: number
}

/**
 * The limits that a server's rejection states; null if it states none. A stated number counts only if it is lower than what
 * the server rejected. The limit is otherwise one connection fewer than there were, or the number of messages that the
 * connection had carried.
 */
export const statementOf = (reply: SmtpReply, { accepted, connections }: SeenOfServer): Statement | null => {
  if (reply.code < 400) return null
  const text = reply.text.slice(0, maxAnswerText)
  const encryption = asksForEncryption(reply) ? { encryption: true as const } : {}
  const rule = prepared.find(
    ({ regExp, statuses }) =>
      (statuses === undefined || statuses.includes(reply.status ?? "")) && regExp.test(text)
  )
  const named = rule === undefined ? null : statedNumber(text)
  const seen = rule?.of === "connections" ? Math.max(1, connections - 1) : accepted > 0 ? accepted : null
  const known = [named, seen].filter((one) => one !== null)
  const limit = rule === undefined || known.length === 0 ? {} : { [rule.of]: Math.min(...known) }
  const statement: Statement = { ...encryption, ...limit }
  return Object.keys(statement).length === 0 ? null : statement
}

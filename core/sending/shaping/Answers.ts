/**
 * Decides the meaning of a mail server's reply for the recipient, for other mail, and for the limits of the lane. The rules
 * are data, `answers.json`: the first matching rule decides; without one, the enhanced status code; without that, the code
 * alone (RFC 3463, RFC 5321).
 *
 * @module
 */
import { Schema } from "effect"
import {
  type Answer,
  type AnswerAction,
  answerActions,
  answerChecks,
  answerScopes
} from "../../model/Answer.ts"
import type { Conversation } from "../../model/Message.ts"
import rulesJson from "./answers.json" with { type: "json" }
import { parseReply, type SmtpReply, type SmtpStage, smtpStages } from "./SmtpReply.ts"

/** The topics of the rules' texts. */
const topics = [
  "Authentication",
  "BlockList",
  "Content",
  "Credentials",
  "Encryption",
  "Greylisting",
  "Later",
  "Mailbox",
  "Policy",
  "Rate",
  "Recipient",
  "ReverseDns",
  "Sender",
  "Unknown"
] as const

/** The action that follows once a rule has matched this many times within a period. */
const Strikes = Schema.Struct({
  count: Schema.Int,
  withinMinutes: Schema.Int,
  action: Schema.Literals(answerActions),
  scope: Schema.Literals(answerScopes),
  minutes: Schema.Int
})

/** The conditions of a rule. A reply must meet all that are given. */
const conditions = {
  stages: Schema.optionalKey(Schema.Array(Schema.Literals(smtpStages))),
  /** `550`, or `5xx`. */
  codes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** `5.7.26`, `5.7.606-649`, or `x.7.26` for both 4.7.26 and 5.7.26. */
  statuses: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Keys of providers in `providers.json`. */
  providers: Schema.optionalKey(Schema.Array(Schema.String)),
  /**
   * Matched case-insensitively in the reply's text without its addresses. The pattern must have no look-around and no
   * back-references, and must run in time linear in the length of the text.
   */
  pattern: Schema.optionalKey(Schema.String),
  /** Whether the pattern is also searched in links. The address of a page is no evidence for most reasons. */
  links: Schema.optionalKey(Schema.Boolean),
  /** The rule only replaces this decision: `Bounce` of other rules or of the codes, or `BounceByCode`. */
  over: Schema.optionalKey(Schema.Literals(["Bounce", "BounceByCode"])),
  /** Whether the rule applies only to relays. */
  relay: Schema.optionalKey(Schema.Boolean)
}

/** The consequences of a reply, apart from its action. */
const consequences = {
  /** The length of a suspension, and the maximum to which it is doubled each time. */
  minutes: Schema.optionalKey(Schema.Int),
  mostMinutes: Schema.optionalKey(Schema.Int),
  untilCheck: Schema.optionalKey(Schema.Literals(answerChecks)),
  /** The rate of the lane during `minutes`, messages a minute. */
  perMinute: Schema.optionalKey(Schema.Int),
  /** The maximum number of attempts, after which the message fails. */
  attempts: Schema.optionalKey(Schema.Int),
  strikes: Schema.optionalKey(Strikes)
}

const Rule = Schema.Struct({
  id: Schema.String,
  about: Schema.Literals(topics),
  ...conditions,
  action: Schema.Literals(answerActions),
  scope: Schema.Literals(answerScopes),
  ...consequences,
  /** What the sender or the operator can do about it. */
  remedy: Schema.String,
  /** Where replies of this kind were seen. */
  source: Schema.String,
  asOf: Schema.String
})
type Rule = Schema.Schema.Type<typeof Rule>

/** A rule with its conditions prepared. */
interface PreparedRule extends Rule {
  readonly regExp: RegExp | null
  readonly matchesText: (words: Words) => boolean
  readonly matchesStatus: (status: string | null) => boolean
}

/** The text of a reply without addresses, and the same text without links. */
interface Words {
  readonly all: string
  readonly plain: string
}

const statusForm = /^([45x])\.(\d{1,3})\.(\d{1,3})(?:-(\d{1,3}))?$/

const isStatusOf = (ranges: ReadonlyArray<string>) => {
  const parsed = ranges.map((range) => {
    const [, severity, subject, first, last = first] = statusForm.exec(range) ?? []
    return { severity, subject, first: Number(first), last: Number(last) }
  })
  return (status: string | null): boolean => {
    const [severity, subject, detail] = status?.split(".") ?? []
    return parsed.some(
      (range) =>
        (range.severity === "x" || range.severity === severity) &&
        range.subject === subject &&
        range.first <= Number(detail) &&
        Number(detail) <= range.last
    )
  }
}

const prepare = (rule: Rule): PreparedRule => {
  const pattern = rule.pattern === undefined ? null : new RegExp(rule.pattern.normalize("NFKC"), "i")
  return {
    ...rule,
    regExp: pattern,
    matchesText: ({ all, plain }) => pattern === null || pattern.test(rule.links === true ? all : plain),
    matchesStatus: rule.statuses === undefined ? () => true : isStatusOf(rule.statuses)
  }
}

/** The rules, in the order in which they are tried. */
export const answerRules: ReadonlyArray<Rule> = Schema.decodeUnknownSync(Schema.Array(Rule))(rulesJson)

const prepared = answerRules.map(prepare)
const firstRules = prepared.filter(({ over }) => over === undefined)
/** The rules that prevent suppressing an address because of codes. */
const doubts = prepared.filter(({ over }) => over !== undefined)
/** The rules that also prevent suppressing it because of text about the address. */
const strongDoubts = doubts.filter(({ over }) => over === "Bounce")

/** The maximum number of characters that are read of a reply. */
export const maxAnswerText = 2_000

const link = /\bhttps?:\/\/[^\s<>"]{1,500}|\bwww\.[^\s<>"]{1,500}/gi

/** A reference to a page for people, which may itself be called a policy: "see our policy at https://...". */
const reference =
  /\b(?:see|visit|read|refer|consult|check|go to)\b[^.;!?:]{0,60}(?:\bhttps?:\/\/|\bwww\.)[^\s<>"]{1,500}/gi

/** Addresses can contain any word, such as `policy@example.org`. */
const address = /<[^<>\s]{0,320}>|[^\s<>@"(),;:]{1,64}@[^\s<>@"(),;:]{1,255}/g

/**
 * Phrases that look like a block but are none: a blocked mailbox takes no mail through no fault of the sender, and what is not
 * listed is on no list.
 */
const harmless =
  /\b(?:mailbox|account|user|recipient) (?:(?:is|was|has been) )?(?:blocked|banned|gesperrt)\b|\bnot listed (?:at|by|on|in|as)\b/gi

/** The codes that logs leave between the joined lines of a reply: `450-4.2.1`. */
const joint = /\b[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3} {1,2}/g

/**
 * The server whose reply is passed on (`host mx.example.org[192.0.2.1] said:`), and the client to which it replied
 * (`relay=[192.0.2.1]`).
 */
const passedOn = /\bhost \S{1,255}\[[^\s\]]{1,60}\](?::\d{1,5})? said:|\brelay=\[[^\s\]]{1,60}\]/gi

/** Invisible characters: soft hyphens, joiners, direction marks. */
const unseen = /\p{Cf}/gu

/** Words separated by one space, even where an address was removed. */
const joined = (text: string): string => text.replace(/\s{2,}/g, " ")

const wordsOf = (text: string): Words => {
  const all = text
    .slice(0, maxAnswerText)
    .normalize("NFKC")
    .replace(unseen, "")
    .replace(joint, "")
    .replace(address, " ")
    .replace(passedOn, " ")
    .replace(harmless, " ")
  return { all: joined(all), plain: joined(all.replace(reference, " ").replace(link, " ")) }
}

/** The text without the words that matched a rule. */
const less = ({ all, plain }: Words, { regExp }: PreparedRule): Words =>
  regExp === null ? { all, plain } : { all: all.replace(regExp, " "), plain: plain.replace(regExp, " ") }

const policyRules = prepared.filter(({ about }) => about === "BlockList" || about === "Policy")
const listRules = policyRules.filter(({ links }) => links === true)

/** Whether a text is about a block list, reputation, policy or rate. Such a reply says nothing about the address. */
export const speaksOfPolicy = (text: string): boolean => {
  const words = wordsOf(text)
  return policyRules.some((rule) => rule.pattern !== undefined && rule.matchesText(words))
}

const encryptionRules = prepared.filter(({ about }) => about === "Encryption")

/** Whether a rejection requires the connection to be encrypted. */
export const asksForEncryption = (reply: SmtpReply): boolean => {
  const status = effectiveStatus(reply)
  const words = wordsOf(reply.text)
  return encryptionRules.some((rule) => rule.matchesStatus(status) && rule.matchesText(words))
}

/** Whether the last reply in a conversation is a rejection by policy. */
export const isPolicyRefusal = (conversation: Conversation | undefined): boolean => {
  const last = conversation?.replies.at(-1)
  if (last === undefined) return false
  const { status, text } = parseReply(last)
  return status?.startsWith("5.7.") === true || speaksOfPolicy(text)
}

/** The maximum number of characters that are read of a report's text for people. */
const maxReport = 8_192

/** Whether a text names a block list or is about reputation, by phrases that no report contains by chance. */
export const namesBlockList = (text: string): boolean => {
  const all = text.slice(0, maxReport).replace(address, " ")
  return listRules.some((rule) => rule.matchesText({ all, plain: all }))
}

/** The origin of a reply. */
export interface AnswerContext {
  readonly stage: SmtpStage
  /** The key of the provider whose server replied; null if it belongs to no provider in the table. */
  readonly provider: string | null
  /** Whether the server is a relay, which takes mail for all recipients. */
  readonly isRelay: boolean
}

/**
 * The parts of a session in which the same reply has different meanings: before the recipient is named, at that command, and
 * after it.
 */
type Part = "Before" | "Recipient" | "After"

const partOf = (stage: SmtpStage): Part =>
  stage === "Rcpt" ? "Recipient" : stage === "Data" || stage === "Message" ? "After" : "Before"

type Decided = Pick<Answer, "action" | "scope" | "minutes" | "mostMinutes">

const retry: Decided = { action: "Retry", scope: "server" }
const retryMailbox: Decided = { action: "Retry", scope: "mailbox" }
const bounce: Decided = { action: "Bounce", scope: "recipient" }
const fail: Decided = { action: "FailMessage", scope: "message" }
const pauseSite: Decided = { action: "PauseSite", scope: "site", minutes: 10, mostMinutes: 240 }
const pauseSource: Decided = { action: "PauseSource", scope: "source", minutes: 10, mostMinutes: 240 }
const pauseSender: Decided = { action: "PauseSender", scope: "sender", minutes: 60, mostMinutes: 720 }
const slowDown: Decided = { action: "SlowDown", scope: "lane" }
const probe: Decided = { action: "Probe", scope: "unknown", minutes: 10, mostMinutes: 240 }

/** The decisions before the recipient is named, at that command, and after it. */
type Row = readonly [before: Decided, recipient: Decided, after: Decided]

const same = (decided: Decided): Row => [decided, decided, decided]

/** The enhanced codes, more specific ones first. `5.5.*` stands for all other codes of 5.5. */
const statusRows: ReadonlyMap<string, Row> = new Map<string, Row>([
  ...["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"].map((status): [string, Row] => [
    status,
    [pauseSite, bounce, bounce]
  ]),
  ["5.5.0", [pauseSite, bounce, fail]],
  ["5.1.7", same(pauseSender)],
  ["5.1.8", same(pauseSender)],
  ["5.2.2", [retry, { action: "Mailbox", scope: "mailbox" }, { action: "Mailbox", scope: "mailbox" }]],
  ["5.2.3", same(fail)],
  ["5.3.4", same(fail)],
  ["5.6.*", same(fail)],
  ...["5.3.0", "5.3.1", "5.3.2", "5.3.5"].map((status): [string, Row] => [status, [pauseSite, retry, retry]]),
  ...["5.4.1", "5.4.2", "5.4.3", "5.4.4", "5.4.5"].map((status): [string, Row] => [status, same(retry)]),
  ["5.4.6", [pauseSite, fail, fail]],
  ["5.4.7", [pauseSite, fail, fail]],
  ["5.5.*", [pauseSite, fail, fail]],
  ["5.7.*", [pauseSource, probe, probe]],
  ["4.1.*", [retry, retryMailbox, retryMailbox]],
  ["4.2.*", [retry, retryMailbox, retryMailbox]],
  ["4.5.3", [retry, { action: "Retry", scope: "connection" }, { action: "Retry", scope: "connection" }]],
  ["4.7.*", [pauseSource, slowDown, slowDown]],
  ["4.*", same(retry)],
  ["5.*", [pauseSource, fail, fail]]
])

/** The codes of replies without an enhanced code. */
const codeRows: ReadonlyMap<string, Row> = new Map<string, Row>([
  ["450", [retry, retryMailbox, retryMailbox]],
  ["452", [retry, retryMailbox, retryMailbox]],
  ["521", [pauseSite, fail, fail]],
  ["550", [pauseSource, bounce, fail]],
  ["551", [pauseSource, bounce, fail]],
  ["553", [pauseSource, bounce, fail]],
  // 552 at RCPT used to mean too many recipients (RFC 5321, 4.5.3.1.10); otherwise it means the storage of the mailbox.
  ["552", [retry, retryMailbox, retry]],
  ["556", [pauseSite, bounce, fail]],
  ["5", [pauseSource, fail, fail]]
])

/** Texts about the size of a message. The text of RFC 5321 for 552 is about storage, which a mailbox may have again. */
const speaksOfSize = /\bsize\b|\btoo (?:large|big|long)\b|\bexceed(?!\w{0,3} storage)/i

/** The enhanced code that counts. If the reply is temporary, its enhanced code counts as temporary. */
const effectiveStatus = ({ code, status }: SmtpReply): string | null => {
  if (status === null || status.startsWith("2.")) return null
  return code < 500 ? `4${status.slice(1)}` : status
}

/** The source stated for decisions by codes alone. */
const tableSource = "RFC 5321, RFC 3463; docs/delivery.md"

/** The meaning of a reply by its codes alone. */
const byCodes = (reply: SmtpReply, stage: SmtpStage): Answer => {
  const answer = (rule: string, decided: Decided): Answer => ({
    ...decided,
    rule,
    remedy: "",
    source: tableSource
  })
  const part = partOf(stage)
  const column = part === "Before" ? 0 : part === "Recipient" ? 1 : 2
  const status = effectiveStatus(reply)
  if (status !== null) {
    const [severity, subject] = status.split(".")
    const row =
      statusRows.get(status) ?? statusRows.get(`${severity}.${subject}.*`) ?? statusRows.get(`${severity}.*`)!
    return answer(status, row[column])
  }
  const code = String(reply.code)
  // A reply that is not a rejection comes from a faulty server, which may work at another time.
  if (reply.code < 400) return answer(reply.code === 0 ? "no reply" : code, retry)
  if (code === "552" && part === "After" && speaksOfSize.test(reply.text)) return answer(code, fail)
  const row = codeRows.get(code) ?? (reply.code >= 500 ? codeRows.get("5")! : same(retry))
  return answer(code, row[column])
}

/** Codes of authentication and encryption (RFC 4954, RFC 3207), which concern the client. */
const concernsAccess = (code: number): boolean => code >= 530 && code <= 539

const isCodeOf = (codes: ReadonlyArray<string>, code: number): boolean =>
  codes.some((one) =>
    one.endsWith("xx") ? one.startsWith(String(Math.floor(code / 100))) : one === String(code)
  )

/** What a relay replies before a recipient is named concerns the relay and this service. */
const atRelay = (answer: Answer, { isRelay, stage }: AnswerContext): Answer =>
  isRelay && partOf(stage) === "Before" && ["PauseSource", "Probe", "FailMessage"].includes(answer.action)
    ? { ...answer, ...pauseSite }
    : answer

/** The answer of a rule. */
const answerOf = ({ id, ...rule }: PreparedRule): Answer => ({
  rule: id,
  action: rule.action,
  scope: rule.scope,
  remedy: rule.remedy,
  source: rule.source,
  ...(rule.minutes === undefined ? {} : { minutes: rule.minutes }),
  ...(rule.mostMinutes === undefined ? {} : { mostMinutes: rule.mostMinutes }),
  ...(rule.untilCheck === undefined ? {} : { untilCheck: rule.untilCheck }),
  ...(rule.perMinute === undefined ? {} : { perMinute: rule.perMinute }),
  ...(rule.attempts === undefined ? {} : { attempts: rule.attempts }),
  ...(rule.strikes === undefined ? {} : { strikes: rule.strikes })
})

/**
 * Decides the meaning of a reply that is not a success. The message must have one recipient, so that a code cannot concern
 * another.
 */
export const decideAnswer = (reply: SmtpReply, context: AnswerContext): Answer => {
  const { provider, stage } = context
  const status = effectiveStatus(reply)
  const words = wordsOf(reply.text)
  const first = (rules: ReadonlyArray<PreparedRule>, text: Words): PreparedRule | undefined =>
    rules.find(
      (rule) =>
        (rule.stages === undefined || rule.stages.includes(stage)) &&
        (rule.codes === undefined || isCodeOf(rule.codes, reply.code)) &&
        (rule.providers === undefined || (provider !== null && rule.providers.includes(provider))) &&
        (rule.relay !== true || context.isRelay) &&
        rule.matchesStatus(status) &&
        rule.matchesText(text)
    )
  // A reply that is not a rejection comes from a faulty server, whatever its text.
  const rule = reply.code < 400 ? undefined : first(firstRules, words)
  const decided = rule === undefined ? byCodes(reply, stage) : answerOf(rule)
  if (decided.action !== "Bounce") return atRelay(decided, context)
  // Only text and codes about the address suppress it.
  const doubt = rule === undefined ? first(doubts, words) : first(strongDoubts, less(words, rule))
  if (doubt !== undefined) return answerOf(doubt)
  return concernsAccess(reply.code) ? { ...decided, ...probe } : decided
}

/** The reasons that actions can give a recipient's delivery. */
export const answerReasons = [
  "sending.retrying",
  "sending.provider_held",
  "sending.sender_held",
  "sending.refused",
  "sending.mailbox_full"
] as const
export type AnswerReason = (typeof answerReasons)[number]

/** The reason of a recipient's delivery after an action; null if it has none. */
export const reasonAfter = (action: AnswerAction): AnswerReason | null => {
  switch (action) {
    case "Retry":
    case "SlowDown":
      return "sending.retrying"
    case "PauseSource":
    case "PauseSite":
    case "Probe":
      return "sending.provider_held"
    case "PauseSender":
      return "sending.sender_held"
    case "FailMessage":
      return "sending.refused"
    case "Mailbox":
      return "sending.mailbox_full"
    case "Bounce":
      return null
  }
}

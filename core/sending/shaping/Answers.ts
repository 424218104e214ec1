/**
 * Decides what the reply of a mail server means: for the recipient, for other mail, and for the limits of the lane. The rules are
 * data, `answers.json`: the first that matches decides, then the enhanced status code, then the code alone (RFC 3463, RFC 5321).
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

/** What the words of a rule speak of. */
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

/** What a rule's reply leads to from so many of them on, within a time. */
const Strikes = Schema.Struct({
  count: Schema.Int,
  withinMinutes: Schema.Int,
  action: Schema.Literals(answerActions),
  scope: Schema.Literals(answerScopes),
  minutes: Schema.Int
})

/** The conditions of a rule: a reply has to meet all that are given. */
const conditions = {
  stages: Schema.optionalKey(Schema.Array(Schema.Literals(smtpStages))),
  /** `550`, or `5xx`. */
  codes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** `5.7.26`, `5.7.606-649`, or `x.7.26` for both 4.7.26 and 5.7.26. */
  statuses: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Keys of providers. */
  providers: Schema.optionalKey(Schema.Array(Schema.String)),
  /**
   * Matched without regard to case in the reply's text, less the addresses in it. Without look-around and back-references, and
   * linear in the length of the text.
   */
  pattern: Schema.optionalKey(Schema.String),
  /** Whether the pattern is also looked for in links. What a page is called says nothing about most reasons. */
  links: Schema.optionalKey(Schema.Boolean),
  /** The rule only replaces this decision: of other rules or of the codes, or of the codes alone. */
  over: Schema.optionalKey(Schema.Literals(["Bounce", "BounceByCode"])),
  /** The rule is for relays alone. */
  relay: Schema.optionalKey(Schema.Boolean)
}

/** What a reply leads to, apart from its action. */
const consequences = {
  /** The length of a suspension, and the longest, to which it is doubled each time. */
  minutes: Schema.optionalKey(Schema.Int),
  mostMinutes: Schema.optionalKey(Schema.Int),
  untilCheck: Schema.optionalKey(Schema.Literals(answerChecks)),
  /** The rate of the lane for `minutes`, messages a minute. */
  perMinute: Schema.optionalKey(Schema.Int),
  /** The most attempts; then the message fails. */
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
  /** What the sender or the operator can do. */
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

/** The text of a reply without addresses, and that without links as well. */
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
/** The rules that stand against suppressing an address by codes. */
const doubts = prepared.filter(({ over }) => over !== undefined)
/** Those that stand against suppressing it by words about it as well. */
const strongDoubts = doubts.filter(({ over }) => over === "Bounce")

/** The most characters that are read of a reply. */
export const maxAnswerText = 2_000

const link = /\bhttps?:\/\/[^\s<>"]{1,500}|\bwww\.[^\s<>"]{1,500}/gi

/** A reference to a page for people, which may be called a policy: "see our policy at https://...". */
const reference =
  /\b(?:see|visit|read|refer|consult|check|go to)\b[^.;!?:]{0,60}(?:\bhttps?:\/\/|\bwww\.)[^\s<>"]{1,500}/gi

/** Addresses are of people and hosts of any name: `policy@example.org`. */
const address = /<[^<>\s]{0,320}>|[^\s<>@"(),;:]{1,64}@[^\s<>@"(),;:]{1,255}/g

/** A mailbox that is blocked takes no mail, by no fault of the sender; and what is not listed is on no list. */
const harmless =
  /\b(?:mailbox|account|user|recipient) (?:(?:is|was|has been) )?(?:blocked|banned|gesperrt)\b|\bnot listed (?:at|by|on|in|as)\b/gi

/** The codes that logs leave between the joined lines of a reply: `450-4.2.1`. */
const joint = /\b[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3} {1,2}/g

/** Whose reply a server passes on, `host mx.example.org[192.0.2.1] said:`, and to whom it replies, `relay=[192.0.2.1]`. */
const passedOn = /\bhost \S{1,255}\[[^\s\]]{1,60}\](?::\d{1,5})? said:|\brelay=\[[^\s\]]{1,60}\]/gi

/** Characters that are not seen: soft hyphens, joiners, marks of direction. */
const unseen = /\p{Cf}/gu

/** Words with one space between them, also where an address was taken out. */
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

/** The words that a rule did not decide by. */
const less = ({ all, plain }: Words, { regExp }: PreparedRule): Words =>
  regExp === null ? { all, plain } : { all: all.replace(regExp, " "), plain: plain.replace(regExp, " ") }

const policyRules = prepared.filter(({ about }) => about === "BlockList" || about === "Policy")
const listRules = policyRules.filter(({ links }) => links === true)

/** Whether a text speaks of a block list, reputation, policy or rate: such a reply says nothing about the address. */
export const speaksOfPolicy = (text: string): boolean => {
  const words = wordsOf(text)
  return policyRules.some((rule) => rule.pattern !== undefined && rule.matchesText(words))
}

const encryptionRules = prepared.filter(({ about }) => about === "Encryption")

/** Whether a rejection says that the connection must be encrypted. */
export const asksForEncryption = (reply: SmtpReply): boolean => {
  const status = effectiveStatus(reply)
  const words = wordsOf(reply.text)
  return encryptionRules.some((rule) => rule.matchesStatus(status) && rule.matchesText(words))
}

/** Whether a server's last reply in a conversation is a refusal by policy. */
export const isPolicyRefusal = (conversation: Conversation | undefined): boolean => {
  const last = conversation?.replies.at(-1)
  if (last === undefined) return false
  const { status, text } = parseReply(last)
  return status?.startsWith("5.7.") === true || speaksOfPolicy(text)
}

/** The most characters that are read of a report's text for people. */
const maxReport = 8_192

/** Whether a text names a block list or speaks of reputation, in words that are in no report by chance. */
export const namesBlockList = (text: string): boolean => {
  const all = text.slice(0, maxReport).replace(address, " ")
  return listRules.some((rule) => rule.matchesText({ all, plain: all }))
}

/** Where a reply came from. */
export interface AnswerContext {
  readonly stage: SmtpStage
  /** The key of the provider whose server replied; null for none of the table. */
  readonly provider: string | null
  /** Whether the server is a relay that takes all mail. */
  readonly isRelay: boolean
}

/** The stages of a session as far as replies differ: before the recipient is named, at that, and after. */
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

/** What follows before the recipient is named, at that, and after it. */
type Row = readonly [before: Decided, recipient: Decided, after: Decided]

const same = (decided: Decided): Row => [decided, decided, decided]

/** The enhanced codes, the more specific first: `5.5.*` stands for all others of 5.5. */
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

/** The codes without an enhanced one. */
const codeRows: ReadonlyMap<string, Row> = new Map<string, Row>([
  ["450", [retry, retryMailbox, retryMailbox]],
  ["452", [retry, retryMailbox, retryMailbox]],
  ["521", [pauseSite, fail, fail]],
  ["550", [pauseSource, bounce, fail]],
  ["551", [pauseSource, bounce, fail]],
  ["553", [pauseSource, bounce, fail]],
  // 552 at RCPT was too many recipients (RFC 5321, 4.5.3.1.10), else the storage of the mailbox.
  ["552", [retry, retryMailbox, retry]],
  ["556", [pauseSite, bounce, fail]],
  ["5", [pauseSource, fail, fail]]
])

/** The text of RFC 5321 for 552 speaks of storage, which a mailbox may have again. */
const speaksOfSize = /\bsize\b|\btoo (?:large|big|long)\b|\bexceed(?!\w{0,3} storage)/i

/** The enhanced code that counts: that of a temporary reply is temporary. */
const effectiveStatus = ({ code, status }: SmtpReply): string | null => {
  if (status === null || status.startsWith("2.")) return null
  return code < 500 ? `4${status.slice(1)}` : status
}

/** Where a decision by codes alone comes from. */
const tableSource = "RFC 5321, RFC 3463; docs/delivery.md"

/** What a reply means by its codes alone. */
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
  // A reply that is no rejection at all comes from a faulty server: it may work at another time.
  if (reply.code < 400) return answer(reply.code === 0 ? "no reply" : code, retry)
  if (code === "552" && part === "After" && speaksOfSize.test(reply.text)) return answer(code, fail)
  const row = codeRows.get(code) ?? (reply.code >= 500 ? codeRows.get("5")! : same(retry))
  return answer(code, row[column])
}

/** Codes of authentication and encryption (RFC 4954, RFC 3207): they concern the client. */
const concernsAccess = (code: number): boolean => code >= 530 && code <= 539

const isCodeOf = (codes: ReadonlyArray<string>, code: number): boolean =>
  codes.some((one) =>
    one.endsWith("xx") ? one.startsWith(String(Math.floor(code / 100))) : one === String(code)
  )

/** What a relay says before a recipient is named concerns the relay and this service. */
const atRelay = (answer: Answer, { isRelay, stage }: AnswerContext): Answer =>
  isRelay && partOf(stage) === "Before" && ["PauseSource", "Probe", "FailMessage"].includes(answer.action)
    ? { ...answer, ...pauseSite }
    : answer

/** What a rule leads to. */
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

/** Decides what a reply that is no success means. The message must have one recipient, so that a code cannot concern another. */
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
  // What is no rejection comes from a faulty server, whatever it says.
  const rule = reply.code < 400 ? undefined : first(firstRules, words)
  const decided = rule === undefined ? byCodes(reply, stage) : answerOf(rule)
  if (decided.action !== "Bounce") return atRelay(decided, context)
  // Only words and codes about the address suppress it.
  const doubt = rule === undefined ? first(doubts, words) : first(strongDoubts, less(words, rule))
  if (doubt !== undefined) return answerOf(doubt)
  return concernsAccess(reply.code) ? { ...decided, ...probe } : decided
}

/** The reasons that actions give a recipient's delivery. */
export const answerReasons = [
  "sending.retrying",
  "sending.provider_held",
  "sending.sender_held",
  "sending.refused",
  "sending.mailbox_full"
] as const
export type AnswerReason = (typeof answerReasons)[number]

/** The reason that a recipient's delivery has after an action; null for none. */
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

/**
 * Checks the relays of the installation and of companies: whether they worked when they were last used, and whether they report.
 *
 * @module
 */
import type { MailRelay, RelayKind } from "../../../core/model/MailRelay.ts"
import type { Unreported } from "../../../core/sending/relays/Unreported.ts"
import { oneLine } from "../output.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"

/** The properties of a relay that the doctor checks. */
export interface SeenRelay extends Pick<MailRelay, "name" | "kind" | "state" | "stateReason" | "words"> {
  /** The company that owns it; null for the installation. */
  readonly company: string | null
  /** Whether reports of its provider are received. */
  readonly takesReports: boolean
  /** When the last report arrived, in epoch milliseconds; null for never. */
  readonly lastReportAt: number | null
  /** How much of its latest mail was never reported on; null if that is not known. */
  readonly unreported: Unreported | null
  /** When it last refused the whole account, and with which words; null for never. */
  readonly lastRefusal: MailRelay["lastRefusal"]
}

const hourMillis = 3_600_000
/** After this time without a report something may be wrong, in milliseconds. */
const silentMillis = 24 * hourMillis

const fixes: Readonly<Record<NonNullable<MailRelay["stateReason"]>, string>> = {
  "relays.unreachable": "Check host and port of its url",
  "relays.tls_failed": "Its certificate is not valid for its name: use the name it is for",
  "relays.login_failed": "Change user and password in its url",
  "relays.account_refused": "Ask its provider: the account is suspended, or its quota is used up"
}

const guide = "docs/relays.md says what to create at the provider, and what to set as feedback of the relay"

/** How to set up the reports of each provider. */
const steps: Readonly<Record<RelayKind, string>> = {
  Smtp: guide,
  AmazonSes:
    "Let a configuration set of SES publish its events to an SNS topic, subscribe the relay's feedbackUrl to the topic by HTTPS, and set topicArn and configurationSet",
  Postmark:
    "Add a webhook to each message stream: the relay's feedbackUrl, its user name and password, all events",
  Mailgun: "Add the relay's feedbackUrl as webhook of every event of the sending domain, and set signingKey",
  SendGrid:
    "Add an event webhook with the relay's feedbackUrl and all events, switch its signature on, and set publicKey",
  Brevo:
    "Add a transactional webhook with the relay's feedbackUrl, its user name and password, and all events",
  Mailjet: "Enter the relay's feedbackUrl, with its user name and password, for every event of the event API",
  SparkPost: "Add a webhook with the relay's feedbackUrl, basic authentication and all events",
  Resend: "Add a webhook with the relay's feedbackUrl and all events of emails, and set secret"
}

const hoursSince = (at: number, now: number): string => {
  const hours = Math.floor((now - at) / hourMillis)
  return hours === 0 ? "within the hour" : `${hours} hours ago`
}

/** The reply about a quota or a suspension, which is relevant for a day. */
const refusalOf = ({ lastRefusal }: SeenRelay, now: number): string => {
  if (lastRefusal === null || now - lastRefusal.at > silentMillis) return ""
  const said = lastRefusal.words === null ? "" : `: ${oneLine(lastRefusal.words)}`
  return `; it refused the account ${hoursSince(lastRefusal.at, now)}${said}`
}

const percent = (share: number): string => `${Math.round(share * 100)} %`

const seen = (relay: SeenRelay, now: number): Finding => {
  const { company, kind, lastReportAt, name, state, stateReason, takesReports, unreported, words } = relay
  const check = oneLine(`relay ${name} of ${company ?? "the installation"}`)
  if (state === "Failing") {
    const said = words === null ? "" : `: ${oneLine(words)}`
    return fail(
      check,
      `it could not be used (${stateReason ?? "unknown"})${said}`,
      fixes[stateReason!] ?? guide
    )
  }
  const refused = refusalOf(relay, now)
  if (kind === "Smtp")
    return ok(check, `it took its last message; it reports by mail or not at all${refused}`)
  if (!takesReports) {
    return warn(
      check,
      `reports are not set up: bounces and complaints are not heard of${refused}`,
      `${steps[kind]}: ${guide}`
    )
  }
  const share =
    unreported === null
      ? ""
      : `${percent(unreported.share)} of its ${unreported.messages} latest messages older than 24 hours were never reported on`
  if (unreported?.isHigh === true) return warn(check, `${share}${refused}`, `${steps[kind]}: ${guide}`)
  if (lastReportAt === null) {
    return warn(check, `no report has come yet${refused}`, `Once it has taken mail: ${steps[kind]}: ${guide}`)
  }
  const hours = Math.floor((now - lastReportAt) / hourMillis)
  if (now - lastReportAt > silentMillis) {
    return warn(
      check,
      `no report has come for ${hours} hours${refused}`,
      `Where it took mail since then: ${guide}`
    )
  }
  const reported = `it took its last message, and reported ${hoursSince(lastReportAt, now)}`
  return ok(check, `${reported}${share === "" ? "" : `; ${share}`}${refused}`)
}

/** The findings about relays, one for each. */
export const checkRelays = (relays: ReadonlyArray<SeenRelay>, now: number): ReadonlyArray<Finding> =>
  relays.map((relay) => seen(relay, now))

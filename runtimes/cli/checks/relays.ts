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
  "relays.unreachable": "Check the host and port in its URL",
  "relays.tls_failed":
    "The certificate of the relay is not valid for this host name. Use the host name in the certificate",
  "relays.login_failed": "Change the user and password in its URL",
  "relays.account_refused":
    "Contact the provider of the relay: the account is suspended, or its quota is used up"
}

const guide =
  "docs/relays.md describes what to create at the provider and what to set as the feedback of the relay"

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
      `the last use failed (${stateReason ?? "unknown"})${said}`,
      fixes[stateReason!] ?? guide
    )
  }
  const refused = refusalOf(relay, now)
  if (kind === "Smtp")
    return ok(check, `it accepted its last message; it sends reports by email, if at all${refused}`)
  if (!takesReports) {
    return warn(
      check,
      `reports are not set up, so bounces and complaints remain unknown${refused}`,
      `${steps[kind]}: ${guide}`
    )
  }
  const share =
    unreported === null
      ? ""
      : `no report arrived for ${percent(unreported.share)} of its latest ${unreported.messages} messages older than 24 hours`
  if (unreported?.isHigh === true) return warn(check, `${share}${refused}`, `${steps[kind]}: ${guide}`)
  if (lastReportAt === null) {
    return warn(
      check,
      `no report has arrived yet${refused}`,
      `If the relay has already accepted mail: ${steps[kind]}: ${guide}`
    )
  }
  const hours = Math.floor((now - lastReportAt) / hourMillis)
  if (now - lastReportAt > silentMillis) {
    return warn(
      check,
      `no report has arrived for ${hours} hours${refused}`,
      `If the relay has accepted mail since then: ${guide}`
    )
  }
  const reported = `it accepted its last message; the last report arrived ${hoursSince(lastReportAt, now)}`
  return ok(check, `${reported}${share === "" ? "" : `; ${share}`}${refused}`)
}

/** The findings about relays, one for each. */
export const checkRelays = (relays: ReadonlyArray<SeenRelay>, now: number): ReadonlyArray<Finding> =>
  relays.map((relay) => seen(relay, now))

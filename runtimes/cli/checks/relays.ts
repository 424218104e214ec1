/**
 * Relays of the installation and of companies: whether they could be used when they last were, and whether they report.
 *
 * @module
 */
import type { MailRelay } from "../../../core/model/MailRelay.ts"
import { oneLine } from "../output.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"

/** A relay as the doctor sees it. */
export interface SeenRelay extends Pick<MailRelay, "name" | "kind" | "state" | "stateReason" | "words"> {
  /** The company that has it; null for the installation. */
  readonly company: string | null
  /** Whether its provider's reports are taken. */
  readonly takesReports: boolean
  /** When the last one came, epoch milliseconds; null for never. */
  readonly lastReportAt: number | null
}

const hourMillis = 3_600_000
/** After so long without a report something may have stopped, milliseconds. */
const silentMillis = 24 * hourMillis

const fixes: Readonly<Record<NonNullable<MailRelay["stateReason"]>, string>> = {
  "relays.unreachable": "Check host and port of its url",
  "relays.tls_failed": "Its certificate is not valid for its name: use the name it is for",
  "relays.login_failed": "Change user and password in its url",
  "relays.account_refused": "Ask its provider: the account is suspended, or its quota is used up"
}

const guide = "docs/relays.md says what to create at the provider, and what to set as feedback of the relay"

const seen = (relay: SeenRelay, now: number): Finding => {
  const { company, kind, lastReportAt, name, state, stateReason, takesReports, words } = relay
  const check = oneLine(`relay ${name} of ${company ?? "the installation"}`)
  if (state === "Failing") {
    const said = words === null ? "" : `: ${oneLine(words)}`
    return fail(
      check,
      `it could not be used (${stateReason ?? "unknown"})${said}`,
      fixes[stateReason!] ?? guide
    )
  }
  if (kind === "Smtp") return ok(check, "it took its last message; it reports by mail or not at all")
  if (!takesReports) {
    return warn(check, "reports are not set up: bounces and complaints are not heard of", guide)
  }
  if (lastReportAt === null) return warn(check, "no report has come yet", `Once it has taken mail: ${guide}`)
  const hours = Math.floor((now - lastReportAt) / hourMillis)
  return now - lastReportAt > silentMillis
    ? warn(check, `no report has come for ${hours} hours`, `Where it took mail since then: ${guide}`)
    : ok(
        check,
        `it took its last message, and reported ${hours === 0 ? "within the hour" : `${hours} hours ago`}`
      )
}

/** The findings about relays, one of each. */
export const checkRelays = (relays: ReadonlyArray<SeenRelay>, now: number): ReadonlyArray<Finding> =>
  relays.map((relay) => seen(relay, now))

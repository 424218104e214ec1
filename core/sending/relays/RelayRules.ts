/**
 * Validates the settings of relays, and decides the condition of a relay after a check. Pure.
 *
 * @module
 */
import { Result } from "effect"
import {
  type MailRelay,
  type RelayCondition,
  type RelayKind,
  type RelaySecrets,
  type RelayStateReason,
  type RelayStep,
  type RelayStepResult,
  type RelayStream,
  relayStreams
} from "../../model/MailRelay.ts"
import type { SignatureVerifier } from "../../ports/SignatureVerifier.ts"
import { Issues, type Problem } from "../../shared/Problem.ts"
import { checkText, type Maybe } from "../../shared/Validate.ts"
import {
  changedFeedback,
  type FeedbackName,
  feedbackNames,
  type FeedbackValues,
  type GivenFeedback,
  secretNames
} from "./FeedbackSettings.ts"
import { parseRelayUrl, type RelayOwner } from "./RelayUrl.ts"

/** The maximum number of relays of a company, and of the installation. */
export const maxRelays: Readonly<Record<RelayOwner, number>> = { Company: 20, Installation: 100 }

/** The maximum values of a relay's settings. */
export const relayLimits = { name: 100, maxPerSecond: 10_000, dailyLimit: 100_000_000 } as const

/** The settings of a relay that a request may change. Null sets the default, and a setting that is left out stays. */
export interface RelayChanges {
  readonly name?: Maybe<string>
  readonly url?: Maybe<string>
  readonly streams?: Maybe<ReadonlyArray<RelayStream>>
  readonly maxPerSecond?: Maybe<number>
  readonly dailyLimit?: Maybe<number>
  /** Only for relays of the installation. */
  readonly shared?: Maybe<boolean>
  readonly feedback?: GivenFeedback | null | undefined
}

/** A new relay as submitted. */
export interface NewRelay extends RelayChanges {
  readonly kind: RelayKind
}

/** The settings of a relay, with its secrets not sealed yet. */
export interface RelaySettings extends Pick<
  MailRelay,
  "name" | "shownUrl" | "streams" | "maxPerSecond" | "dailyLimit" | "shared" | "feedback" | "feedbackSecrets"
> {
  readonly secrets: RelaySecrets
}

/** The context on which the validation of settings depends. */
export interface SettingsContext {
  readonly owner: RelayOwner
  readonly verifier: SignatureVerifier["Service"]
  /** Whether a company's relay may have this host and port. */
  readonly accepts: (host: string, port: number) => boolean
}

/** The fields of `feedback` that are set, including secret ones. */
export const feedbackValues = (
  { feedback }: Pick<MailRelay, "feedback">,
  secrets: RelaySecrets
): FeedbackValues => ({ ...feedback, ...secrets.feedback })

/** The settings of a new relay before the request is applied. */
const blank: RelaySettings = {
  name: "",
  shownUrl: "",
  streams: relayStreams,
  maxPerSecond: null,
  dailyLimit: null,
  shared: false,
  feedback: {},
  feedbackSecrets: [],
  secrets: { url: "", feedback: {} }
}

/** An integer from 1 to `max`; null if it is not given. */
const bounded = (value: Maybe<number>, field: string, max: number, issues: Issues): number | null => {
  if (value === null || value === undefined) return null
  if (!Number.isInteger(value) || value < 1 || value > max)
    issues.add("validation.range", field, { min: 1, max })
  return value
}

/** The settings after a request. `before` is null for a new relay. */
export const changedSettings = (
  kind: RelayKind,
  before: RelaySettings | null,
  given: RelayChanges,
  { accepts, owner, verifier }: SettingsContext
): Result.Result<RelaySettings, Problem> => {
  const issues = new Issues()
  const old = before ?? blank
  const wants = (field: keyof RelayChanges): boolean => before === null || given[field] !== undefined
  let { name, secrets, shownUrl } = old
  if (wants("name")) {
    name = checkText(given.name ?? "", "name", relayLimits.name, issues)
    if (name === "") issues.add("validation.required", "name")
  }
  // If a caller submits the URL as it was shown, it stays unchanged.
  if (wants("url") && (before === null || given.url?.trim() !== shownUrl)) {
    const text = given.url?.trim() ?? ""
    const parsed = parseRelayUrl(text, owner)
    if (text === "") issues.add("validation.required", "url")
    else if (
      parsed === null ||
      (owner === "Company" && !accepts(parsed.endpoint.host, parsed.endpoint.port))
    ) {
      issues.add("relays.url_invalid", "url")
    } else {
      shownUrl = parsed.shown
      secrets = { ...secrets, url: text }
    }
  }
  let { streams } = old
  if (given.streams !== undefined) {
    const chosen = given.streams ?? relayStreams
    streams = relayStreams.filter((stream) => chosen.includes(stream))
    if (streams.length === 0) issues.add("validation.required", "streams")
  }
  const number = (field: "maxPerSecond" | "dailyLimit"): number | null =>
    given[field] === undefined ? old[field] : bounded(given[field], field, relayLimits[field], issues)
  const [maxPerSecond, dailyLimit] = [number("maxPerSecond"), number("dailyLimit")]
  let { feedback, feedbackSecrets } = old
  if (given.feedback !== undefined) {
    const changed = changedFeedback(kind, feedbackValues(old, secrets), given.feedback, verifier)
    if (Result.isFailure(changed)) for (const issue of changed.failure.issues) issues.push(issue)
    else {
      const parts = (isSecret: boolean) =>
        Object.fromEntries(
          Object.entries(changed.success).filter(
            ([field]) => secretNames.has(field as FeedbackName) === isSecret
          )
        )
      feedback = parts(false)
      secrets = { ...secrets, feedback: parts(true) }
      feedbackSecrets = feedbackNames.filter((field) => Object.hasOwn(secrets.feedback, field))
    }
  }
  const shared = owner === "Installation" && (given.shared === undefined ? old.shared : given.shared === true)
  return issues.result({
    name,
    shownUrl,
    streams,
    maxPerSecond,
    dailyLimit,
    shared,
    feedback,
    feedbackSecrets,
    secrets
  })
}

const failures: Readonly<Record<RelayStep, RelayStateReason>> = {
  Connect: "relays.unreachable",
  Tls: "relays.tls_failed",
  Authenticate: "relays.login_failed"
}

/** The condition of a relay after a check. */
export const conditionAfter = (steps: ReadonlyArray<RelayStepResult>): RelayCondition => {
  const failed = steps.find(({ ok }) => !ok)
  return failed === undefined
    ? { state: "Active", stateReason: null, words: null }
    : { state: "Failing", stateReason: failures[failed.step], words: failed.words }
}

/**
 * When a notification is tried again, when a webhook is stopped, and how much it is sent at a time (public-api,
 * Webhooks about email).
 *
 * A "failed delivery" of the contract is a failed attempt: it calls anything but a 2xx a failure, and its limits say
 * "stopped after 15 failures in a row". So a dead address stops after 15 unanswered requests, not after 15 times the
 * four and a half hours that a notification's six attempts take.
 *
 * @module
 */
import type { AttemptAnswer, Webhook } from "../model/Webhook.ts"

const minute = 60_000

/** The waits after the first to the fifth failure. */
const retryWaits: ReadonlyArray<number> = [1, 5, 15, 60, 180].map((minutes) => minutes * minute)

/** The most attempts of a notification. */
export const maxAttempts = retryWaits.length + 1

/** Failures in a row that stop a webhook. */
export const maxFailuresInARow = 15

/** How long a secret signs beside the one that took its place, milliseconds. */
export const rotationMillis = 24 * 60 * minute

/** The most secrets that sign at a time, however often they are rotated. */
const maxSecrets = 5

/** The most requests to a webhook at a time, from one process. */
const maxConcurrency = 10

/** The most notifications claimed ahead for a webhook. */
const maxAhead = 200

/** What is claimed ahead is sent within about this time, milliseconds. */
const aheadMillis = 500

/** When a notification that failed at `failedAt` is tried again after so many attempts; null when it is not. */
export const retryAt = (attempts: number, failedAt: number): number | null => {
  const wait = retryWaits[attempts - 1]
  return wait === undefined ? null : failedAt + wait
}

/** Whether an attempt succeeded: any 2xx. */
export const succeeded = ({ httpStatus }: AttemptAnswer): boolean =>
  httpStatus !== null && httpStatus >= 200 && httpStatus < 300

/** How a failed attempt is told in one line. */
export const describeFailure = ({ error, httpStatus }: AttemptAnswer): string =>
  error ?? (httpStatus === null ? "no answer" : `HTTP ${httpStatus}`)

/** Counts attempts in the order they ended. The failure that is one too many stops the webhook for good. */
export const countAttempts = (webhook: Webhook, answers: ReadonlyArray<AttemptAnswer>): Webhook => {
  let { failuresInARow } = webhook
  if (webhook.status === "Stopped") return webhook
  for (const answer of answers) {
    failuresInARow = succeeded(answer) ? 0 : failuresInARow + 1
    if (failuresInARow >= maxFailuresInARow) {
      const stoppedReason = `${maxFailuresInARow} failed deliveries in a row; the last one: ${describeFailure(answer)}`
      return { ...webhook, failuresInARow, status: "Stopped", stoppedReason }
    }
  }
  return { ...webhook, failuresInARow }
}

/** How many requests a webhook gets at a time: never so many that their failures go past the one that stops it. */
export const concurrencyOf = (failuresInARow: number): number =>
  Math.max(1, Math.min(maxConcurrency, maxFailuresInARow - failuresInARow))

/**
 * How many notifications to have claimed for a webhook: a fast one is claimed ahead for, so that it need not wait for
 * the store. `pace` is the time its requests take, milliseconds; null when unknown.
 */
export const wantedOf = (concurrency: number, pace: number | null): number =>
  pace === null
    ? concurrency
    : Math.max(concurrency, Math.min(maxAhead, Math.floor((concurrency * aheadMillis) / Math.max(1, pace))))

/** The secrets after a new one took its place at `now`: the one before goes on for its 24 hours. */
export const rotate = (secrets: Webhook["secrets"], sealed: string, now: number): Webhook["secrets"] => [
  { sealed, until: null },
  ...signingSecrets(secrets, now)
    .map((secret) => ({ ...secret, until: secret.until ?? now + rotationMillis }))
    .slice(0, maxSecrets - 1)
]

/** The secrets that sign at `now`, newest first. */
export const signingSecrets = (secrets: Webhook["secrets"], now: number): Webhook["secrets"] =>
  secrets.filter(({ until }) => until === null || until > now)

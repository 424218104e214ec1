/**
 * Decides when a notification is tried again, when a webhook is stopped, and how many requests it gets at a time
 * (docs/contributing/public-api.md "Webhooks about email").
 *
 * A "failed delivery" of the contract is a failed attempt: any response except a 2xx is a failure, and the limit is "15
 * failures in a row". A dead address is therefore stopped after 15 failed requests, not after 15 notifications of six
 * attempts, each of which takes four and a half hours.
 *
 * @module
 */
import { type AttemptAnswer, succeeded, type Webhook } from "../model/Webhook.ts"

const minute = 60_000

/** The waits after the first to the fifth failure. */
const retryWaits: ReadonlyArray<number> = [1, 5, 15, 60, 180].map((minutes) => minutes * minute)

/** The most attempts of a notification. */
export const maxAttempts = retryWaits.length + 1

/** Failures in a row that stop a webhook. */
export const maxFailuresInARow = 15

/** How long a secret still signs beside the one that replaced it, milliseconds. */
export const rotationMillis = 24 * 60 * minute

/** The most secrets that sign at the same time. */
const maxSecrets = 5

/** The most concurrent requests to a webhook from one process. */
const maxConcurrency = 10

/** The most notifications claimed ahead for a webhook. */
const maxAhead = 200

/** What is claimed ahead is sent within about this time, milliseconds. */
const aheadMillis = 500

/** The time of the next attempt after `attempts` attempts, the last of which failed at `failedAt`; null when there is none. */
export const nextNotificationAttemptAt = (attempts: number, failedAt: number): number | null => {
  const wait = retryWaits[attempts - 1]
  return wait === undefined ? null : failedAt + wait
}

/** A failed attempt, described in one line. */
export const describeFailure = ({ error, httpStatus }: AttemptAnswer): string =>
  error ?? (httpStatus === null ? "no answer" : `HTTP ${httpStatus}`)

/** Counts attempts in the order they ended. The 15th failure in a row stops the webhook permanently. */
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

/** How many concurrent requests a webhook gets: never so many that their failures would exceed the limit that stops it. */
export const concurrencyOf = (failuresInARow: number): number =>
  Math.max(1, Math.min(maxConcurrency, maxFailuresInARow - failuresInARow))

/**
 * How many notifications to have claimed for a webhook. More are claimed ahead for a fast one, so that it does not wait
 * for the database. `pace` is the time its requests take, milliseconds; null when unknown.
 */
export const wantedOf = (concurrency: number, pace: number | null): number =>
  pace === null
    ? concurrency
    : Math.max(concurrency, Math.min(maxAhead, Math.floor((concurrency * aheadMillis) / Math.max(1, pace))))

/** The secrets after a new one was added at `now`: the previous one signs for another 24 hours. */
export const rotate = (secrets: Webhook["secrets"], sealed: string, now: number): Webhook["secrets"] => [
  { sealed, until: null },
  ...signingSecrets(secrets, now)
    .map((secret) => ({ ...secret, until: secret.until ?? now + rotationMillis }))
    .slice(0, maxSecrets - 1)
]

/** The secrets that sign at `now`, newest first. */
export const signingSecrets = (secrets: Webhook["secrets"], now: number): Webhook["secrets"] =>
  secrets.filter(({ until }) => until === null || until > now)

/**
 * Decides when a notification is tried again, when a webhook is stopped, and how many requests it gets at a time
 * (docs/contributing/public-api.md "Webhooks about email").
 *
 * The contract stops a webhook after 15 failed deliveries in a row. Here, a failed delivery is a failed attempt, and any
 * response except a 2xx is a failure. A dead endpoint is therefore stopped after 15 failed requests, not after 15
 * notifications of six attempts, each of which takes four and a half hours.
 *
 * @module
 */
import { type AttemptAnswer, succeeded, type Webhook } from "../model/Webhook.ts"

const minute = 60_000

/** The waits after the first to the fifth failure, milliseconds. */
const retryWaits: ReadonlyArray<number> = [1, 5, 15, 60, 180].map((minutes) => minutes * minute)

/** The maximum number of attempts of a notification. */
export const maxAttempts = retryWaits.length + 1

/** The number of failures in a row that stops a webhook. */
export const maxFailuresInARow = 15

/** How long a secret keeps signing after it was replaced, milliseconds. */
export const rotationMillis = 24 * 60 * minute

/** The maximum number of secrets that sign at the same time. */
const maxSecrets = 5

/** The maximum number of concurrent requests to a webhook from one process. */
const maxConcurrency = 10

/** The maximum number of notifications claimed ahead for a webhook. */
const maxAhead = 200

/** The time within which notifications claimed ahead should be sent, milliseconds. */
const aheadMillis = 500

/** The time of the next attempt after `attempts` attempts, the last of which failed at `failedAt`; null if there is none. */
export const nextNotificationAttemptAt = (attempts: number, failedAt: number): number | null => {
  const wait = retryWaits[attempts - 1]
  return wait === undefined ? null : failedAt + wait
}

/** A failed attempt, described in one line. */
export const describeFailure = ({ error, httpStatus }: AttemptAnswer): string =>
  error ?? (httpStatus === null ? "no answer" : `HTTP ${httpStatus}`)

/** Counts attempts in the order in which they ended. The 15th failure in a row stops the webhook permanently. */
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

/**
 * The number of concurrent requests to a webhook. It is limited so that their failures cannot exceed the limit that stops it.
 */
export const concurrencyOf = (failuresInARow: number): number =>
  Math.max(1, Math.min(maxConcurrency, maxFailuresInARow - failuresInARow))

/**
 * The number of notifications to claim for a webhook. More are claimed ahead for a fast webhook, so that it does not wait for
 * the database. `pace` is the duration of its requests, milliseconds; null if unknown.
 */
export const wantedOf = (concurrency: number, pace: number | null): number =>
  pace === null
    ? concurrency
    : Math.max(concurrency, Math.min(maxAhead, Math.floor((concurrency * aheadMillis) / Math.max(1, pace))))

/** The secrets after a new one was added at `now`. The previous one signs for another 24 hours. */
export const rotate = (secrets: Webhook["secrets"], sealed: string, now: number): Webhook["secrets"] => [
  { sealed, until: null },
  ...signingSecrets(secrets, now)
    .map((secret) => ({ ...secret, until: secret.until ?? now + rotationMillis }))
    .slice(0, maxSecrets - 1)
]

/** The secrets that sign at `now`, newest first. */
export const signingSecrets = (secrets: Webhook["secrets"], now: number): Webhook["secrets"] =>
  secrets.filter(({ until }) => until === null || until > now)

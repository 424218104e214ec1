/**
 * The background jobs of deliveries.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import type { JobQueue, NewJob, Queue } from "../../ports/JobQueue.ts"
import { defineJob } from "../defineJob.ts"

interface DeliveryRef {
  readonly deliveryId: string
}

const define = (queue: Queue) =>
  defineJob({
    queue,
    key: ({ deliveryId }: DeliveryRef) => deliveryId,
    payload: Schema.Struct({ deliveryId: Schema.String })
  })

const ordinary = define("deliveries")
const ofCampaign = define("campaignEmails")

/**
 * Dispatches one delivery; at most one is pending for each. Jobs for emails of campaigns have a separate queue, so that no other
 * email waits behind them.
 */
export const deliveryJob = {
  ...ordinary,
  /** Both queues. The key of a job is the id of its delivery. */
  queues: ["deliveries", "campaignEmails"] as ReadonlyArray<Queue>,
  /** A job to enqueue, for an email of a campaign or for another email. */
  job: (isOfCampaign: boolean, given: Parameters<typeof ordinary.job>[0]): NewJob =>
    (isOfCampaign ? ofCampaign : ordinary).job(given),
  isOfCampaign: ({ queue }: Pick<NewJob, "queue">): boolean => queue === "campaignEmails",
  /** Cancels the account's pending jobs with the payloads, in both queues; returns the keys of the cancelled jobs. */
  cancel: (queue: JobQueue["Service"], accountId: string, payloads: ReadonlyArray<DeliveryRef>) =>
    Effect.zipWith(
      ordinary.cancel(queue, accountId, payloads),
      ofCampaign.cancel(queue, accountId, payloads),
      (some, others) => [...some, ...others]
    ),
  /**
   * Moves the account's pending jobs with the payloads to `at`, epoch milliseconds, in both queues. A delivery whose job is
   * claimed gets no second job, because it may be being sent: the second job would find its claim.
   */
  makeDue: (
    queue: JobQueue["Service"],
    accountId: string,
    payloads: ReadonlyArray<DeliveryRef>,
    at: number
  ) =>
    Effect.andThen(
      ordinary.makeDue(queue, accountId, payloads, at),
      ofCampaign.makeDue(queue, accountId, payloads, at)
    ),
  /** Deletes the account's pending and buried jobs with the payloads, in both queues. */
  erase: (queue: JobQueue["Service"], accountId: string, payloads: ReadonlyArray<DeliveryRef>) =>
    Effect.andThen(ordinary.erase(queue, accountId, payloads), ofCampaign.erase(queue, accountId, payloads))
}

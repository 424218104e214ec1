/**
 * Handles the management endpoint of an account's stream of changes, sent as Server-Sent Events.
 *
 * @module
 */
import { Clock, Effect, Stream } from "effect"
import { Accounts } from "../../../core/accounts/Accounts.ts"
import type { DayStats } from "../../../core/accounts/Stats.ts"
import { parseEventId } from "../../../core/live/LiveRules.ts"
import {
  type LiveEvent,
  type LiveItem,
  LiveStreams,
  type StreamTopic,
  streamTopics
} from "../../../core/live/LiveStreams.ts"
import type { Account } from "../../../core/model/Account.ts"
import type { Right } from "../../../core/model/Right.ts"
import { type Caller, rightsAt, type Target } from "../../../core/users/Caller.ts"
import { encodeJob } from "../audience/jobs.ts"
import { hasPersonalAccess, managerOf, permit, permitPersonal, targetOf } from "../edge/permit.ts"
import { bind } from "../edge/Route.ts"
import { encodeCampaign } from "../management/campaigns.ts"
import { encodeListed } from "../management/emails.ts"
import { encodeEvent } from "../management/events.ts"
import { encodeDay } from "../management/stats.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { encodeRequest } from "./requests.ts"

/** The right needed for each topic: that of the list which shows the same items. */
const rights: Readonly<Record<StreamTopic, Right>> = {
  emails: "emails:read",
  events: "events:read",
  requests: "requests:read",
  notifications: "webhooks:read",
  jobs: "contacts:read",
  counts: "stats:read",
  campaigns: "campaigns:read"
}

/** How long an EventSource waits before it reconnects, in milliseconds. */
const retryMillis = 2_000

/** Rejects a caller who may not read a topic. The addresses in notifications are personal data, like those of emails. */
const permitTopic = (caller: Caller, topic: StreamTopic, target: Target) =>
  Effect.andThen(
    permit(caller, rights[topic], target),
    topic === "notifications" ? permitPersonal(caller, target) : Effect.void
  )

const mayRead = (caller: Caller, topic: StreamTopic, target: Target): boolean =>
  rightsAt(caller, target).has(rights[topic]) &&
  (topic !== "notifications" || hasPersonalAccess(caller, target))

const encodeItem = (account: Account, item: LiveItem, now: number): unknown => {
  switch (item.topic) {
    case "emails":
      return encodeListed(item.value)
    case "events":
      return encodeEvent(item.value)
    case "requests":
      return encodeRequest(item.value)
    case "jobs":
      return encodeJob(now)(item.value)
    case "counts":
      return encodeDay(item.value satisfies DayStats)
    case "campaigns":
      return encodeCampaign(account, item.value)
    case "notifications": {
      const { type } = JSON.parse(item.value) as { readonly type: string }
      return { type, body: item.value }
    }
  }
}

const encodeEventOf = (account: Account, event: LiveEvent, now: number): string => {
  switch (event._tag) {
    // Without data, the client dispatches no event, but it resumes after this id.
    case "Started":
      return `retry: ${retryMillis}\nid: ${event.number}\n\n`
    case "Heartbeat":
      return `id: ${event.number}\n: heartbeat\n\n`
    case "Reset":
      return `id: ${event.number}\nevent: reset\ndata: {}\n\n`
    case "Changed": {
      const data = JSON.stringify({ change: event.change, item: encodeItem(account, event.item, now) })
      return `id: ${event.number}\nevent: ${event.item.topic}\ndata: ${data}\n\n`
    }
  }
}

/** The stream of an account. */
export const streamRoutes = Effect.gen(function* () {
  const streams = yield* LiveStreams
  const accounts = yield* Accounts
  return bind(ManagementApi.groups.stream, {
    open: Effect.fnUntraced(function* ({ account, again, caller, header, method, query }) {
      const manager = yield* managerOf(caller)
      const target = targetOf(account)
      const asked = query.topics as ReadonlyArray<StreamTopic> | null
      yield* Effect.forEach(asked ?? [], (topic) => permitTopic(manager, topic, target), { discard: true })
      const topics = asked ?? streamTopics.filter((topic) => mayRead(manager, topic, target))
      const reply = {
        _tag: "Reply" as const,
        status: 200,
        // Otherwise proxies would hold events back until a buffer is full.
        headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
        body: null
      }
      if (method === "HEAD") return reply
      const isPermitted = Effect.gen(function* () {
        const now = yield* managerOf(yield* again)
        yield* accounts.get(account.id)
        return topics.every((topic) => mayRead(now, topic, target))
      }).pipe(Effect.catch(() => Effect.succeed(false)))
      const lastId = header("last-event-id")
      const events = yield* streams.open(account.id, {
        topics: new Set(topics),
        after: lastId === null ? null : parseEventId(lastId),
        isPermitted
      })
      const clock = yield* Clock.Clock
      const encoder = new TextEncoder()
      const stream = Stream.map(events, (event) =>
        encoder.encode(encodeEventOf(account, event, clock.currentTimeMillisUnsafe()))
      )
      return { ...reply, stream }
    })
  })
})

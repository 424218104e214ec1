/**
 * Describes a change for the live view: a title in a few words, details, and a state.
 *
 * @module
 */
import type { ItemOf } from "../../api/queries.ts"
import { toneOf } from "../../lib/emailState.ts"
import type { StreamEvent } from "../../lib/eventStream.ts"
import { objectOf } from "../../lib/json.ts"
import { toneOfStatus } from "../../lib/statusTone.ts"
import type { Tone } from "../../parts/show/Badge.tsx"
import type { Texts } from "../../texts/en.ts"

/** The topics of the stream, each with the right that its list requires. */
export const topicRights = {
  emails: "emails:read",
  notifications: "webhooks:read",
  requests: "requests:read",
  events: "events:read",
  jobs: "contacts:read"
} as const

/** A topic of the live view. */
export type LiveTopic = keyof typeof topicRights

/** A change, described. */
export interface Line {
  /** The key of the line within the view. */
  readonly key: string
  /** When it was received, in epoch milliseconds. */
  readonly at: number
  readonly topic: LiveTopic
  readonly title: string
  readonly about: string
  readonly state: string | null
  readonly tone: Tone
  /** The object that changed, as returned by the API. */
  readonly item: unknown
}

interface Items {
  readonly emails: ItemOf<"GET /accounts/:accountId/emails">
  readonly events: ItemOf<"GET /accounts/:accountId/events">
  readonly requests: ItemOf<"GET /accounts/:accountId/requests">
  readonly jobs: ItemOf<"GET /accounts/:accountId/jobs">
  readonly notifications: { readonly type: string; readonly body: string }
}

type Shown = Pick<Line, "title" | "about" | "state" | "tone">

const tones: Readonly<Record<string, Tone>> = {
  Processed: "good",
  Done: "good",
  Accepted: "accent",
  Running: "accent",
  Failed: "bad",
  "email.delivered": "good",
  "email.bounced": "bad",
  "email.complained": "bad"
}

const tone = (name: string): Tone => tones[name] ?? "neutral"

const shown: { readonly [T in LiveTopic]: (item: Items[T], texts: Texts) => Shown } = {
  emails: ({ recipients, status, subject }, { emails }) => ({
    title: subject === "" || subject === null ? emails.noSubject : subject,
    about: [
      ...recipients.slice(0, 1).map(({ email }) => email),
      ...(recipients.length > 1 ? [emails.more(recipients.length - 1)] : [])
    ].join(" "),
    state: emails.statuses[status] ?? status,
    tone: toneOf(status)
  }),
  notifications: ({ body, type }) => {
    const data = objectOf(body)?.["data"] as { readonly email?: string } | undefined
    return { title: type, about: data?.email ?? "", state: null, tone: tone(type) }
  },
  requests: ({ code, durationMillis, method, route, status }, { requests }) => ({
    title: `${method} ${route ?? requests.unknownRoute}`,
    about: [`${Math.round(durationMillis)} ms`, ...(code === null ? [] : [code])].join(" · "),
    state: String(status),
    tone: toneOfStatus(status)
  }),
  events: ({ eventId, failure, name, status }, { events }) => ({
    title: name,
    about: failure?.message ?? eventId,
    state: events.states[status] ?? status,
    tone: tone(status)
  }),
  jobs: ({ done, kind, state, total }, { jobs, people }) => ({
    title: people.bulk[kind] ?? kind,
    about: total === null ? String(done) : jobs.of(String(done), String(total)),
    state: jobs.states[state] ?? state,
    tone: tone(state)
  })
}

const isTopic = (name: string): name is LiveTopic => Object.hasOwn(topicRights, name)

/** The line for an event; null for an event that is not a change. */
export const lineOf = ({ data, event, id }: StreamEvent, at: number, texts: Texts): Line | null => {
  if (!isTopic(event)) return null
  const item = objectOf(data)?.["item"]
  const show = shown[event] as (item: unknown, texts: Texts) => Shown
  return { key: `${id} ${event}`, at, topic: event, item, ...show(item, texts) }
}

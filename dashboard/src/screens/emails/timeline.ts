/**
 * What happened to an email for one recipient, in chronological order.
 *
 * @module
 */
import type { ValueOf } from "../../api/call.ts"
import { toneOf } from "../../lib/emailState.ts"
import type { Tone } from "../../parts/show/Badge.tsx"

/** An email with its recipients. */
export type EmailDetail = ValueOf<"GET /accounts/:accountId/emails/:id">

/** A recipient of an email. */
export type Recipient = EmailDetail["recipients"][number]

/** A visit by the recipient, or by a program that opens emails or follows links on their behalf. */
export type Visit = Recipient["visits"]["recent"][number]

/** A point of the timeline. */
export type TimelinePoint = { readonly at: string; readonly tone: Tone } & (
  | { readonly kind: "Submitted" | "Opened" | "Clicked" }
  | { readonly kind: "Visit"; readonly visit: Visit }
  | { readonly kind: "Status"; readonly status: string }
  | {
      readonly kind: "Attempt"
      readonly host: string | null
      /** The IP address from which it was sent. */
      readonly source: string | null
      readonly outcome: string
      readonly tls: string | null
      /** The duration in milliseconds. */
      readonly took: number
      readonly replies: ReadonlyArray<string>
      readonly error: string | null
    }
)

/** States that the timeline expresses by other points. */
const initial = new Set(["Queued", "HandingOff"])

/** The points for a recipient, the earliest first. */
export const timelineOf = (createdAt: string, recipient: Recipient): ReadonlyArray<TimelinePoint> => {
  const { attempts, clickedAt, openedAt, status, updatedAt, visits } = recipient
  // Emails sent by earlier versions have only the times.
  const seen: ReadonlyArray<TimelinePoint> =
    visits.recent.length > 0
      ? visits.recent.map((visit) => ({
          kind: "Visit" as const,
          at: visit.at,
          tone: visit.verdict === "Human" ? ("accent" as const) : ("neutral" as const),
          visit
        }))
      : [
          ...(openedAt === null ? [] : [{ kind: "Opened" as const, at: openedAt, tone: "accent" as const }]),
          ...(clickedAt === null
            ? []
            : [{ kind: "Clicked" as const, at: clickedAt, tone: "accent" as const }])
        ]
  return [
    { kind: "Submitted" as const, at: createdAt, tone: "neutral" as const },
    ...attempts.map(({ error, finishedAt, host, outcome, replies, source, startedAt, tls }) => ({
      kind: "Attempt" as const,
      at: startedAt,
      tone: error === null ? ("neutral" as const) : ("warning" as const),
      host,
      source,
      outcome,
      tls,
      took: Date.parse(finishedAt) - Date.parse(startedAt),
      replies,
      error
    })),
    ...(initial.has(status)
      ? []
      : [{ kind: "Status" as const, at: updatedAt, status, tone: toneOf(status) }]),
    ...seen
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

/** How many visits were counted but not stored. */
export const furtherVisits = ({ visits }: Recipient): number => {
  const counted = [visits.opens, visits.clicks].flatMap((counts) => Object.values(counts))
  return counted.reduce((sum, count) => sum + count, 0) - visits.recent.length
}

/**
 * Handles the management endpoints of the standing of accounts.
 *
 * @module
 */
import { Effect } from "effect"
import {
  type Bucket,
  bucketCounts,
  type BucketCounts,
  type Observation,
  otherProvider,
  rateKinds
} from "../../../core/model/Standing.ts"
import { laneWithoutSource } from "../../../core/model/Source.ts"
import { KnownProviders, type ProviderTable } from "../../../core/sending/shaping/Providers.ts"
import { concernOf } from "../../../core/sending/shaping/SuspensionRules.ts"
import { placeOf } from "../operation/shaping.ts"
import { type Notice, ShapingControl } from "../../../core/sending/shaping/ShapingControl.ts"
import { type StandingDays, Standings, type StandingView } from "../../../core/sending/standing/Standings.ts"
import { sumOf, thresholds } from "../../../core/sending/standing/StandingRules.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime, oneOf } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { listed, only } from "../edge/lists.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const shownDays: ReadonlyArray<number> = [1, 7, 30] satisfies ReadonlyArray<StandingDays>

const isShown = (days: number): days is StandingDays => shownDays.includes(days)

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

/** The counts of buckets, and their rates. */
const encodeCounts = (buckets: ReadonlyArray<Bucket>) => {
  const counts = Object.fromEntries(bucketCounts.map((name) => [name, sumOf(buckets, name)])) as BucketCounts
  const { bounced, clickedHuman, complained, delivered, handed, openedHuman, policy, unsubscribed } = counts
  return {
    ...counts,
    bounceRate: ratio(bounced, handed),
    policyRate: ratio(policy, handed),
    complaintRate: complained === 0 ? null : ratio(complained, delivered),
    unsubscribeRate: ratio(unsubscribed, delivered),
    openRate: ratio(openedHuman, delivered),
    clickRate: ratio(clickedHuman, delivered)
  }
}

/** The values of a day in the chart of rates. */
const encodeDay = (buckets: readonly [Bucket, ...Array<Bucket>]) => ({
  day: new Date(buckets[0].start).toISOString().slice(0, 10),
  handed: sumOf(buckets, "handed"),
  delivered: sumOf(buckets, "delivered"),
  policy: sumOf(buckets, "policy"),
  bounced: sumOf(buckets, "bounced"),
  complained: sumOf(buckets, "complained")
})

type Group = readonly [Bucket, ...Array<Bucket>]

const groupsBy = (buckets: ReadonlyArray<Bucket>, keyOf: (bucket: Bucket) => string | number) =>
  Map.groupBy(buckets, keyOf) as unknown as ReadonlyMap<string | number, Group>

const mostFirst = (one: BucketCounts, other: BucketCounts): number => other.handed - one.handed

const rateKey = ({ domain, provider, stream }: Bucket): string => [provider, domain, stream].join(" ")

/** The rates by provider, domain and stream, each with its history. */
const encodeRates = ({ buckets, history }: StandingView) => {
  const courses = groupsBy(history, rateKey)
  return [...groupsBy(buckets, rateKey)]
    .map(([key, group]) => ({
      provider: group[0].provider,
      domain: group[0].domain,
      stream: group[0].stream,
      ...encodeCounts(group),
      history: [...groupsBy(courses.get(key) ?? [], ({ start }) => start)]
        .toSorted(([one], [other]) => Number(one) - Number(other))
        .map(([, ofDay]) => encodeDay(ofDay))
    }))
    .toSorted(mostFirst)
}

const encodeObservation = ({ day, domain, provider, spamRate }: Observation) => ({
  provider,
  domain,
  day,
  spamRate
})

/** The names of providers by their keys. */
const namesOf = (table: ProviderTable, { buckets, observations, reasons }: StandingView) =>
  [...new Set([...buckets, ...observations, ...reasons].flatMap(({ provider }) => provider ?? []))]
    .toSorted()
    .map((key) => ({ key, name: table.withKey(key === otherProvider ? "default" : key)?.name ?? key }))

const encodeStanding = (table: ProviderTable) => (view: StandingView) => {
  const { buckets, days, heldAt, heldUntil, observations, rampLimit, reasons, state } = view
  return {
    state,
    reasons,
    heldAt: dateTimeOrNull(heldAt),
    heldUntil: dateTimeOrNull(heldUntil),
    rampLimit,
    days,
    providers: namesOf(table, view),
    thresholds: rateKinds.map((kind) => ({
      rate: kind,
      notice: thresholds[kind].notice,
      held: thresholds[kind].held
    })),
    rates: encodeRates(view),
    sources: [...groupsBy(buckets, ({ source }) => source ?? "").values()]
      .map((group) => ({ source: group[0].source, ...encodeCounts(group) }))
      .toSorted(mostFirst),
    observations: observations.map(encodeObservation)
  }
}

/** A notice as an account sees it. A server's reply about all mail may contain data of other accounts. */
const encodeNotice =
  (table: ProviderTable) =>
  ({ accountId, lane, remedy, words, ...notice }: Notice) => ({
    id: notice.id,
    // Without the source, so that the address of the installation is not shown.
    lane: laneWithoutSource(lane),
    provider: placeOf(table, lane).provider,
    site: placeOf(table, lane).site,
    scope: concernOf(notice),
    domain: notice.sender,
    action: notice.action,
    words: accountId === null ? null : words,
    remedy: accountId === null ? null : remedy,
    help: notice.help,
    since: formatDateTime(notice.since),
    until: formatDateTime(notice.until),
    resolvedAt: dateTimeOrNull(notice.resolvedAt),
    held: notice.held,
    state: notice.resolvedAt === null ? ("Open" as const) : ("Resolved" as const)
  })

/** The routes of the standing of accounts. */
export const standingRoutes = Effect.gen(function* () {
  const shaping = yield* ShapingControl
  const standings = yield* Standings
  const table = yield* KnownProviders
  const encode = encodeNotice(table)
  const encodeWhole = encodeStanding(table)
  return bind(ManagementApi.groups.standing, {
    get: Effect.fnUntraced(function* ({ account, query }) {
      const days = query.days ?? 7
      if (!isShown(days)) {
        return yield* Problem.of("validation.format", "days", null, {
          expected: oneOf(shownDays.map(String))
        })
      }
      return ok(encodeWhole(yield* standings.view(account, days)))
    }),
    notices: Effect.fnUntraced(function* ({ account, page, query: { state } }) {
      const wanted = only(state)
      const open = wanted === null ? null : wanted === "Open"
      return ok(listed(page, yield* shaping.notices({ open, concerns: account.id }, page), encode))
    }),
    lift: Effect.fnUntraced(function* ({ account, actor, payload }) {
      yield* standings.lift(account, payload.reason, actor)
      return ok(encodeWhole(yield* standings.view(account, 7)))
    }),
    observe: ({ account, actor, payload }) =>
      Effect.map(standings.observe(account, payload, actor), (all) => created(all.map(encodeObservation)))
  })
})

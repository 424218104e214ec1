/**
 * Handles the management endpoints of segments.
 *
 * @module
 */
import { Effect } from "effect"
import type { CountedSegment } from "../../../core/audience/segments/KeptLists.ts"
import { Segments } from "../../../core/audience/segments/Segments.ts"
import { defaultSizeDays, SegmentSizes } from "../../../core/audience/segments/SegmentSizes.ts"
import { kinds, operatorsOf } from "../../../core/audience/segments/SegmentRules.ts"
import { reachOf } from "../../../core/campaigns/ReachRules.ts"
import type { Account } from "../../../core/model/Account.ts"
import { Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { rightsAt } from "../../../core/users/Caller.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { encodeContact } from "../public/contacts.ts"
import { encodeSegment } from "../public/segments.ts"
import { encodeEdited, tagged } from "../edge/precondition.ts"
import { created, ok } from "../edge/reply.ts"
import { managerOf, targetOf } from "../edge/permit.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

/** In the management API, an unknown id fails with common.not_found. */
const notFound = <A>(effect: Effect.Effect<A, Problem | Unavailable>) =>
  Effect.mapError(effect, (error) =>
    error._tag === "Problem" && error.issues[0].code === "segments.not_found"
      ? Problem.of("common.not_found")
      : error
  )

/** The operators of each kind of field. */
const operators = Object.fromEntries(kinds.map((kind) => [kind, operatorsOf(kind)]))

/** A segment of the management API. A built-in segment has the creation time of its account. */
const encodeManaged =
  ({ createdAt }: Pick<Account, "createdAt">) =>
  (segment: CountedSegment) => ({
    ...encodeSegment(segment),
    ...encodeEdited(segment.builtInKey === null ? segment : { ...segment, updatedAt: createdAt })
  })

/** A reply that shows a segment, with its ETag. */
const shown = (account: Account, segment: CountedSegment) =>
  tagged(ok(encodeManaged(account)(segment)), segment)

/** Segments. */
export const managedSegmentsRoutes = Effect.gen(function* () {
  const segments = yield* Segments
  const segmentSizes = yield* SegmentSizes
  return bind(ManagementApi.groups.managedSegments, {
    create: Effect.fnUntraced(function* ({ account, actor, payload }) {
      const segment = yield* segments.create(account.id, payload, actor)
      return tagged(created(encodeManaged(account)(segment)), segment)
    }),
    // Only callers who may read contacts see the people themselves.
    preview: Effect.fnUntraced(function* ({ account, caller, payload }) {
      const { count, sample, sendableCount } = yield* segments.preview(account.id, payload.definition)
      const people = rightsAt(yield* managerOf(caller), targetOf(account)).has("contacts:read") ? sample : []
      return ok({ count, sendableCount, sample: people.map(encodeContact) })
    }),
    reach: Effect.fnUntraced(function* ({ account, payload }) {
      return ok(reachOf(yield* segments.reach(account.id, payload.definition, payload.topic ?? null)))
    }),
    fields: Effect.fnUntraced(function* ({ account }) {
      return ok({ fields: yield* segments.fields(account.id), operators })
    }),
    values: Effect.fnUntraced(function* ({ account, query }) {
      const { q } = query
      const field = query.field as string | null
      if (field === null) return yield* Problem.of("validation.required", "field")
      return ok(yield* segments.values(account.id, field, q ?? ""))
    }),
    sizes: Effect.fnUntraced(function* ({ account, query }) {
      const segment = query.segment?.toLowerCase() ?? null
      const days = query.days ?? defaultSizeDays
      if (segment !== null && !(yield* segments.ids(account.id)).has(segment))
        return yield* Problem.of("common.not_found")
      const items = yield* segmentSizes.list(account.id, segment, days)
      return ok({
        days,
        items: items.map(({ count, day, segmentId, sendableCount }) => ({
          segmentId,
          date: formatDateTime(day).slice(0, 10),
          count,
          sendableCount
        }))
      })
    }),
    list: Effect.fnUntraced(function* ({ account, page }) {
      return ok(listed(page, yield* segments.list(account.id, page), encodeManaged(account)))
    }),
    get: Effect.fnUntraced(function* ({ account, params }) {
      return shown(account, yield* notFound(segments.get(account.id, params.id)))
    }),
    usage: Effect.fnUntraced(function* ({ account, params }) {
      return ok(yield* notFound(segments.usage(account.id, params.id)))
    }),
    update: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      return shown(account, yield* notFound(segments.change(account.id, params.id, payload, actor)))
    }),
    remove: Effect.fnUntraced(function* ({ account, actor, params }) {
      yield* notFound(segments.remove(account.id, params.id, actor))
      return ok(null)
    })
  })
})

/**
 * Handles the management endpoints of segments.
 *
 * @module
 */
import { Effect } from "effect"
import { Segments } from "../../../core/audience/segments/Segments.ts"
import { Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import { rightsAt } from "../../../core/users/Caller.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { encodeContact } from "../public/contacts.ts"
import { encodeSegment } from "../public/segments.ts"
import { created, ok } from "../edge/reply.ts"
import { managerOf, targetOf } from "../edge/permit.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

/** In the management API an unknown id is common.not_found. */
const notFound = <A>(effect: Effect.Effect<A, Problem | Unavailable>) =>
  Effect.mapError(effect, (error) =>
    error._tag === "Problem" && error.issues[0].code === "segments.not_found"
      ? Problem.of("common.not_found")
      : error
  )

/** Segments. */
export const managedSegmentsRoutes = Effect.gen(function* () {
  const segments = yield* Segments
  return bind(ManagementApi.groups.managedSegments, {
    create: Effect.fnUntraced(function* ({ account, actor, payload }) {
      return created(encodeSegment(yield* segments.create(account.id, payload, actor)))
    }),
    // The people themselves are shown only to those who may read contacts.
    preview: Effect.fnUntraced(function* ({ account, caller, payload }) {
      const { count, sample, sendableCount } = yield* segments.preview(account.id, payload.definition)
      const people = rightsAt(yield* managerOf(caller), targetOf(account)).has("contacts:read") ? sample : []
      return ok({ count, sendableCount, sample: people.map(encodeContact) })
    }),
    list: Effect.fnUntraced(function* ({ account, page }) {
      return ok(listed(page, yield* segments.list(account.id, page), encodeSegment))
    }),
    get: Effect.fnUntraced(function* ({ account, params }) {
      return ok(encodeSegment(yield* notFound(segments.get(account.id, params.id))))
    }),
    update: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      const segment = yield* notFound(segments.change(account.id, params.id, payload, actor))
      return ok(encodeSegment(segment))
    }),
    remove: Effect.fnUntraced(function* ({ account, actor, params }) {
      yield* notFound(segments.remove(account.id, params.id, actor))
      return ok(null)
    })
  })
})

/**
 * The operator's handlers of segments.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import { Segments } from "../../../core/audience/segments/Segments.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { Problem, type Unavailable } from "../../../core/shared/Problem.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { encodeContact } from "../public/contacts.ts"
import { encodeSegment } from "../public/segments.ts"
import { pageOfQuery } from "../edge/Query.ts"
import { bind, created, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate, type Params } from "./requireAccount.ts"

/** An id of the operator's path that names nothing is common.not_found, as everywhere in this API. */
const notFound = <A>(effect: Effect.Effect<A, Problem | Unavailable>) =>
  Effect.mapError(effect, (error) =>
    error._tag === "Problem" && error.issues[0].code === "segments.not_found"
      ? Problem.of("common.not_found")
      : error
  )

const idOf = (params: Params): string => (params["id"] ?? "").toLowerCase()

/** Segments. */
export const managedSegmentsRoutes = Effect.gen(function* () {
  const segments = yield* Segments
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.managedSegments, {
    create: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      return created(encodeSegment(yield* segments.create(id, payload, managementActor)))
    }),
    preview: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      const { count, sample, sendableCount } = yield* segments.preview(id, payload.definition)
      return ok({ count, sendableCount, sample: sample.map(encodeContact) })
    }),
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      return ok(mapPage(yield* segments.list(id, yield* asEffect(pageOfQuery(query))), encodeSegment))
    }),
    get: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      return ok(encodeSegment(yield* notFound(segments.get(id, idOf(params)))))
    }),
    update: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      const segment = yield* notFound(segments.change(id, idOf(params), payload, managementActor))
      return ok(encodeSegment(segment))
    }),
    remove: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      yield* notFound(segments.remove(id, idOf(params), managementActor))
      return ok(null)
    })
  })
})

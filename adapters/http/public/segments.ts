/**
 * Handles the segments endpoint.
 *
 * @module
 */
import { Effect } from "effect"
import type { CountedSegment } from "../../../core/audience/segments/KeptLists.ts"
import { Segments } from "../../../core/audience/segments/Segments.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { okOnce } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

/** A segment, as the API returns it. */
export const encodeSegment = (segment: CountedSegment) => ({
  id: segment.id,
  name: segment.name,
  description: segment.description,
  definition: segment.definition,
  builtInKey: segment.builtInKey,
  count: segment.count,
  sendableCount: segment.sendableCount
})

/** The segments routes. */
export const segmentsRoutes = Effect.map(Segments, (segments) =>
  bind(PublicApi.groups.segments, {
    list: ({ caller }) =>
      Effect.map(segments.all(caller.accountId), (all) => okOnce(all, () => all.map(encodeSegment)))
  })
)

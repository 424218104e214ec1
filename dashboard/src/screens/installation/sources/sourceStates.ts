/**
 * The routes, types and colours that the screens of sources share.
 *
 * @module
 */
import type { ItemOf } from "../../../api/queries.ts"
import type { Tone } from "../../../parts/show/Badge.tsx"

/** The route of the sources. */
export const sourcesRoute = "GET /sources"

/** The route of one source. */
export const sourceRoute = "GET /sources/:id"

/** The route of the pools. */
export const poolsRoute = "GET /pools"

/** The routes that are read again after a change of sources or pools. */
export const sourceRoutes = [sourcesRoute, sourceRoute, poolsRoute, "GET /sources/spf"] as const

/** Enough for all of them: an installation has at most 200 sources and 50 pools. */
export const all = { query: { limit: 200 } } as const

/** A source. */
export type Source = ItemOf<typeof sourcesRoute>

/** A pool. */
export type Pool = ItemOf<typeof poolsRoute>

/** The colour of each state. */
export const sourceTones: Readonly<Record<Source["state"], Tone>> = {
  Unready: "bad",
  Warming: "accent",
  Active: "good",
  Paused: "warning",
  Retired: "neutral"
}

/** The number of other sources in a source's pool that can send. */
export const othersOf = ({ id, pool }: Source, sources: ReadonlyArray<Source>): number =>
  sources.filter(
    (other) =>
      other.id !== id && other.pool === pool && (other.state === "Active" || other.state === "Warming")
  ).length

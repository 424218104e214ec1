/**
 * Handles the management endpoints of sources and pools.
 *
 * @module
 */
import { Effect } from "effect"
import { defaultPool } from "../../../core/model/Source.ts"
import { type ShownSource, Sources } from "../../../core/sending/sources/Sources.ts"
import { warmUpCaps, warmUpDays, warmUpGroups } from "../../../core/sending/sources/WarmUpRules.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { listed } from "../edge/lists.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const encode = (source: ShownSource) => ({
  id: source.id,
  address: source.address,
  name: source.name,
  pool: source.pool,
  state: source.state,
  reason: source.reason,
  force: source.isForced,
  hosts: source.hosts,
  ptr:
    source.reverse === null
      ? null
      : {
          wanted: source.sendsAs,
          names: source.reverse.names,
          confirmed: source.reverse.isConfirmed,
          checkedAt: formatDateTime(source.reverse.checkedAt)
        },
  spfMissing: source.spfMissing,
  warmUp:
    source.warmUp === null
      ? null
      : {
          day: source.warmUp.day,
          days: warmUpDays,
          startedAt: formatDateTime(source.warmUp.startedAt),
          movedBackAt: dateTimeOrNull(source.warmUp.movedBackAt)
        },
  sentToday: source.sentToday,
  capToday: source.capToday,
  today: source.groups,
  createdAt: formatDateTime(source.createdAt)
})

/** The routes of sources, the addresses from which mail is sent. */
export const sourcesRoutes = Effect.map(Sources, (sources) =>
  bind(ManagementApi.groups.sources, {
    create: ({ actor, payload: { address, force = false, name = null, pool = defaultPool } }) =>
      Effect.map(sources.create({ address, name, pool, isForced: force }, actor), (source) =>
        created(encode(source))
      ),
    list: ({ page }) => Effect.map(sources.list(page), (found) => ok(listed(page, found, encode))),
    spf: () => Effect.map(sources.spf, (record) => ok({ record })),
    plan: () => Effect.succeed(ok({ groups: warmUpGroups, caps: warmUpCaps })),
    get: ({ params }) => Effect.map(sources.get(params.id), (source) => ok(encode(source))),
    change: ({ actor, params, payload: { force, state, ...rest } }) =>
      Effect.map(
        sources.change(
          params.id,
          {
            ...rest,
            ...(force === undefined ? {} : { isForced: force }),
            ...(state === undefined ? {} : { mode: state })
          },
          actor
        ),
        (source) => ok(encode(source))
      ),
    remove: ({ actor, params }) => Effect.as(sources.remove(params.id, actor), ok(null)),
    check: ({ params }) => Effect.map(sources.check(params.id), (source) => ok(encode(source))),
    warmUp: Effect.fnUntraced(function* ({ actor, params, payload: { day } }) {
      if (day !== null && (day < 1 || day > warmUpDays))
        return yield* Problem.of("validation.format", "day", null, { expected: `1 to ${warmUpDays}` })
      return ok(encode(yield* sources.warmUp(params.id, day, actor)))
    }),
    pause: ({ actor, params }) =>
      Effect.map(sources.change(params.id, { mode: "Paused" }, actor), (source) => ok(encode(source))),
    activate: ({ actor, params }) =>
      Effect.map(sources.change(params.id, { mode: "Active" }, actor), (source) => ok(encode(source)))
  })
)

/** The routes of pools of addresses. */
export const poolsRoutes = Effect.map(Sources, (sources) =>
  bind(ManagementApi.groups.pools, {
    create: ({ actor, payload: { key, name, overflow = null } }) =>
      Effect.map(sources.createPool({ key, name, overflow }, actor), created),
    list: ({ page }) => Effect.map(sources.pools(page), (found) => ok(listed(page, found, (pool) => pool))),
    change: ({ actor, params, payload }) =>
      Effect.map(sources.changePool(params.key, payload, actor), (pool) => ok(pool)),
    remove: ({ actor, params }) => Effect.as(sources.removePool(params.key, actor), ok(null))
  })
)

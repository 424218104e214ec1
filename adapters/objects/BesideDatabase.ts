/**
 * Stores objects outside a database that contained them before. New objects are stored outside, and earlier ones are found,
 * listed and removed in the database.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { ObjectName } from "../../core/model/Content.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"

const placeOf = ({ hash, id }: ObjectName): string => `${hash}.${id}`

/** The port, over the object storage and the database. */
export const layer = <E, R>(
  outside: Layer.Layer<ObjectStorage, E, R>
): Layer.Layer<ObjectStorage, E, R | ObjectStorage> =>
  Effect.gen(function* () {
    const before = yield* ObjectStorage
    const now = Context.get(yield* Layer.build(outside), ObjectStorage)
    return ObjectStorage.of({
      place: now.place,
      put: now.put,
      get: Effect.fnUntraced(function* (names) {
        const found = yield* now.get(names)
        const missing = names.filter((_, index) => found[index] == null)
        if (missing.length === 0) return found
        const earlier = (yield* before.get(missing)).values()
        return found.map((bytes) => bytes ?? earlier.next().value ?? null)
      }),
      remove: (names) => Effect.andThen(now.remove(names), before.remove(names)),
      list: (accountId, after, limit) =>
        Effect.map(
          Effect.all([now.list(accountId, after, limit), before.list(accountId, after, limit)]),
          (lists) =>
            lists
              .flat()
              .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
              .slice(0, limit)
        )
    })
  }).pipe(Layer.effect(ObjectStorage))

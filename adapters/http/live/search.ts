/**
 * Handles the management endpoint of the search.
 *
 * @module
 */
import { Effect } from "effect"
import { Search, type SearchedKind, searchedKinds } from "../../../core/app/Search.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { rightsAt } from "../../../core/users/Caller.ts"
import { managerOf, targetOf } from "../edge/permit.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const kinds = Object.entries(searchedKinds) as ReadonlyArray<
  [SearchedKind, (typeof searchedKinds)[SearchedKind]]
>

/** The search. */
export const searchRoutes = Effect.map(Search, (search) =>
  bind(ManagementApi.groups.search, {
    find: Effect.fnUntraced(function* ({ account, caller, query }) {
      const q = query.q as string | null
      if (q === null) return yield* Problem.of("validation.required", "q")
      const rights = rightsAt(yield* managerOf(caller), targetOf(account))
      const listed = kinds.filter(([, right]) => rights.has(right)).map(([kind]) => kind)
      const found = yield* search.find(account.id, listed, q)
      return ok({ items: found.map(({ detail, id, kind, title }) => ({ kind, id, title, detail })) })
    })
  })
)

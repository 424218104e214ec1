/**
 * The use cases of saved views. A caller who may see a list sees their own views of it and the shared ones, and can change their
 * own. A view's filters may name people. Shared views can also be changed by callers who may write the company.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, type Result } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { SavedViewStore } from "../ports/SavedViewStore.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import type { CompanyRight, Right } from "../model/Right.ts"
import { maxViews, type SavedView, type ViewedList, viewedLists, type ViewQuery } from "../model/SavedView.ts"
import type { Json } from "../shared/Json.ts"
import type { Among, Page, PageRequest } from "../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { checkText, formats, type Maybe, oneOf } from "../shared/Validate.ts"
import { actorOf, type Caller } from "./Caller.ts"

/** A submitted view. In a change, absent values stay unchanged. */
export interface ViewWrite {
  readonly name?: string
  readonly list?: string
  readonly query?: {
    readonly filters?: Maybe<{ readonly [name: string]: unknown }>
    readonly q?: Maybe<string>
    readonly sort?: Maybe<string>
  }
  /** The columns; null for the default columns of the list. */
  readonly columns?: ReadonlyArray<string> | null
  readonly shared?: boolean
}

/** The caller, with the account of the views and the caller's rights in it. */
export interface Viewer {
  readonly accountId: string
  readonly caller: Caller
  readonly rights: ReadonlySet<Right>
}

/** The right required to see each list, and therefore the views of the list. */
const listRights = {
  contacts: "contacts:read",
  emails: "emails:read",
  events: "events:read",
  notifications: "webhooks:read",
  runs: "flows:read",
  requests: "requests:read",
  orders: "orders:read",
  items: "catalog:read",
  suppressions: "contacts:read",
  imports: "contacts:read",
  jobs: "contacts:read",
  campaigns: "campaigns:read",
  flows: "flows:read",
  templates: "templates:read",
  segments: "segments:read"
} as const satisfies Readonly<Record<ViewedList, CompanyRight>>

const isVisible = ({ rights }: Viewer, list: ViewedList): boolean => rights.has(listRights[list])

/** Fails with users.right_missing unless the caller may see a list. */
const requireList = (viewer: Viewer, list: ViewedList): Effect.Effect<void, Problem> =>
  isVisible(viewer, list)
    ? Effect.void
    : Effect.fail(Problem.of("users.right_missing", null, null, { right: listRights[list] }))

/** The most characters of a view's name. */
export const maxViewName = 100
/** The most characters of a view's filters, as JSON. */
export const maxFilterText = 10_000
const maxColumns = 100
const maxColumn = 100
const maxQ = 254

/** The views of lists that people save. */
export class SavedViews extends Context.Service<
  SavedViews,
  {
    /** Saves a view. validation.*; views.limit_reached; users.right_missing for a list that the caller may not see. */
    readonly create: (viewer: Viewer, write: ViewWrite) => Effect.Effect<SavedView, Problem | Unavailable>
    /** The views that a caller sees, newest first. */
    readonly list: (
      viewer: Viewer,
      lists: Among<ViewedList>,
      page: PageRequest
    ) => Effect.Effect<Page<SavedView>, Unavailable>
    /** Changes a view. validation.*; common.not_found, also for another person's view; users.right_missing for a shared one. */
    readonly change: (
      viewer: Viewer,
      id: string,
      write: ViewWrite
    ) => Effect.Effect<SavedView, Problem | Unavailable>
    /** Deletes a view. common.not_found, users.right_missing like `change`. */
    readonly remove: (viewer: Viewer, id: string) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/users/SavedViews") {
  static readonly layer = Layer.effect(
    SavedViews,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const store = yield* SavedViewStore
      const ids = yield* Ids
      const atomically = yield* Atomically

      /** A view that a caller may change. */
      const changeable = Effect.fnUntraced(function* (viewer: Viewer, id: string) {
        const found = yield* store.get(viewer.accountId, id)
        if (found === null) return yield* Problem.of("common.not_found")
        if (found.owner === ownerOf(viewer.caller)) return found
        if (!found.shared || !isVisible(viewer, found.list)) return yield* Problem.of("common.not_found")
        if (viewer.rights.has("company:write")) return found
        return yield* Problem.of("users.right_missing", null, null, { right: "company:write" })
      })

      return SavedViews.of({
        create: Effect.fn("SavedViews.create")(function* (viewer, write) {
          const { accountId, caller } = viewer
          const given = yield* Effect.fromResult(parseView(write, null))
          yield* requireList(viewer, given.list)
          const owner = ownerOf(caller)
          // Of two concurrent calls, the second must count the first.
          yield* accounts.lock([accountId])
          if ((yield* store.count(accountId, owner, given.list)) >= maxViews) {
            return yield* Problem.of("views.limit_reached", null, { max: maxViews })
          }
          const view: SavedView = {
            ...given,
            id: yield* ids.next,
            accountId,
            owner,
            createdBy: actorOf(caller),
            createdAt: yield* Clock.currentTimeMillis
          }
          yield* store.insert(view)
          return view
        }, atomically),
        list: (viewer, lists, page) => {
          const shown = (lists ?? viewedLists).filter((list) => isVisible(viewer, list))
          return store.list(viewer.accountId, ownerOf(viewer.caller), shown, page)
        },
        change: Effect.fn("SavedViews.change")(function* (viewer, id, write) {
          yield* accounts.lock([viewer.accountId])
          const before = yield* changeable(viewer, id)
          const changed = { ...before, ...(yield* Effect.fromResult(parseView(write, before))) }
          yield* store.save(changed)
          return changed
        }, atomically),
        remove: Effect.fn("SavedViews.remove")(function* (viewer, id) {
          yield* changeable(viewer, id)
          yield* store.remove(viewer.accountId, id)
        })
      })
    })
  )
}

/** The owner of a caller's views: the user, also for a token of the user's own, or the token of a program. */
const ownerOf = (caller: Caller): string => {
  if (caller._tag === "Management") return "management"
  return caller._tag === "Session" || caller._tag === "PersonalToken"
    ? `user:${caller.user.userId}`
    : `token:${caller.tokenId}`
}

type Parsed = Pick<SavedView, "columns" | "list" | "name" | "query" | "shared">

/** Parses a view. `before` is null for a new view, whose name and list are required. */
const parseView = (write: ViewWrite, before: SavedView | null): Result.Result<Parsed, Problem> => {
  const issues = new Issues()
  const name = write.name === undefined ? before?.name : checkText(write.name, "name", maxViewName, issues)
  if (name === undefined || name === "") issues.add("validation.required", "name")
  const list = write.list === undefined ? before?.list : viewedLists.find((one) => one === write.list)
  if (write.list === undefined && before === null) issues.add("validation.required", "list")
  else if (list === undefined || (before !== null && list !== before.list)) {
    const expected = before === null ? oneOf(viewedLists) : "the list of the view, which cannot be changed"
    issues.add("validation.format", "list", null, { expected })
  }
  const query = write.query === undefined ? (before?.query ?? noQuery) : parseQuery(write.query, issues)
  const columns = write.columns === undefined ? (before?.columns ?? null) : write.columns
  if (columns !== null && columns.length > maxColumns) {
    issues.add("validation.max_length", "columns", { max: maxColumns }, { expected: "columns" })
  }
  for (const column of (columns ?? []).slice(0, maxColumns)) checkText(column, "columns", maxColumn, issues)
  return issues.result({
    name: name ?? "",
    list: list ?? "contacts",
    query,
    columns,
    shared: write.shared ?? before?.shared ?? false
  })
}

const noQuery: ViewQuery = { filters: {}, q: null, sort: null }

/** An escape in JSON of a character that cannot be stored: NUL or an unpaired surrogate. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

const parseQuery = ({ filters, q, sort }: NonNullable<ViewWrite["query"]>, issues: Issues): ViewQuery => {
  const text = JSON.stringify(filters ?? {})
  if (text.length > maxFilterText)
    issues.add("validation.max_length", "query.filters", { max: maxFilterText })
  if (unstorable.test(text)) {
    issues.add("validation.format", "query.filters", null, { expected: formats.storable })
  }
  return {
    filters: (filters ?? {}) as { readonly [name: string]: Json },
    q: q == null ? null : checkText(q, "query.q", maxQ, issues) || null,
    sort: sort == null ? null : checkText(sort, "query.sort", maxColumn, issues) || null
  }
}

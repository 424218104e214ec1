/**
 * Stores the views that people save of lists.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { SavedView, ViewedList } from "../model/SavedView.ts"
import type { Among, Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of saved views. */
export class SavedViewStore extends Context.Service<
  SavedViewStore,
  {
    /** Adds a view. */
    readonly insert: (added: SavedView) => Effect.Effect<void, Unavailable>
    /** An account's view; null for an unknown id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<SavedView | null, Unavailable>
    /** Replaces name, query, columns and whether the view is shared. */
    readonly save: (changed: SavedView) => Effect.Effect<void, Unavailable>
    /** Deletes a view. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /** How many views an owner has of a list. */
    readonly count: (accountId: string, owner: string, list: ViewedList) => Effect.Effect<number, Unavailable>
    /** The views of an account that an owner sees, the own ones and those shared, newest first. */
    readonly list: (
      accountId: string,
      owner: string,
      lists: Among<ViewedList>,
      page: PageRequest
    ) => Effect.Effect<Page<SavedView>, Unavailable>
  }
>()("svc/ports/SavedViewStore") {}

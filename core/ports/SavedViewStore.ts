/**
 * Stores the views of lists that people save.
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
    /** Replaces the name, query and columns of a view, and whether it is shared. */
    readonly save: (changed: SavedView) => Effect.Effect<void, Unavailable>
    /** Deletes a view. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /** The number of views of a list that an owner has. */
    readonly count: (accountId: string, owner: string, list: ViewedList) => Effect.Effect<number, Unavailable>
    /** The views that an owner sees in an account, their own and shared ones, newest first. */
    readonly list: (
      accountId: string,
      owner: string,
      lists: Among<ViewedList>,
      page: PageRequest
    ) => Effect.Effect<Page<SavedView>, Unavailable>
  }
>()("svc/ports/SavedViewStore") {}

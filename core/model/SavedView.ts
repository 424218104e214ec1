/**
 * Saved views of lists: filters, search, order and columns.
 *
 * @module
 */
import type { Actor } from "./Actor.ts"
import type { Json } from "../shared/Json.ts"

/** The lists that have views. */
export const viewedLists = [
  "contacts",
  "emails",
  "events",
  "notifications",
  "runs",
  "requests",
  "orders",
  "items",
  "suppressions",
  "imports",
  "jobs",
  "campaigns",
  "flows",
  "templates",
  "segments"
] as const

/** A list that has views. */
export type ViewedList = (typeof viewedLists)[number]

/** What a view shows of its list. */
export interface ViewQuery {
  readonly filters: { readonly [name: string]: Json }
  readonly q: string | null
  readonly sort: string | null
}

/** A saved view. */
export interface SavedView {
  readonly id: string
  readonly accountId: string
  /** The owner: a user, or the token of a program. */
  readonly owner: string
  readonly name: string
  readonly list: ViewedList
  readonly query: ViewQuery
  /** The columns in order; null for the list's default. */
  readonly columns: ReadonlyArray<string> | null
  /** Whether everyone who may see the list also sees the view. */
  readonly shared: boolean
  readonly createdBy: Pick<Actor, "id" | "kind" | "name">
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** The most views of an owner for a list. */
export const maxViews = 100

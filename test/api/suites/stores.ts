/**
 * The stores that the services are tested over.
 *
 * @module
 */
import { freshDatabase } from "../../support/postgres.ts"

/** A store, and the value of `SVC_STORE` for a new, empty one of it. */
export interface Store {
  readonly name: string
  readonly open: () => Promise<string>
}

/** The stores that a server process is tested over. */
export const stores: ReadonlyArray<Store> = [
  { name: "PGlite", open: () => Promise.resolve("embedded") },
  { name: "Postgres", open: freshDatabase }
]

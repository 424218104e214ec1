/**
 * The tables that more than one store uses: accounts, and rate windows.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import { Database } from "../engine/Database.ts"
import { Table } from "../engine/Table.ts"
import { RateWindows } from "./RateWindows.ts"

/** Tables that more than one memory store uses. */
export class SharedTables extends Context.Service<
  SharedTables,
  {
    readonly accounts: Table<Account>
    readonly windows: RateWindows
  }
>()("svc/adapters/memory/SharedTables") {
  static readonly layer = Layer.effect(
    SharedTables,
    Effect.map(Database, (database) =>
      SharedTables.of({
        accounts: new Table<Account>(database, { key: (account) => account.id }),
        windows: new RateWindows(database)
      })
    )
  )
}

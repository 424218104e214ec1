/**
 * Companies and accounts in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all } from "./engine/SortedIndex.ts"
import { SharedTables } from "./tables/SharedTables.ts"
import { frozen } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { accounts, companies, companyOrder: order } = yield* SharedTables

  const find = (ids: ReadonlyArray<string>) => database.read(() => accounts.getMany(ids))
  const findCompanies = (ids: ReadonlyArray<string>) => database.read(() => companies.getMany(ids))
  return AccountStore.of({
    insert: (newCompanies, newAccounts) =>
      database.write(() => {
        for (const company of newCompanies) companies.insert(frozen(company))
        for (const account of newAccounts) accounts.insert(frozen(account))
      }),
    companies: (page, ids) =>
      database.read(() =>
        ids === undefined
          ? order.page(all, page, placeBy("createdAt"))
          : pageOfAll(
              order.rows(all).filter(({ id }) => ids.includes(id)),
              page,
              placeBy("createdAt")
            )
      ),
    findCompanies,
    lockCompanies: findCompanies,
    saveCompany: (company) =>
      database.write(() => {
        const { deletedAt, id, liveAccountId, name, sandboxAccountId } = company
        if (companies.get(id) === undefined) return
        companies.replace(frozen(company))
        for (const account of accounts.getMany([liveAccountId, sandboxAccountId])) {
          accounts.replace({ ...account, name, deletedAt })
        }
      }),
    find,
    // Transactions run one after the other.
    lock: find,
    saveSettings: (accountId, settings, { updatedAt, updatedBy }) =>
      database.write(() => {
        const account = accounts.get(accountId)
        if (account !== undefined) accounts.replace(frozen({ ...account, settings, updatedAt, updatedBy }))
      })
  })
}).pipe(Layer.effect(AccountStore))

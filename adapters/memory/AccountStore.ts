/**
 * Stores companies and accounts in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { AccountStore, type ListedCompany } from "../../core/ports/AccountStore.ts"
import { pageByText, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all } from "./engine/SortedIndex.ts"
import { foldCase } from "../../core/shared/Validate.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"
import { SharedTables } from "./tables/SharedTables.ts"
import { frozen } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { accounts, companies, companyOrder: order } = yield* SharedTables
  const { of: submissionsOf } = yield* SubmissionTables

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
    browse: (page, { ids, q, state, volumeSince }) =>
      database.read(() => {
        const found = order
          .rows(all)
          .filter(
            ({ deletedAt, id, name }) =>
              (ids === null || ids.includes(id)) &&
              (state === null || (deletedAt === null) === (state === "Active")) &&
              (q === null || foldCase(name).startsWith(q))
          )
          .map((company): ListedCompany => {
            return { ...company, volume: submissionsOf(company.liveAccountId).volume(volumeSince) }
          })
        switch (page.sort?.by) {
          case "name":
            return pageByText(found, page, ({ name }) => foldCase(name))
          case "volume":
            return pageOfAll(
              found.toSorted((a, b) => a.volume - b.volume || (a.id < b.id ? -1 : 1)),
              page,
              placeBy("volume")
            )
          default:
            return pageOfAll(found, page, placeBy("createdAt"))
        }
      }),
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
      }),
    countInPool: (key) =>
      database.read(() => {
        const named = [...accounts.rows()].filter(({ settings: { pools } }) =>
          [pools.transactional, pools.marketing].includes(key)
        )
        return named.length
      })
  })
}).pipe(Layer.effect(AccountStore))

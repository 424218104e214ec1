/**
 * Reads an account's rows from the database in the order of their keys. Each `order by` begins with the account, so that
 * the primary key is read in order, however few rows are requested.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { newItem, ownItems } from "../../core/model/Item.ts"
import { ExportStore } from "../../core/ports/ExportStore.ts"
import { arrayOf } from "./sql/columns.ts"
import { consents, restOf, toContact, written } from "./contacts/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { items } from "./ItemStore.ts"
import { ifAny } from "./sql/results.ts"
import { suppressionColumns } from "./SuppressionStore.ts"

/** The id that precedes all others. */
const leastId = "00000000-0000-0000-0000-000000000000"

const contactsText = `
  select ${written.selected("c")}, ${restOf("c")} as rest from contacts c
  where account_id = $1::uuid and id > $2::uuid and erased_at is null order by account_id, id limit $3::int`

const consentsText = `
  select ${consents.selected("h")} from unnest($2::uuid[]) with ordinality as k(key, place) cross join lateral (
    select * from consents where account_id = $1::uuid and contact_id = k.key order by at, id
  ) h order by k.place, h.at, h.id`

const suppressionsText = `
  select ${suppressionColumns.selected("s")} from suppressions s
  where account_id = $1::uuid and email > $2::text and strpos(email, '@') > 0
  order by account_id, email limit $3::int`

const itemsText = `
  select ${items.selected("i")} from items i
  where account_id = $1::uuid and id > $2::uuid order by account_id, id limit $3::int`

const blankItem = newItem(ownItems, "", "", 0)

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const read = (text: string, ...parameters: ReadonlyArray<unknown>) =>
    orUnavailable(sql.unsafe(text, [...parameters]).values)
  const rows = (text: string, ...parameters: ReadonlyArray<unknown>) =>
    orUnavailable(sql.unsafe<object>(text, [...parameters]))

  return ExportStore.of({
    contacts: (accountId, after, limit) =>
      Effect.map(read(contactsText, accountId, after ?? leastId, limit), (found) => found.map(toContact)),
    consents: (accountId, contactIds) =>
      Effect.map(rows(consentsText, accountId, arrayOf(contactIds)), (found) =>
        found.map(consents.decode)
      ).pipe(ifAny(contactIds)),
    suppressions: (accountId, after, limit) =>
      Effect.map(rows(suppressionsText, accountId, after ?? "", limit), (found) =>
        found.map(suppressionColumns.decode)
      ),
    items: (accountId, after, limit) =>
      Effect.map(read(itemsText, accountId, after ?? leastId, limit), (found) =>
        found.map((values) => items.revive(values, blankItem))
      )
  })
}).pipe(Layer.effect(ExportStore))

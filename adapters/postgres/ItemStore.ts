/**
 * Stores items of the catalogue in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Item, maxItems, maxRecommended, newItem, ownItems } from "../../core/model/Item.ts"
import { type ItemChanges, ItemStore } from "../../core/ports/ItemStore.ts"
import { arrayOf, columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { between } from "./sql/pages.ts"
import { countOf, executeOrConflict, ifAny } from "./sql/results.ts"
import { beginsWith, folded, sortedList } from "./sql/sortedLists.ts"
import { WriteStatement } from "./sql/WriteStatement.ts"

/** The columns of `items`. */
export const items = columnsOf<Item>({
  id: "uuid",
  storeId: "uuid",
  source: "text",
  externalId: "text",
  kind: "text",
  name: "text",
  description: "text",
  url: "text",
  imageUrl: "text",
  price: "numeric",
  comparePrice: "numeric",
  currency: "text",
  inStock: "boolean",
  stockQuantity: "integer",
  categories: "jsonb",
  attributes: "jsonb",
  active: "boolean",
  createdAt: "timestamptz",
  updatedAt: "timestamptz",
  version: "integer"
})

/** The fields of an item that never change. */
const fixed: ReadonlyArray<string> = [
  "id",
  "storeId",
  "source",
  "externalId",
  "createdAt"
] satisfies ReadonlyArray<keyof Item>

/** Placeholders for columns that an update does not change, but an inserted row needs. */
const fillers: Readonly<Partial<Record<string, string>>> = {
  source: "",
  kind: "",
  name: "",
  inStock: "false",
  categories: "[]",
  attributes: "{}",
  active: "false",
  createdAt: "-infinity"
} satisfies Partial<Record<keyof Item, string>>

/** The fields that every update has: the keys of the row, and the version on which the update is based. */
const brought: ReadonlyArray<string> = ["id", "storeId", "externalId", "version"] satisfies ReadonlyArray<
  keyof Item
>

const blank = newItem(ownItems, "", "", 0)

/**
 * The rows of an owner's items with given keys. The limit makes each a look-up by key, whatever the planner's statistics.
 */
const ofOwner = (storeId: string | null, columns: string) => `
  unnest($2::text[]) as k(key) cross join lateral (
    select ${columns} from items where account_id = $1::uuid and external_id = k.key
      and ${storeId === null ? "store_id is null" : "store_id = $3::uuid"} limit 1
  ) i`

/** A limited number of a store's items: $1 account, $2 store, $3 limit. */
const ofStore = `(
  select id from items where account_id = $1::uuid and store_id = $2::uuid
  order by account_id, store_id, external_id limit $3::int
) i`

const ownerParameters = (accountId: string, storeId: string | null, externalIds: ReadonlyArray<string>) => [
  accountId,
  arrayOf([...new Set(externalIds)]),
  ...(storeId === null ? [] : [storeId])
]

/** The fields that determine whether an item is recommended, and in which categories. */
const recommending: ReadonlyArray<string> = [
  "categories",
  "inStock",
  "stockQuantity",
  "active"
] satisfies ReadonlyArray<keyof Item>

/** The columns of an item that a write returns for `listed`. */
const listable = "id, created_at, categories, active, in_stock, stock_quantity"

/** The rows of `item_categories` that belong to items of `rows`. */
const listed = (rows: string): string => `
  select r.id, r.created_at, c.category from ${rows} r cross join lateral (
    select '' as category union select '=' || name from jsonb_array_elements_text(r.categories) as e(name)
  ) c where r.active and r.in_stock and (r.stock_quantity is null or r.stock_quantity > 0)`

const list = (entries: string): string => `
  insert into item_categories (account_id, category, created_at, item_id)
  select $1::uuid, category, created_at, id from (${entries}) e order by id, category`

const unlist = (entries: string): string => `
  delete from item_categories where ctid = any(array(
    select c.place from (${entries}) e cross join lateral (
      select ctid as place from item_categories
      where account_id = $1::uuid and category = e.category and created_at = e.created_at and item_id = e.id limit 1
    ) c
  ))`

/** The statement of a write. It updates the count last, because all writers of the account share the row of the count. */
const writeStatement = (accountId: string, { inserts, updatedFields, updates }: ItemChanges) => {
  const statement = new WriteStatement(accountId)
  const { parameter } = statement
  if (updates.length > 0) {
    const isChanged = (field: string) =>
      field === "version" ||
      (!fixed.includes(field) && (updatedFields === "Any" || updatedFields.includes(field as keyof Item)))
    const left = items.order.filter((field) => !brought.includes(field) && !isChanged(field))
    statement.update("items", items, updates, {
      fillers: Object.fromEntries(left.map((field) => [field, fillers[field] ?? null])),
      flag: (field) => `${parameter(isChanged(field))}::boolean`,
      returning: `, ${listable}`
    })
    if (recommending.some(isChanged)) {
      const ids = parameter(arrayOf(updates.map((item) => item.id)))
      statement.part(
        "stored",
        `select i.* from unnest(${ids}::uuid[]) as k(id) cross join lateral (
          select ${listable} from items where account_id = $1::uuid and id = k.id limit 1
        ) i`
      )
      statement.part("unlisted", unlist(`${listed("stored")} except ${listed("updated")}`))
      statement.part("relisted", list(`${listed("updated")} except ${listed("stored")}`))
    }
  }
  if (inserts.length > 0) {
    statement.part(
      "inserted",
      `${statement.insertion("items", items, inserts)}
      order by r."storeId", r."externalId" collate "C" returning ${listable}`
    )
    statement.part("listed", list(listed("inserted")))
    statement.part(
      "counted",
      `insert into item_counts as c (account_id, items) select $1::uuid, count(*) from inserted
      on conflict (account_id) do update set items = c.items + excluded.items returning items`
    )
    statement.check("items_limit", `counted where items > ${parameter(maxItems)}::bigint`)
  }
  return statement
}

/** The limit is part of the text, because without it the planner would sort all items. */
const recommendStatement = `
  select ${items.selected("i")}, c.place::int
  from unnest($2::text[]) with ordinality as c(category, place) cross join lateral (
    select item_id from item_categories
    where account_id = $1::uuid and category = coalesce('=' || c.category, '')
    order by account_id desc, category desc, created_at desc, item_id desc limit ${maxRecommended}
  ) r cross join lateral (
    select * from items where account_id = $1::uuid and id = r.item_id limit 1
  ) i order by c.place, i.created_at desc, i.id desc`

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient

  const read = (text: string, parameters: ReadonlyArray<unknown>) =>
    orUnavailable(sql.unsafe(text, parameters).values)

  /** Removes the items whose ids the query `wanted`, with alias `i`, returns. Returns their number. */
  const remove = (wanted: string, parameters: ReadonlyArray<unknown>) =>
    countOf(
      sql.unsafe(
        `with wanted as materialized (
          select i.id from ${wanted} order by i.id
        ), gone as (
          delete from items d using wanted
          where d.account_id = $1::uuid and d.id = wanted.id
          returning d.id, d.created_at, d.categories, d.active, d.in_stock, d.stock_quantity
        ), unlisted as (${unlist(listed("gone"))}
        ), counted as (
          update item_counts set items = items - (select count(*) from gone)
          where account_id = $1::uuid and exists (select from gone)
        )
        select count(*)::int as count from gone`,
        parameters
      )
    )

  return ItemStore.of({
    get: (accountId, id) =>
      Effect.map(
        read(
          `select ${items.selected("i")} from items i where account_id = $1::uuid and id = $2::uuid limit 1`,
          [accountId, id]
        ),
        ([values]) => (values === undefined ? null : items.revive(values, blank))
      ),
    list: (accountId, filter, page) => {
      const { active, kind, q, storeId } = filter
      const among = sql`i.account_id = ${accountId}`
      const searched =
        q === null ? [] : ["i.name", "i.external_id"].map((one) => beginsWith(sql, folded(one), q))
      const passing = sql.and([
        among,
        between(sql, "i.created_at", filter),
        ...(storeId === null ? [] : [sql`i.store_id = any(${storeId}::uuid[])`]),
        ...(kind === null ? [] : [sql`i.kind = any(${kind}::text[])`]),
        ...(active === null ? [] : [sql`i.active = ${active}`]),
        ...(q === null ? [] : [sql`(${sql.or(searched)})`])
      ])
      return sortedList(sql, page, {
        table: "items",
        passing,
        searched:
          q === null
            ? null
            : {
                ids: sql.join(
                  " union all ",
                  false
                )(searched.map((one) => sql`select i.id from items i where ${among} and ${one}`)),
                among
              },
        by:
          page.sort?.by === "name"
            ? { column: folded("i.name"), kind: "Text" }
            : { column: "i.created_at", kind: "Time" },
        columns: sql.literal(items.selected("i")),
        decode: items.decode
      })
    },
    find: (accountId, storeId, externalIds) =>
      read(
        `select ${items.selected("i")} from ${ofOwner(storeId, "*")}`,
        ownerParameters(accountId, storeId, externalIds)
      ).pipe(
        Effect.map((rows) => rows.map((values) => items.revive(values, blank))),
        ifAny(externalIds)
      ),
    count: (accountId) =>
      countOf(sql`select items::float8 as count from item_counts where account_id = ${accountId}`),
    write: (accountId, changes) =>
      Effect.suspend(() => {
        if (changes.inserts.length + changes.updates.length === 0) return Effect.void
        const { parameters, text } = writeStatement(accountId, changes)
        return executeOrConflict(sql.unsafe(text, parameters))
      }),
    remove: (accountId, storeId, externalIds) =>
      externalIds.length === 0
        ? Effect.succeed(0)
        : remove(ofOwner(storeId, "id"), ownerParameters(accountId, storeId, externalIds)),
    removeStore: (accountId, storeId, limit) => remove(ofStore, [accountId, storeId, limit]),
    recommend: (accountId, categories) =>
      Effect.map(read(recommendStatement, [accountId, arrayOf(categories)]), (rows) => {
        const chosen = categories.map((): Array<Item> => [])
        for (const values of rows) chosen[Number(values.at(-1)) - 1]?.push(items.revive(values, blank))
        return chosen
      }).pipe(ifAny(categories))
  })
}).pipe(Layer.effect(ItemStore))

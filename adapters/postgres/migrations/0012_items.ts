/**
 * Creates the items of the catalogue.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Prices and stock change often: room for a second version of every row, as for contacts.
  `create table items (
    account_id uuid not null,
    id uuid not null,
    store_id uuid,
    source text not null,
    external_id text collate "C" not null,
    kind text not null,
    name text not null,
    description text,
    url text,
    image_url text,
    price numeric,
    compare_price numeric,
    currency text,
    in_stock boolean not null,
    stock_quantity integer,
    categories jsonb not null,
    attributes jsonb not null,
    active boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz,
    version integer not null
  ) with (fillfactor = 50)`,
  `create index items_recommended on items (account_id, created_at, id) where active and in_stock`,
  `alter table items add primary key (account_id, id)`,
  `create unique index items_store_external_id on items (account_id, store_id, external_id)
    where store_id is not null`,
  `create unique index items_external_id on items (account_id, external_id) where store_id is null`,
  `create table item_counts (
    account_id uuid primary key,
    items bigint not null
  ) with (fillfactor = 50)`
]

/**
 * Creates connected stores: their records, processed events and synchronised records, orders and carts.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table stores (
    account_id uuid not null,
    id uuid not null,
    platform text not null,
    name text not null,
    domain text collate "C" not null,
    consent_mode text not null,
    currency text,
    token_hash text not null,
    token_display text not null,
    webhook_secret text not null,
    connected_at timestamptz not null,
    disconnected_at timestamptz,
    constraint stores_domain unique (account_id, platform, domain)
  )`,
  `alter table stores add primary key (account_id, id)`,
  // Calls of a store do not name its account.
  `create index stores_id on stores (id)`,
  `create table store_events (
    account_id uuid not null,
    store_id uuid not null,
    event_id text collate "C" not null,
    received_at timestamptz not null,
    constraint store_events_id primary key (account_id, store_id, event_id)
  )`,
  `create table store_records (
    account_id uuid not null,
    store_id uuid not null,
    kind text collate "C" not null,
    external_id text collate "C" not null,
    contact_id uuid,
    source_updated_at timestamptz not null
  )`,
  `create index store_records_contact on store_records (account_id, contact_id) where contact_id is not null`,
  `alter table store_records add primary key (account_id, store_id, kind, external_id)`,
  `create table orders (
    account_id uuid not null,
    id uuid not null,
    store_id uuid not null,
    external_id text collate "C" not null,
    number text,
    status text collate "C" not null,
    currency text not null,
    total numeric not null,
    email text,
    customer_name text,
    contact_id uuid,
    placed_at timestamptz not null,
    paid_at timestamptz,
    line_count integer not null,
    reached jsonb not null,
    source_updated_at timestamptz not null,
    version integer not null
  ) with (fillfactor = 80)`,
  // Every list merges ranges of this index: a few stores times a few statuses.
  `create index orders_newest on orders (account_id, store_id, status, placed_at desc, id desc)`,
  `create index orders_contact on orders (account_id, contact_id, placed_at) where contact_id is not null`,
  `alter table orders add primary key (account_id, id)`,
  // Partial and last, so that plans made while the table is small use it for external ids, and for nothing else.
  `create unique index orders_external_id on orders (account_id, store_id, external_id) where external_id is not null`,
  // Orders by the UTC day they were placed (days since 1970), so that totals of lists need not count rows.
  `create table order_counts (
    account_id uuid not null,
    store_id uuid not null,
    status text collate "C" not null,
    day integer not null,
    orders bigint not null,
    primary key (account_id, store_id, status, day)
  ) with (fillfactor = 50)`,
  // The text that a search reads, apart from the orders: a change of status touches none of its indexes, the largest
  // included.
  `create table order_texts (
    account_id uuid not null,
    order_id uuid not null,
    store_id uuid not null,
    status text collate "C" not null,
    placed_at timestamptz not null,
    text text collate "C" not null,
    parts integer[] not null,
    primary key (account_id, order_id)
  ) with (fillfactor = 70)`,
  `create index order_texts_parts on order_texts using gin (parts)`,
  `create table carts (
    account_id uuid not null,
    id uuid not null,
    store_id uuid not null,
    external_id text collate "C" not null,
    contact_id uuid,
    currency text,
    total numeric not null,
    line_count integer not null,
    lines jsonb not null,
    url text,
    content integer not null,
    changed_at timestamptz not null,
    source_updated_at timestamptz not null,
    closed_at timestamptz,
    abandoned_content integer,
    version integer not null
  ) with (fillfactor = 80)`,
  `create index carts_contact on carts (account_id, contact_id, store_id, id) where contact_id is not null`,
  `alter table carts add primary key (account_id, id)`,
  // Partial and last, so that plans made while the table is small use it for external ids, and for nothing else.
  `create unique index carts_external_id on carts (account_id, store_id, external_id) where external_id is not null`
]

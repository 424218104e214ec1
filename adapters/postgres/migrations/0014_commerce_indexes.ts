/**
 * Finds orders by their text alone: the server computes the parts that the index holds, which are no longer stored.
 * Events of stores are pruned by age. Recommended items are found by their categories.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Every run of 4 characters, and the shorter ones at the end: a shorter search is the beginning of one. Each has a
  // prefix of the account, so that one index over all accounts finds those of one account.
  `create function svc_order_parts(account_id uuid, content text) returns tsvector
    language plpgsql immutable strict parallel safe as $$
    declare
      mark text := right(account_id::text, 8);
      parts text[] := '{}';
    begin
      for place in 1..length(content) loop
        parts := parts || (mark || substr(content, place, 4));
      end loop;
      return array_to_tsvector(parts);
    end
  $$`,
  `drop index order_texts_parts`,
  // Rewrites the table, to a fifth of its size: how much a search reads of it decides how long it takes.
  `alter table order_texts drop column parts, alter column text type text collate "C" using text || ''`,
  `create index order_texts_parts on order_texts using gin (svc_order_parts(account_id, text))`,
  `create index store_events_received_at on store_events (received_at)`,
  `create index contacts_store on contacts (account_id, store_id, id) where store_id is not null`,
  // Each item that may be recommended, once for every category, as `=` and its name, and once with an empty string
  // for all of them.
  `create table item_categories (
    account_id uuid not null,
    category text collate "C" not null,
    created_at timestamptz not null,
    item_id uuid not null
  )`,
  `insert into item_categories (account_id, category, created_at, item_id)
    select i.account_id, c.category, i.created_at, i.id from items i cross join lateral (
      select '' as category union select '=' || name from jsonb_array_elements_text(i.categories) as e(name)
    ) c
    where i.active and i.in_stock and (i.stock_quantity is null or i.stock_quantity > 0)`,
  `alter table item_categories add primary key (account_id, category, created_at, item_id)`,
  `drop index items_recommended`
]

/**
 * Finds texts of orders range by range, newest first: the keys of a text have a prefix of the time, the store and the
 * kind of status of its order, so that a search reads little that the filter would leave out, and stops when it has
 * enough. A store is marked while its data is erased.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // A store whose data is being erased cannot be connected until the erasure ends; some erasures are running now.
  `alter table stores add column erasing boolean not null default false`,
  `update stores s set erasing = true where disconnected_at is not null and exists (
    select from jobs where account_id = s.account_id and queue = 'retention' and key = 'store ' || s.id
  )`,
  `drop index order_texts_parts`,
  `drop function svc_order_parts(uuid, text)`,
  `alter table order_texts add column kind text collate "C" not null default ''`,
  // Rewrites the table once, without unused space.
  `alter table order_texts alter column kind drop default, alter column kind type text collate "C" using
    case status when 'Draft' then 'd' when 'Cancelled' then 'c' when 'Failed' then 'f' when 'Refunded' then 'r' else 'o' end`,
  // As in migration 14, with a longer prefix: the account, the kind of status, one of 8 groups of stores, and one of
  // 256 ranges of 32 days, which repeat after 22 years. In one function: an index is built without a search path to
  // others.
  `create function svc_order_keys(account_id uuid, store_id uuid, kind text, placed_at timestamptz, content text)
    returns tsvector language plpgsql immutable strict parallel safe as $$
    declare
      mark text := right(account_id::text, 6) || kind || chr(97 + (get_byte(uuid_send(store_id), 15) & 7))
        || lpad(to_hex(floor(extract(epoch from placed_at) / 2764800)::int & 255), 2, '0');
      keys text[] := '{}';
    begin
      for place in 1..length(content) loop
        keys := keys || (mark || substr(content, place, 4));
      end loop;
      return array_to_tsvector(keys);
    end
  $$`,
  // A search reads the pending entries once for each range: the list is kept short.
  `create index order_texts_keys on order_texts using gin (svc_order_keys(account_id, store_id, kind, placed_at, text))
    with (gin_pending_list_limit = 256)`
]

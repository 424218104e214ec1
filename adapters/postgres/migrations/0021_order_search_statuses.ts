/**
 * Gives the keys of an order's text a prefix of its status instead of a kind that several statuses share: a search of
 * one of them also read the matches of the others.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `drop index order_texts_keys`,
  `drop function svc_order_keys(uuid, uuid, text, timestamptz, text)`,
  `alter table order_texts drop column kind`,
  // As in migration 20, with the status instead of its kind.
  `create function svc_order_keys(account_id uuid, store_id uuid, status text, placed_at timestamptz, content text)
    returns tsvector language plpgsql immutable strict parallel safe as $$
    declare
      letter text := case status when 'Draft' then 'd' when 'Pending' then 'n' when 'Paid' then 'p'
        when 'Completed' then 'o' when 'Cancelled' then 'c' when 'Refunded' then 'r' when 'Failed' then 'f' end;
      mark text := right(account_id::text, 6) || letter || chr(97 + (get_byte(uuid_send(store_id), 15) & 7))
        || lpad(to_hex(floor(extract(epoch from placed_at) / 2764800)::int & 255), 2, '0');
      keys text[] := '{}';
    begin
      for place in 1..length(content) loop
        keys := keys || (mark || substr(content, place, 4));
      end loop;
      return array_to_tsvector(keys);
    end
  $$`,
  `create index order_texts_keys on order_texts using gin (svc_order_keys(account_id, store_id, status, placed_at, text))
    with (gin_pending_list_limit = 256)`
]

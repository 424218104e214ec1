/**
 * Orders are found by their text alone: the parts of it that the index holds are worked out by the server, and no longer
 * kept beside it. Events of stores are forgotten by age.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  // Every run of 4 characters, and those shorter at the end: a search of fewer is the beginning of one. Each is marked
  // with the account, so that one index over all accounts finds what is one account's.
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
  // Writes the table anew, a fifth as large: what a search reads of it decides how long it takes.
  `alter table order_texts drop column parts, alter column text type text collate "C" using text || ''`,
  `create index order_texts_parts on order_texts using gin (svc_order_parts(account_id, text))`,
  `create index store_events_received_at on store_events (received_at)`
]

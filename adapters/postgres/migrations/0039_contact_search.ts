/**
 * Keeps what lists of contacts are searched by in a table of its own, which only writes that change it touch: an index over
 * an expression of the contact's row was computed anew for each of its versions, and made each of them a new entry in every
 * other index. Activity is written by the statements that change it, instead of by triggers on every write.
 *
 * @module
 */

/** What separates words; the parts of a contact's text are separated by the end of a line. */
const wordEnds = " .,@-_+/()"

const prime = 16_777_619
const mask = 0xffff_ffff

/** The hash after a step of FNV-1a. */
const step = (hash: string, code: string): string => `(((${hash}) # ${code}) * ${prime} & ${mask})`
const key = (hash: string): string => `((${hash}) & ${0x7fff_ffff})::int`
const seed = (kind: string): string => step("mark", String(kind.codePointAt(0)))

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `drop trigger contacts_added on contacts`,
  `drop trigger contacts_moved on contacts`,
  `drop function svc_contact_added()`,
  `drop function svc_contact_moved()`,
  `drop index contacts_keys`,
  `drop function svc_contact_keys(uuid, text, jsonb, jsonb)`,
  // contacts_listed_store_id begins with the same columns.
  `drop index contacts_store`,
  // The keys of core/audience/segments/SearchKeys.ts, for the contacts of before.
  `create function svc_search_key(mark bigint, kind text, content text) returns int language plpgsql immutable parallel safe as $$
    declare
      hash bigint := ${step("mark", "ascii(kind)")};
      letter text;
    begin
      foreach letter in array string_to_array(content, null) loop
        hash := ${step("hash", "ascii(letter)")};
      end loop;
      return ${key("hash")};
    end
  $$`,
  `create function svc_search_keys(account_id uuid, content text, tags jsonb, topics jsonb)
    returns int[] language plpgsql immutable parallel safe as $$
    declare
      mark bigint := ('x' || right(account_id::text, 8))::bit(32)::bigint;
      run bigint := ${seed("t")};
      keys int[] := '{}';
      letter text;
      code bigint;
      is_end boolean;
      last bigint := 10;
      last_is_end boolean := true;
      before bigint := 10;
      before_is_end boolean := true;
    begin
      foreach letter in array string_to_array(content || chr(10), null) loop
        code := ascii(letter);
        is_end := strpos('${wordEnds}' || chr(10), letter) > 0;
        if last <> 10 then
          if before_is_end and not (code = 10 and last_is_end) then
            keys := keys || ${key(step(step(step("run", "10"), "last"), "case when is_end then 64 else code % 64 end"))};
          elsif code <> 10 then
            keys := keys || ${key(step(step(step("run", "before"), "last"), "code"))};
          end if;
        end if;
        before := last;
        before_is_end := last_is_end;
        last := code;
        last_is_end := is_end;
      end loop;
      if tags <> '[]' then
        keys := keys || array(select svc_search_key(mark, 'g', left(tag, 200)) from jsonb_array_elements_text(tags) tag);
      end if;
      if topics <> '{}' then
        keys := keys || array(
          select svc_search_key(mark, case when choice = 'true' then 'y' else 'n' end, topic)
          from jsonb_each(topics) as c(topic, choice)
        );
      end if;
      return keys;
    end
  $$`,
  `create table contact_search (
    account_id uuid not null,
    contact_id uuid not null,
    keys int[] not null
  ) with (fillfactor = 80)`,
  `insert into contact_search
    select account_id, id, svc_search_keys(account_id, svc_contact_text(email, first_name, last_name, external_id, phone),
      tags, topics)
    from contacts where erased_at is null`,
  `alter table contact_search add primary key (account_id, contact_id)`,
  // Its list of pending entries is read in every search, and emptied by the write that fills it.
  `create index contact_search_keys on contact_search using gin (keys) with (gin_pending_list_limit = 4096)`,
  // Functions with a body of SQL, as svc_contact_text.
  `create function svc_folded(content text) returns text language sql immutable parallel safe
    return replace(lower(replace((content collate "pg_c_utf8"), 'İ', 'i')), 'ς', 'σ') collate "C"`,
  `create function svc_folded_subject(subject text) returns text language sql immutable parallel safe
    return left(replace(lower(replace((subject collate "pg_c_utf8"), 'İ', 'i')), 'ς', 'σ'), 64) collate "C"`,
  `create index submissions_subject on submissions (account_id, (svc_folded_subject(subject) collate "C")) where subject <> ''`,
  // The account is a part of each key: accounts share the index.
  `create function svc_account_tags(account_id uuid, tags jsonb) returns jsonb language plpgsql immutable parallel safe as $$
    begin return jsonb_build_object(account_id, tags); end
  $$`,
  `create index submissions_tags on submissions using gin (svc_account_tags(account_id, tags) jsonb_path_ops)
    where tags <> '{}'`,
  `create index imports_status on imports (account_id, status, created_at desc, id desc)`
]

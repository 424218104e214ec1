/**
 * Partitions events and attempts by the time in their ids. The tables of before become the first partitions: no row is
 * copied, and nodes of the version before keep working on them until the first day of another month.
 *
 * Partitions cover every id: the first has all before its end, those of months follow, and the last, `*_after`, has the
 * rest. New ones are split off the last, which is empty unless a clock was far ahead.
 *
 * @module
 */

/** How long nodes of the version before may keep running, at least. */
const grace = "7 days"

/**
 * The months that can be made at once, and those without a row that may be the last: a clock can be wrong. Where ids of the
 * time follow them, after months without a row, there may be more.
 */
const most = 12
const mostEmpty = 36

/** The rows that are moved out of the last partition at most, which is locked meanwhile. */
const mostMoved = 50_000

/** Functions that create or drop tables run as the owner, for a service whose own user may not. */
const asOwner = (signature: string): ReadonlyArray<string> => [
  `do $$ begin
    execute format('alter function ${signature} security definer set search_path = pg_catalog, %I, pg_temp',
      current_schema());
  end $$`,
  // Others wait behind a lock that waits: it is tried again later.
  `alter function ${signature} set lock_timeout = '1s'`
]

/** Makes `table` the first partition of the new table `<table>_all`. */
const partition = (
  table: string,
  key: string,
  primaryKey: string,
  indexes: ReadonlyArray<string>
): ReadonlyArray<string> => [
  `create table ${table}_all (like ${table}, primary key (${primaryKey})) partition by range (${key})`,
  ...indexes,
  `do $$
    declare
      cut uuid := svc_first_id_at(
        (date_trunc('month', now() at time zone 'UTC' + interval '${grace}') + interval '1 month') at time zone 'UTC');
    begin
      execute format('create table ${table}_after partition of ${table}_all for values from (%L) to (maxvalue)', cut);
      with far as (delete from ${table} where ${key} >= cut returning *) insert into ${table}_all select * from far;
      execute format('alter table ${table}_all attach partition ${table} for values from (minvalue) to (%L)', cut);
    end
  $$`
]

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create function svc_first_id_at(at timestamptz) returns uuid language sql immutable strict as $$
    select (lpad(to_hex(greatest(0, floor(extract(epoch from at) * 1000))::bigint), 12, '0') || repeat('0', 20))::uuid
  $$`,
  `create function svc_time_of(id uuid) returns timestamptz language sql immutable strict as $$
    select to_timestamp(('x' || lpad(left(replace(id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint / 1000.0)
  $$`,
  // The partitions of a table; the first has no beginning, the last no end.
  `create function svc_partitions(parent regclass) returns table (name regclass, since uuid, until uuid)
    language sql stable as $$
      select p.oid::regclass, substring(bound from 'FROM \\(''([0-9a-f-]{36})''\\)')::uuid,
        substring(bound from 'TO \\(''([0-9a-f-]{36})''\\)')::uuid
      from pg_inherits i join pg_class p on p.oid = i.inhrelid
      cross join lateral pg_get_expr(p.relpartbound, p.oid) as bound
      where i.inhparent = parent
  $$`,
  // Makes partitions of months until the last partition begins at that time or later; returns how many.
  `create function svc_extend_partitions(parent regclass, until timestamptz) returns int language plpgsql as $$
    declare
      key text := (select attname from pg_partitioned_table join pg_attribute on attrelid = partrelid
        and attnum = partattrs[0] where partrelid = parent);
      rest regclass;
      since uuid;
      boundary timestamp;
      next uuid;
      moving int;
      made int := 0;
      empty int;
      other regclass;
      filled boolean;
    begin
      perform pg_advisory_xact_lock(7361003);
      loop
        select p.name, p.since into rest, since from svc_partitions(parent) p where p.until is null;
        boundary := svc_time_of(since) at time zone 'UTC';
        exit when made = ${most} or boundary >= until at time zone 'UTC';
        next := svc_first_id_at((date_trunc('month', boundary) + interval '1 month') at time zone 'UTC');
        execute format('select count(*) from (select from %s where %I < %L limit ${mostMoved + 1}) r', rest, key, next)
          into moving;
        exit when moving > ${mostMoved};
        empty := 0;
        for other in select p.name from svc_partitions(parent) p where p.until is not null
          order by p.until desc limit ${mostEmpty} loop
          execute format('select exists (select from %s)', other) into filled;
          exit when filled;
          empty := empty + 1;
        end loop;
        execute format('select exists (select from %s where %I < %L)', rest, key, svc_first_id_at(until)) into filled;
        exit when empty >= case when filled then ${mostEmpty} else ${most} end;
        execute format('alter table %s detach partition %s', parent, rest);
        execute format('create table %I.%I partition of %s for values from (%L) to (%L)',
          (select nspname from pg_namespace n join pg_class c on c.relnamespace = n.oid where c.oid = parent),
          replace((select relname from pg_class where oid = rest), '_after', '_' || to_char(boundary, 'YYYY_MM')),
          parent, since, next);
        if moving > 0 then
          execute format('with moved as (delete from %s where %I < %L returning *) insert into %s select * from moved',
            rest, key, next, parent);
        end if;
        execute format('alter table %s attach partition %s for values from (%L) to (maxvalue)', parent, rest, next);
        made := made + 1;
      end loop;
      return made;
    end
  $$`,
  ...asOwner("svc_extend_partitions(regclass, timestamptz)"),
  // Drops the partitions whose ids are all before a time, and empties the first; returns how many had rows or were dropped.
  `create function svc_drop_partitions(parent regclass, before timestamptz) returns int language plpgsql as $$
    declare
      first regclass;
      first_until uuid;
      last_until uuid;
      old record;
      filled boolean;
      gone int := 0;
    begin
      if not has_table_privilege(session_user, parent, 'DELETE') then
        raise insufficient_privilege using message = 'partitions are dropped by who may delete their rows';
      end if;
      perform pg_advisory_xact_lock(7361003);
      select p.name, p.until into first, first_until from svc_partitions(parent) p where p.since is null;
      if first_until is null or first_until > svc_first_id_at(before) then
        return 0;
      end if;
      for old in select p.name, p.until from svc_partitions(parent) p
        where p.since is not null and p.until <= svc_first_id_at(before) order by p.until loop
        execute format('drop table %s', old.name);
        last_until := old.until;
        gone := gone + 1;
      end loop;
      execute format('select exists (select from %s)', first) into filled;
      if filled then
        execute format('truncate %s', first);
        gone := gone + 1;
      end if;
      if last_until is not null then
        execute format('alter table %s detach partition %s', parent, first);
        execute format('alter table %s attach partition %s for values from (minvalue) to (%L)', parent, first, last_until);
      end if;
      return gone;
    end
  $$`,
  ...asOwner("svc_drop_partitions(regclass, timestamptz)"),
  ...partition("events", "id", "account_id, id", [
    `create index events_all_name on events_all (account_id, name, id desc)`
  ]),
  ...partition("attempts", "delivery_id", "account_id, delivery_id, claim", []),
  // The ids of events, which are unique over all partitions. Those in the first partition alone have an index there.
  `create table event_keys (
    account_id uuid not null,
    event_id text collate "C" not null,
    id uuid not null,
    primary key (account_id, event_id)
  )`,
  `insert into event_keys (account_id, event_id, id) select account_id, event_id, id from events_after`,
  // One row after the other, since each statement then reads one partition, by its key whatever statistics there are. A
  // ctid is no place in a table of several partitions.
  `create function svc_erase_events(account uuid, ids uuid[]) returns void language plpgsql as $$
    declare
      erased uuid;
      key text;
    begin
      for erased in select distinct e from unnest(ids) e order by 1 loop
        delete from events_all where account_id = account and id = erased returning event_id into key;
        if found then
          delete from event_keys where account_id = account and event_id = key and id = erased;
        end if;
      end loop;
    end
  $$`
]

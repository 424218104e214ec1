/**
 * Marks, for each account, that its contacts, their timelines or its suppression list changed, so that counts of
 * segments can be kept as long as nothing they depend on has changed.
 *
 * The marks of an account are the random values in its rows. A transaction with a change replaces that of its own
 * server process, so no two transactions wait for each other here. Two snapshots with the same marks see the same
 * audience. A process that is new to an account removes the rows of processes that have ended.
 *
 * @module
 */

const tables = ["contacts", "timeline", "suppressions"]
const events = [
  ["insert", "new"],
  ["update", "new"],
  ["delete", "old"]
] as const

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create table audience_changes (
    account_id uuid not null,
    process int not null,
    mark uuid not null,
    primary key (account_id, process)
  ) with (fillfactor = 50)`,
  // The row of an ended process may go together with a new mark, never alone: marks must not return to what they were.
  `create function svc_audience_changed() returns trigger language plpgsql as $$
    declare
      account uuid;
      is_new boolean;
    begin
      for account in select distinct account_id from changed loop
        insert into audience_changes as a (account_id, process, mark)
        values (account, pg_backend_pid(), gen_random_uuid())
        on conflict (account_id, process) do update set mark = excluded.mark
        returning xmax = 0 into is_new;
        if is_new then
          delete from audience_changes where account_id = account and process in (
            select process from audience_changes
            where account_id = account and process <> pg_backend_pid()
              and process not in (select pid from pg_stat_activity)
            for update skip locked
          );
        end if;
      end loop;
      return null;
    end $$`,
  ...tables.flatMap((table) =>
    events.map(
      ([event, rows]) =>
        `create trigger ${table}_${event} after ${event} on ${table} referencing ${rows} table as changed
          for each statement execute function svc_audience_changed()`
    )
  )
]

/**
 * Reads how far ahead partitions exist, for the service and for operators who inspect the database.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

/** The maximum number of rows of a last partition that are counted. */
const mostCounted = 1_000

/** Rows with the fields of `PartitionedTable`. */
export const partitionedTables = (sql: SqlClient): Fragment => sql`
  select c.relname::text as name, extract(epoch from svc_time_of(p.since))::float8 * 1000 as until,
    (case c.relname
      when 'events_all' then (select count(*) from (select from events_after limit ${mostCounted}) r)
      when 'attempts_all' then (select count(*) from (select from attempts_after limit ${mostCounted}) r)
    end)::int as later
  from pg_partitioned_table t join pg_class c on c.oid = t.partrelid
  cross join lateral svc_partitions(c.oid::regclass) p
  where c.relnamespace = current_schema()::regnamespace and p.until is null and p.since is not null
  order by 1`

/**
 * Gives the indexes of filters one direction. A list reads the rows of a value from where a page begins: a range of the
 * value and the place, which an index serves only where its columns have the same direction. With the time descending
 * behind a value that ascends, each page sorted all rows of the value. What people opened and clicked gets an index.
 *
 * @module
 */

/** An index, whose former one of the same name is dropped. */
const rebuilt = (table: string, name: string, columns: string, condition = ""): ReadonlyArray<string> => [
  `drop index if exists ${name}`,
  `create index ${name} on ${table} (${columns}) ${condition}`
]

/** Of one column, in the order of a list. */
const filterOf = (table: string, name: string, column: string, place: string, condition = "") =>
  rebuilt(table, `${table}_${name}`, `account_id, ${column}, ${place}`, condition)

const contactColumns = ["consent_status", "consent_source", "country_code", "language", "store_id"]
const newest = "created_at, id"
const ofDelivery = "created_at, submission_id"
const ofRun = "started_at, id"
const isCampaign = "marketing -> 'campaign' is not null"

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  ...contactColumns.flatMap((column) =>
    filterOf(
      "contacts",
      `listed_${column}`,
      column,
      "added_at, id",
      `where erased_at is null and ${column} is not null`
    )
  ),
  ...filterOf("suppressions", "kind", "kind", "created_at, email"),
  ...filterOf("submissions", "flow", "flow_id", newest, "where flow_id is not null"),
  ...filterOf("submissions", "template", "template_id", newest, "where template_id is not null"),
  ...filterOf("submissions", "key", "key_id", newest, "where key_id is not null"),
  ...filterOf(
    "submissions",
    "from",
    `(lower("from"->>'email') collate "C")`,
    newest,
    `where "from" is not null`
  ),
  ...filterOf(
    "submissions",
    "source",
    `(coalesce(source, case when flow_id is null then 'Api' else 'Flow' end) collate "C")`,
    newest
  ),
  ...filterOf(
    "submissions",
    "campaign",
    "((marketing -> 'campaign' ->> 'id')::uuid)",
    newest,
    `where ${isCampaign}`
  ),
  ...filterOf("deliveries", "status", "status", ofDelivery),
  ...filterOf("deliveries", "email", "email", ofDelivery),
  ...filterOf("deliveries", "reason", "reason", ofDelivery, "where reason is not null"),
  ...filterOf("deliveries", "domain", `(substring(email from '[^@]*$') collate "C")`, ofDelivery),
  ...filterOf("flow_runs", "status", "flow_id, status", ofRun),
  ...filterOf("flow_runs", "version", "flow_id, version", ofRun),
  ...filterOf("flow_runs", "step", "flow_id, step_id", ofRun, "where step_id is not null"),
  ...filterOf("notifications", "webhook", "webhook_id", "id"),
  ...filterOf("notifications", "type", "type", "id"),
  ...filterOf("notifications", "state", "state", "id"),
  ...filterOf("events_all", "name", "name", "id"),
  ...filterOf("campaigns", "status", "status", newest),
  ...filterOf("imports", "status", "status", newest),
  ...filterOf("bulk_jobs", "state", "state", newest),
  ...filterOf("bulk_jobs", "kind", "kind", newest),
  ...filterOf("store_events", "status", "store_id, status", "received_at, event_id"),
  ...filterOf("items", "of_store", "store_id", newest, "where store_id is not null"),
  `create index delivery_visits_human_opened on delivery_visits (account_id, delivery_id)
    where reader_opened_at is not null and not (opens ->> 'Human' = '0'
      and (opens ->> 'Unknown' <> '0' or clicks ->> 'Unknown' <> '0'))`,
  `create index delivery_visits_human_clicked on delivery_visits (account_id, delivery_id)
    where reader_clicked_at is not null and not (clicks ->> 'Human' = '0' and clicks ->> 'Unknown' <> '0')`
]

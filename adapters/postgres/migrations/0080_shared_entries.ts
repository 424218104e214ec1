/**
 * Stores less for each email, above all of a campaign.
 *
 * Takes the ids out of the indexes of emails by a time: the emails of a batch have one time, and an index stores its entry once for all
 * of them. Their order by id is that of a sort of those few. What marketing email is about has columns, as JSON of before is three
 * times as long: rows of before keep it.
 *
 * @module
 */

/** The indexes, each with its columns before the time and its condition. */
const indexes: ReadonlyArray<
  readonly [table: "deliveries" | "submissions", name: string, column: string | null, condition: string]
> = [
  ["submissions", "newest", null, "true"],
  ["submissions", "content", null, "content_erased_at is null"],
  ["submissions", "from", `(lower("from"->>'email') collate "C")`, `"from" is not null`],
  [
    "submissions",
    "source",
    `(coalesce(source, case when flow_id is null then 'Api' else 'Flow' end) collate "C")`,
    "true"
  ],
  ["submissions", "template", "template_id", "template_id is not null"],
  [
    "submissions",
    "campaign",
    "(coalesce(campaign_id, (marketing -> 'campaign' ->> 'id')::uuid))",
    "(campaign_id is not null or marketing -> 'campaign' is not null)"
  ],
  [
    "submissions",
    "marketing",
    "(coalesce(contact_id, (marketing ->> 'contactId')::uuid))",
    "(contact_id is not null or marketing is not null)"
  ],
  ["deliveries", "recipients", null, "email <> ''"],
  ["deliveries", "email", "email", "true"],
  ["deliveries", "status", "status", "true"],
  ["deliveries", "reason", "reason", "reason is not null"],
  ["deliveries", "provider", "provider", "provider is not null"],
  ["deliveries", "domain", `(substring(email from '[^@]*$') collate "C")`, "true"]
]

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table submissions add column contact_id uuid, add column topic_id uuid, add column campaign_id uuid,
    add column campaign_version integer, add column variant text collate "C"`,
  ...indexes.flatMap(([table, name, column, condition]) => [
    `drop index ${table}_${name}`,
    `create index ${table}_${name} on ${table} (account_id, ${column === null ? "" : `${column}, `}created_at)
    ${condition === "true" ? "" : `where ${condition}`}`
  ])
]

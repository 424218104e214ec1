/**
 * Indexes the deliveries that were opened and clicked by a person or a program, which statistics count by day.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create index delivery_visits_unknown_opened on delivery_visits (account_id, reader_opened_at)
    where reader_opened_at is not null and opens ->> 'Human' = '0'
      and (opens ->> 'Unknown' <> '0' or clicks ->> 'Unknown' <> '0')`,
  `create index delivery_visits_unknown_clicked on delivery_visits (account_id, reader_clicked_at)
    where reader_clicked_at is not null and clicks ->> 'Human' = '0' and clicks ->> 'Unknown' <> '0'`
]

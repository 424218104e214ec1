/**
 * Gives the recipients of a campaign indexes of who opened and who clicked.
 *
 * @module
 */

/** Of deliveries that were visited, in the order of the list of recipients. */
const ofVisitors = (name: string, visitor: string): string =>
  `create index delivery_visits_campaign_${name} on delivery_visits (account_id, campaign_id, (${visitor}), contact_id)
    where campaign_id is not null and (${visitor}) is not null`

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  ofVisitors(
    "opened",
    `case when reader_opened_at is not null and not (opens ->> 'Human' = '0'
        and (opens ->> 'Unknown' <> '0' or clicks ->> 'Unknown' <> '0')) then 'Human'
      when reader_opened_at is not null and opens ->> 'Human' = '0'
        and (opens ->> 'Unknown' <> '0' or clicks ->> 'Unknown' <> '0') then 'Unknown'
      when reader_opened_at is null and first_opened_at is not null then 'Machine' end`
  ),
  ofVisitors(
    "clicked",
    `case when reader_clicked_at is not null
        and not (clicks ->> 'Human' = '0' and clicks ->> 'Unknown' <> '0') then 'Human'
      when reader_clicked_at is not null and clicks ->> 'Human' = '0' and clicks ->> 'Unknown' <> '0' then 'Unknown'
      when reader_clicked_at is null and first_clicked_at is not null then 'Machine' end`
  )
]

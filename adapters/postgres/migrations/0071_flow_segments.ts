/**
 * Starts flows by segments: the segment of a flow's published version, and who was in it when it was evaluated last.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table flows add column segment_id uuid`,
  `create index flows_segment on flows (account_id) where segment_id is not null and status = 'Published'`,
  `create table flow_members (
    account_id uuid not null,
    flow_id uuid not null,
    contact_id uuid not null,
    primary key (account_id, flow_id, contact_id)
  )`,
  `create index flow_members_contact on flow_members (account_id, contact_id)`
]

/**
 * Makes the marks of an account's audience change with its segments too, so that what the lists of segments and of their
 * contacts show can be kept as long as nothing it depends on has changed.
 *
 * @module
 */

const events = [
  ["insert", "new"],
  ["update", "new"],
  ["delete", "old"]
] as const

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = events.map(
  ([event, rows]) =>
    `create trigger segments_${event} after ${event} on segments referencing ${rows} table as changed
      for each statement execute function svc_audience_changed()`
)

/**
 * Lets messages of the sandbox inbox be rendered when they are read, from their submission: a row keeps only what it
 * is rendered with. Rows of earlier versions keep their content.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table inbox_messages add column rendering jsonb, alter column subject drop not null,
    alter column raw drop not null`
]

/**
 * Companies' own texts of their hosted pages, by language.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `alter table companies add column page_texts jsonb not null default '{}'::jsonb`
]

/**
 * Templates of emails.
 *
 * @module
 */

import type { Edited } from "./Edited.ts"

/** A template: Liquid (docs/contributing/decisions.md 4) in subject, html and text. Times are epoch milliseconds. */
export interface Template extends Edited {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly subject: string
  /** As saved: HTML, or MJML when its root element is `<mjml>`. */
  readonly html: string | null
  /** What `html` is rendered from: the HTML compiled from MJML, else the same string. */
  readonly compiledHtml: string | null
  readonly text: string | null
  readonly createdAt: number
}

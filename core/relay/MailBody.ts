/**
 * Makes the bodies of received messages storable.
 *
 * @module
 */

import { hasControls, type LongText, stringOf, utf8Of } from "../model/LongText.ts"

/** More than an email's html or text may have, so that a longer one is rejected for its length. */
const maxRead = 1_000_000

const bodyControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/**
 * A body that can be stored: with LF as line ends, and without the control characters that some programs send, such as the
 * colours of a log.
 */
const storable = (text: string): string => withLineFeeds(text).toWellFormed().replaceAll(bodyControls, "")

const withLineFeeds = (text: string): string => (text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text)

/** As `storable`, of a text, or of the UTF-8 of one whose lines still end as they came. */
export const bodyOf = (text: LongText): LongText => {
  if (typeof text === "string") return storable(text)
  const lines = withLineFeeds(stringOf(text).replaceAll("\r\n", "\n"))
  const bytes = utf8Of(lines)
  return hasControls(bytes) ? storable(lines) : bytes
}

/** A body, cut where it is too long in any case, so that no later step works on more. */
export const shortBodyOf = (text: LongText): LongText =>
  text.length <= maxRead ? text : storable(stringOf(text)).slice(0, maxRead).toWellFormed()

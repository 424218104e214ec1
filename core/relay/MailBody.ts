/**
 * Makes the bodies of received messages storable.
 *
 * @module
 */

import { hasControls, type LongText, stringOf } from "../model/LongText.ts"

/** More than an email's html or text may have, so that a longer one is rejected for its length. */
const maxRead = 1_000_000

const bodyControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/**
 * A body that can be stored: with LF as line ends, and without the control characters that some programs send, such as the
 * colours of a log.
 */
const storable = (text: string): string =>
  (text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text).toWellFormed().replaceAll(bodyControls, "")

/** As `storable`: the same bytes where all of them can be stored. */
export const bodyOf = (text: LongText): LongText =>
  typeof text === "string" || hasControls(text) ? storable(stringOf(text)) : text

/** A body, cut where it is too long in any case, so that no later step works on more. */
export const shortBodyOf = (text: LongText): LongText =>
  text.length <= maxRead ? text : storable(stringOf(text)).slice(0, maxRead).toWellFormed()

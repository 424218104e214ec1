/**
 * Makes the bodies of received messages storable.
 *
 * @module
 */

import { hasControls, type LongText, stringOf } from "../model/LongText.ts"

/** More characters than an email's HTML or text may have, so that a longer body is still rejected for its length. */
const maxRead = 1_000_000

const bodyControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/**
 * Returns a body that can be stored: with LF as line ends, and without the control characters that some programs send, such as
 * the colours of a log.
 */
const storable = (text: string): string =>
  (text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text).toWellFormed().replaceAll(bodyControls, "")

/** As `storable`. The bytes stay the same if all of them can be stored. */
export const bodyOf = (text: LongText): LongText =>
  typeof text === "string" || hasControls(text) ? storable(stringOf(text)) : text

/** Cuts a body that is too long in any case, so that later steps process no more of it. */
export const shortBodyOf = (text: LongText): LongText =>
  text.length <= maxRead ? text : storable(stringOf(text)).slice(0, maxRead).toWellFormed()

/**
 * Makes the bodies of received messages storable.
 *
 * @module
 */

/** More than an email's html or text may have, so that a longer one is rejected for its length. */
const maxRead = 1_000_000

const bodyControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

/**
 * A body that can be stored: with LF as line ends, and without the control characters that some programs send, such as the
 * colours of a log.
 */
export const bodyOf = (text: string): string => {
  const lines = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text
  return lines.toWellFormed().replaceAll(bodyControls, "")
}

/** A body, cut where it is too long in any case, so that no later step works on more. */
export const shortBodyOf = (text: string): string =>
  text.length <= maxRead ? text : bodyOf(text).slice(0, maxRead).toWellFormed()

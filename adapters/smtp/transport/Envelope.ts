/**
 * Builds the commands that offer a message to a server (RFC 5321, 3.3), with the extensions that the server announced.
 *
 * @module
 */
import type { OutboundMessage } from "../../../core/model/Message.ts"

/** A command that offers a message. */
export interface Command {
  readonly stage: "Mail" | "Rcpt" | "Data"
  /** Without CRLF. */
  readonly line: string
}

/** The commands for a message, or why there are none. */
export type Envelope =
  | { readonly _tag: "Commands"; readonly commands: ReadonlyArray<Command> }
  /** The message cannot be offered to the server; `error` is the reason. */
  | {
      readonly _tag: "Impossible"
      readonly error: "no_smtputf8" | "message_too_large" | "address_unsendable"
    }

/** Characters that end a path or a line: an address that contains them could inject commands. */
const unsendable = /[\u0000-\u001f\u007f<>]/

const isUtf8 = (text: string): boolean => /[^\x00-\x7f]/.test(text)

/** @param parametersOf the parameters that the server announced with an extension; null if it did not announce it */
export const envelopeOf = (
  { raw, recipient, returnPath }: OutboundMessage,
  parametersOf: (extension: string) => string | null
): Envelope => {
  const impossible = (error: (Envelope & { readonly _tag: "Impossible" })["error"]): Envelope => ({
    _tag: "Impossible",
    error
  })
  const utf8 = isUtf8(recipient) || isUtf8(returnPath)
  if (utf8 && parametersOf("SMTPUTF8") === null) return impossible("no_smtputf8")
  const size = parametersOf("SIZE")
  // RFC 1870, 3: 0 means no limit, as does a missing number.
  const maxSize = size === null ? 0 : Number.parseInt(size, 10) || 0
  if (maxSize > 0 && raw.length > maxSize) return impossible("message_too_large")
  if (recipient === "" || unsendable.test(recipient) || unsendable.test(returnPath))
    return impossible("address_unsendable")
  const parameters = `${utf8 ? " SMTPUTF8" : ""}${size !== null && raw.length > 0 ? ` SIZE=${raw.length}` : ""}`
  return {
    _tag: "Commands",
    commands: [
      { stage: "Mail", line: `MAIL FROM:<${returnPath}>${parameters}` },
      { stage: "Rcpt", line: `RCPT TO:<${recipient}>` },
      { stage: "Data", line: "DATA" }
    ]
  }
}

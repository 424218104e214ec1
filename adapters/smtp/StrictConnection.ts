/**
 * smtp-server's connection, with MAIL and RCPT commands that name one path and parameters that the server offers, and others that
 * name none: smtp-server takes whatever follows the path for a parameter, a second path included, and accepts parameters that it
 * then ignores.
 *
 * @module
 */
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js"

/** The keyword of a parameter (RFC 5321, 4.1.2). */
const keyword = /^[A-Z0-9][A-Z0-9-]*$/

/** The parameters of the extensions that EHLO offers; all are MAIL's. */
const offered: ReadonlySet<string> = new Set(["SIZE", "BODY", "SMTPUTF8", "AUTH"])

/** The parsed path and parameters of a command; false for one that is rejected by 501. */
export type ParsedPath = ReturnType<SMTPConnection["_parseAddressCommand"]>

/** A connection of a client. */
export class StrictConnection extends SMTPConnection {
  override _parseAddressCommand(name: string, command: Buffer | string): ParsedPath {
    const parsed = super._parseAddressCommand(name, command)
    if (!parsed) return parsed
    return Object.keys(parsed.args || {}).every((key) => keyword.test(key)) && parsed
  }

  /** Rejects parameters that are not offered by 555 (RFC 5321, 4.1.1.11): what they ask for would not be done. */
  override _rejectInvalidParams(
    ...[parsed, keys, callback]: Parameters<SMTPConnection["_rejectInvalidParams"]>
  ): boolean {
    const isMail = keys.includes("SIZE")
    const unknown = Object.keys(parsed.args || {}).find((key) => !(isMail && offered.has(key)))
    if (unknown === undefined) return super._rejectInvalidParams(parsed, keys, callback)
    this.send(555, `The parameter ${unknown} is not supported`, "INVALID_PARAMETERS")
    callback()
    return true
  }

  override handler_DATA(...[command, callback]: Parameters<SMTPConnection["handler_DATA"]>): void {
    if (this.#isAlone("DATA", command)) super.handler_DATA(command, callback)
    else callback()
  }

  override handler_RSET(...[command, callback]: Parameters<SMTPConnection["handler_RSET"]>): void {
    if (this.#isAlone("RSET", command)) super.handler_RSET(command, callback)
    else callback()
  }

  override handler_QUIT(...[command, callback]: Parameters<SMTPConnection["handler_QUIT"]>): void {
    if (this.#isAlone("QUIT", command)) super.handler_QUIT(command, callback)
    else callback()
  }

  /** Rejects a parameter of a command that has none by 501 (RFC 5321, 4.1.1). */
  #isAlone(name: string, command: Buffer): boolean {
    if (command.toString("latin1").trim().length === name.length) return true
    this.send(501, `Error: syntax: ${name}`)
    return false
  }
}

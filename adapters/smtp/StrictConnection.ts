/**
 * smtp-server's connection, with stricter parsing of commands. MAIL and RCPT must name one path, and only parameters that the
 * server offers; some other commands must have no parameter. smtp-server itself takes everything after the path for
 * parameters, even a second path, and accepts parameters that it then ignores.
 *
 * @module
 */
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js"

/** The keyword of a parameter (RFC 5321, 4.1.2). */
const keyword = /^[A-Z0-9][A-Z0-9-]*$/

/** The parameters of the extensions that EHLO offers. All of them belong to MAIL. */
const offered: ReadonlySet<string> = new Set(["SIZE", "BODY", "SMTPUTF8", "AUTH"])

/** The parsed path and parameters of a command; false if the command is rejected with 501. */
export type ParsedPath = ReturnType<SMTPConnection["_parseAddressCommand"]>

/** A connection of a client. */
export class StrictConnection extends SMTPConnection {
  override _parseAddressCommand(name: string, command: Buffer | string): ParsedPath {
    const parsed = super._parseAddressCommand(name, command)
    if (!parsed) return parsed
    return Object.keys(parsed.args || {}).every((key) => keyword.test(key)) && parsed
  }

  /** Rejects with 555 the parameters that are not offered (RFC 5321, 4.1.1.11), because they would have no effect. */
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

  /** Rejects with 501 a parameter of a command that has none (RFC 5321, 4.1.1). */
  #isAlone(name: string, command: Buffer): boolean {
    if (command.toString("latin1").trim().length === name.length) return true
    this.send(501, `Error: syntax: ${name}`)
    return false
  }
}

/**
 * smtp-server's connection, with MAIL and RCPT commands that name one path: smtp-server takes whatever follows the path
 * for a parameter, a second path included.
 *
 * @module
 */
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js"

/** The keyword of a parameter (RFC 5321, 4.1.2). */
const keyword = /^[A-Z0-9][A-Z0-9-]*$/

/** The parsed path and parameters of a command; false for one that is rejected by 501. */
export type ParsedPath = ReturnType<SMTPConnection["_parseAddressCommand"]>

/** A connection of a client. */
export class StrictConnection extends SMTPConnection {
  override _parseAddressCommand(name: string, command: Buffer | string): ParsedPath {
    const parsed = super._parseAddressCommand(name, command)
    if (!parsed) return parsed
    return Object.keys(parsed.args || {}).every((key) => keyword.test(key)) && parsed
  }
}

/**
 * Interprets the errors of nodemailer's connection.
 *
 * @module
 */
import type { SmtpStage } from "../../../core/sending/shaping/SmtpReply.ts"

/** An error of nodemailer. */
export interface SmtpError extends Error {
  readonly code?: string | undefined
  readonly originalCode?: string | undefined
  readonly response?: string | undefined
}

/** The reason of a failure, such as `timeout` or `connrefused`. */
export const reasonOf = ({ code, message, originalCode }: SmtpError): string => {
  if (code === "ETIMEDOUT") return "timeout"
  if (code === "EDNS") return "dns"
  if (code === "ETLS") return "tls"
  if (code === "EPROTOCOL") return "protocol"
  const system = originalCode ?? code ?? ""
  if (/^E[A-Z]+$/.test(system) && system !== "ECONNECTION" && system !== "ESOCKET")
    return system.slice(1).toLowerCase()
  return /certificate|\bTLS\b|\bSSL\b/i.test(message) ? "tls" : "connection_lost"
}

/** The stage of opening a connection to which a command belongs. Commands other than those listed belong to authentication. */
export const stageOfCommand = (command: string | undefined): SmtpStage => {
  if (command === undefined) return "Connect"
  if (/^(?:EHLO|HELO)/.test(command)) return "Ehlo"
  return command.startsWith("STARTTLS") ? "StartTls" : "Auth"
}

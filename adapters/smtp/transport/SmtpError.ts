/**
 * What nodemailer's connection fails with.
 *
 * @module
 */
import type { SmtpStage } from "../../../core/sending/delivery/SmtpReply.ts"

/** What nodemailer's errors carry. */
export interface SmtpError extends Error {
  readonly code?: string | undefined
  readonly originalCode?: string | undefined
  readonly response?: string | undefined
}

/** A word for what broke, such as `timeout` or `connrefused`. */
export const wordOf = ({ code, message, originalCode }: SmtpError): string => {
  if (code === "ETIMEDOUT") return "timeout"
  if (code === "EDNS") return "dns"
  if (code === "ETLS") return "tls"
  if (code === "EPROTOCOL") return "protocol"
  const system = originalCode ?? code ?? ""
  if (/^E[A-Z]+$/.test(system) && system !== "ECONNECTION" && system !== "ESOCKET")
    return system.slice(1).toLowerCase()
  return /certificate|\bTLS\b|\bSSL\b/i.test(message) ? "tls" : "connection_lost"
}

/** What a command asks for that opens a connection; of what is none of these, authentication. */
export const stageOfCommand = (command: string | undefined): SmtpStage => {
  if (command === undefined) return "Connect"
  if (/^(?:EHLO|HELO)/.test(command)) return "Ehlo"
  return command.startsWith("STARTTLS") ? "StartTls" : "Auth"
}

/**
 * What nodemailer's connection fails with.
 *
 * @module
 */
import type { SmtpStage } from "../../../core/sending/SmtpReply.ts"

/** What nodemailer's errors carry. */
export interface SmtpError extends Error {
  readonly code?: string | undefined
  readonly originalCode?: string | undefined
  readonly command?: string | undefined
  readonly response?: string | undefined
  readonly rejectedErrors?: ReadonlyArray<{ readonly response?: string | undefined }> | undefined
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

/** What a command of ours asks for; of what is none of a message's, authentication. */
export const stageOfCommand = (command: string | undefined): SmtpStage => {
  if (command === undefined) return "Connect"
  if (/^(?:EHLO|HELO)/.test(command)) return "Ehlo"
  if (command.startsWith("STARTTLS")) return "StartTls"
  if (command.startsWith("MAIL")) return "Mail"
  if (command.startsWith("RCPT")) return "Rcpt"
  return command.startsWith("DATA") ? "Data" : "Auth"
}

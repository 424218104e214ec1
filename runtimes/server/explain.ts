/**
 * Explains a failed start or command to the operator.
 *
 * @module
 */
import { Cause } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { SecretKeyFileInvalid } from "../../adapters/crypto/SecretKey.ts"
import { DataDirectoryInUse } from "../../adapters/postgres/engine/DirectoryLock.ts"
import { DatabaseUnusable, explainSqlError } from "../../adapters/postgres/engine/DatabaseUnusable.ts"
import { DatabaseIncomplete, DatabaseTooNew } from "../../adapters/postgres/engine/Migrations.ts"
import { TransferFailed } from "../../adapters/postgres/transfer/Place.ts"
import { AdminTokenTooShort } from "../../core/accounts/AdminTokenCheck.ts"
import { SecretKeyDiffers } from "../../core/accounts/SecretCheck.ts"
import { DirectoryUnmarked } from "../../adapters/objects/Files.ts"
import { ContentElsewhere } from "../../core/sending/contents/ContentPlace.ts"
import { describeDefect } from "../../core/shared/Defect.ts"
import { CertificateInvalid } from "./certificates.ts"
import { DataDirectoryOpen } from "./dataDirectory.ts"
import { ConfigurationInvalid } from "../config/config.ts"
import { ProcessNotStarted } from "../supervisor/Supervisor.ts"

/** The variables for an address that cannot be listened on: those of its port and of its host. */
const listenVariables: Readonly<Record<string, readonly [port: string, host: string]>> = {
  ListenFailed: ["SVC_PORT", "SVC_HOST"],
  RelayPortTaken: ["SVC_SMTP_PORTS", "SVC_SMTP_HOST"],
  ReportPortTaken: ["SVC_INBOUND_PORT", "SVC_SMTP_HOST"]
}

const explainListening = ({ cause }: Error, [port, host]: readonly [string, string]): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  const fixes: Readonly<Record<string, string>> = {
    EACCES: `Grant CAP_NET_BIND_SERVICE, or set ${port} to a port from 1024 on`,
    EADDRNOTAVAIL: `Set ${host} to an address of this machine`,
    ENOTFOUND: `Set ${host} to an address of this machine`
  }
  const fix =
    (typeof code === "string" ? fixes[code] : undefined) ??
    `Stop what uses the port, or set ${port} to another`
  return `Cannot listen: ${cause instanceof Error ? cause.message : "unknown reason"}. ${fix}`
}

/** One line that says why a start or a command failed. */
export const explain = (cause: Cause.Cause<unknown>, what = "The start"): string => {
  const error = Cause.squash(cause)
  if (error instanceof ConfigurationInvalid || error instanceof CertificateInvalid) return error.message
  if (error instanceof DataDirectoryInUse || error instanceof DatabaseTooNew) return error.message
  if (error instanceof DatabaseIncomplete || error instanceof TransferFailed) return error.message
  if (error instanceof DatabaseUnusable) return `Cannot use the database: ${error.message}`
  if (isSqlError(error)) return `Cannot use the database: ${explainSqlError(error, null).message}`
  if (error instanceof AdminTokenTooShort || error instanceof DataDirectoryOpen) return error.message
  if (error instanceof SecretKeyDiffers || error instanceof SecretKeyFileInvalid) return error.message
  if (error instanceof ContentElsewhere || error instanceof DirectoryUnmarked) return error.message
  if (error instanceof ProcessNotStarted) return error.message
  const variables =
    error instanceof Error && "_tag" in error ? listenVariables[String(error._tag)] : undefined
  if (variables !== undefined) return explainListening(error as Error, variables)
  return `${what} failed: ${JSON.stringify(describeDefect(cause))}`
}

/**
 * Explains a failed start or command to the operator.
 *
 * @module
 */
import { Cause } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { SecretKeyFileInvalid } from "../../adapters/crypto/SecretKey.ts"
import { DataDirectoryInUse } from "../../adapters/postgres/engine/DirectoryLock.ts"
import { DatabaseIncomplete, DatabaseTooNew } from "../../adapters/postgres/engine/Migrations.ts"
import { TransferFailed } from "../../adapters/postgres/transfer/Place.ts"
import { AdminTokenTooShort } from "../../core/accounts/AdminTokenCheck.ts"
import { SecretKeyDiffers } from "../../core/accounts/SecretCheck.ts"
import { describeDefect } from "../../core/shared/Defect.ts"
import { CertificateInvalid } from "./certificates.ts"
import { DataDirectoryOpen } from "./dataDirectory.ts"
import { ConfigurationInvalid } from "../config/config.ts"

const listenFailures: ReadonlyArray<unknown> = ["ListenFailed", "RelayPortTaken", "ReportPortTaken"]

/** One line that says why a start or a command failed. */
export const explain = (cause: Cause.Cause<unknown>, what = "The start"): string => {
  const error = Cause.squash(cause)
  if (error instanceof ConfigurationInvalid || error instanceof CertificateInvalid) return error.message
  if (error instanceof DataDirectoryInUse || error instanceof DatabaseTooNew) return error.message
  if (error instanceof DatabaseIncomplete || error instanceof TransferFailed) return error.message
  if (isSqlError(error)) return `Cannot use the database: ${error.message}`
  if (error instanceof AdminTokenTooShort || error instanceof DataDirectoryOpen) return error.message
  if (error instanceof SecretKeyDiffers || error instanceof SecretKeyFileInvalid) return error.message
  if (error instanceof Error && "_tag" in error && listenFailures.includes(error._tag)) {
    return `Cannot listen: ${error.cause instanceof Error ? error.cause.message : "unknown reason"}`
  }
  return `${what} failed: ${JSON.stringify(describeDefect(cause))}`
}

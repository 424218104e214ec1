/**
 * The background jobs of contact imports.
 *
 * @module
 */
import { Schema } from "effect"
import type { NewJob } from "../../ports/JobQueue.ts"
import { type ContactImport, keepErrorsMillis } from "../../model/ContactImport.ts"
import { defineJob } from "../defineJob.ts"

/** How long an upload may take, milliseconds: an hour. What remains of a longer one is removed. */
const uploadTimeout = 3_600_000

const ImportPayload = Schema.Struct({
  importId: Schema.String,
  step: Schema.Literals(["Run", "DryRun", "Expire"])
})
/** What a job of an import is for. */
export type ImportPayload = typeof ImportPayload.Type

/** Jobs of the queue share their payload, of which `step` says what to do; the prefix of the key tells them apart. */
const define = (prefix: string) =>
  defineJob({
    queue: "imports",
    key: ({ importId }: { readonly importId: string }) => `${prefix}:${importId}`,
    payload: ImportPayload
  })

/** Writes rows of an import; at most one is pending for each. */
export const importRunJob = define("run")
/** Removes the error report of an import; at most one is pending for each. */
export const importExpiryJob = define("expire")
/** Removes an upload that did not end; at most one is pending for each. */
export const uploadExpiryJob = define("upload")

/**
 * The job that writes or tries rows of an import, continuing where the previous job stopped. A node of a version that cannot
 * try rows does not know the step, and writes none.
 */
export const runJob = (
  id: string,
  { accountId, dryRun, id: importId }: ContactImport,
  runAt: number
): NewJob =>
  importRunJob.job({ id, accountId, payload: { importId, step: dryRun ? "DryRun" : "Run" }, runAt })

/** The job that removes a finished import's error report once it expires. */
export const expiryJob = (id: string, of: ContactImport): NewJob =>
  importExpiryJob.job({
    id,
    accountId: of.accountId,
    payload: { importId: of.id, step: "Expire" },
    runAt: (of.finishedAt ?? of.createdAt) + keepErrorsMillis
  })

/** The job that removes an upload that has not ended by its timeout. */
export const uploadTimeoutJob = (id: string, of: ContactImport): NewJob =>
  uploadExpiryJob.job({
    id,
    accountId: of.accountId,
    payload: { importId: of.id, step: "Expire" },
    runAt: of.createdAt + uploadTimeout
  })

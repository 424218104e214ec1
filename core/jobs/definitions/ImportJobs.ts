/**
 * The background jobs of contact imports.
 *
 * @module
 */
import { Schema } from "effect"
import type { NewJob } from "../../ports/JobQueue.ts"
import { type ContactImport, keepErrorsMillis } from "../../model/ContactImport.ts"
import { defineJob } from "../defineJob.ts"

/** How long an upload may take, milliseconds: an hour. After that, it is removed if it is still incomplete. */
const uploadTimeout = 3_600_000

const ImportPayload = Schema.Struct({
  importId: Schema.String,
  step: Schema.Literals(["Run", "DryRun", "Expire"])
})
/** The payload of an import's job. */
export type ImportPayload = typeof ImportPayload.Type

/** All jobs of the queue have the same payload: `step` states the work, and the prefix of the key distinguishes them. */
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
/** Removes an upload that was not completed; at most one is pending for each. */
export const uploadExpiryJob = define("upload")

/**
 * The job that writes (or, in a dry run, only tries) rows of an import, continuing where the previous job stopped. A node of a
 * version without dry runs does not know the step, and writes nothing.
 */
export const runJob = (
  id: string,
  { accountId, dryRun, id: importId }: ContactImport,
  runAt: number
): NewJob =>
  importRunJob.job({ id, accountId, payload: { importId, step: dryRun ? "DryRun" : "Run" }, runAt })

/** The job that removes a finished import's error report when it expires. */
export const expiryJob = (id: string, of: ContactImport): NewJob =>
  importExpiryJob.job({
    id,
    accountId: of.accountId,
    payload: { importId: of.id, step: "Expire" },
    runAt: (of.finishedAt ?? of.createdAt) + keepErrorsMillis
  })

/** The job that removes an upload that is incomplete at its timeout. */
export const uploadTimeoutJob = (id: string, of: ContactImport): NewJob =>
  uploadExpiryJob.job({
    id,
    accountId: of.accountId,
    payload: { importId: of.id, step: "Expire" },
    runAt: of.createdAt + uploadTimeout
  })

/**
 * The background jobs of imports.
 *
 * @module
 */
import type { NewJob } from "../../ports/JobQueue.ts"
import { type ContactImport, keepErrorsMillis } from "../../model/ContactImport.ts"

/** How long a file may take to arrive, milliseconds: an hour. What is left of one that took longer is removed. */
export const uploadPatience = 3_600_000

/** What a job does: write rows, or remove what is no longer kept. */
export type ImportStep = "Run" | "Expire"

export const runKey = (id: string): string => `run:${id}`
export const uploadKey = (id: string): string => `upload:${id}`

const job = (id: string, of: ContactImport, key: string, step: ImportStep, runAt: number): NewJob => ({
  id,
  accountId: of.accountId,
  queue: "imports",
  key,
  runAt,
  payload: { importId: of.id, step }
})

/** Writes rows of an import, from where the last job came to. */
export const runJob = (id: string, of: ContactImport, now: number): NewJob =>
  job(id, of, runKey(of.id), "Run", now)

/** Removes a finished import's error report when its time is over, or an upload that never ended. */
export const expiryJob = (
  id: string,
  of: ContactImport,
  at = (of.finishedAt ?? of.createdAt) + keepErrorsMillis,
  key = `expire:${of.id}`
): NewJob => job(id, of, key, "Expire", at)

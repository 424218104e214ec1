/**
 * All migrations in order. The list only grows: one that was released is never changed.
 *
 * @module
 */
import { statements as operations } from "./0001_operations.ts"
import { statements as audienceAndSending } from "./0002_audience_and_sending.ts"
import { statements as jobs } from "./0003_jobs.ts"

/** The statements of each version, the first being version 1. */
export const migrations: ReadonlyArray<ReadonlyArray<string>> = [operations, audienceAndSending, jobs]

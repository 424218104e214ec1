/**
 * Tells how far long work on a database is: migrations, copies, builds of indexes.
 *
 * @module
 */
import { Context } from "effect"

/**
 * Told how far a phase is. A phase begins with its first report and ends with the first of another. It must not wait.
 *
 * @param phase what is done, such as `Copying`
 * @param done how much of `total` is done, in the same unit
 */
export type ReportProgress = (phase: string, done: number, total: number) => void

/** Where long work reports to; nowhere unless provided. */
export const Progress = Context.Reference<ReportProgress>("svc/adapters/postgres/Progress", {
  defaultValue: () => () => undefined
})

/**
 * Provides the dump from which databases in memory start. This takes a fraction of the time of their migrations.
 *
 * @module
 */

/** Keeps the dump of a database at the current schema that has no rows yet. */
export interface DumpStore {
  readonly load: () => Promise<Blob | null>
  readonly save: (dump: Blob) => Promise<void>
}

const inProcess = (): DumpStore => {
  let kept: Blob | null = null
  return {
    load: async () => kept,
    save: async (dump) => {
      kept = dump
    }
  }
}

let store = inProcess()

/** The dump of the first in-memory database of this process, or of processes that share one; null if there is none yet. */
export const loadDump = (): Promise<Blob | null> => store.load()

/** Keeps the dump for later databases. */
export const saveDump = (dump: Blob): Promise<void> => store.save(dump)

/** Shares dumps among processes of the same version, each of which would otherwise make its own. */
export const shareDumps = (shared: DumpStore): void => {
  store = shared
}

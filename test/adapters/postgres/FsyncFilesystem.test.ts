/**
 * Tests that commits of the embedded database are synced to the disk.
 *
 * @module
 */
import fs from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { makeDatabase, openDurable, syncFolder } from "../../../adapters/postgres/engine/FsyncFilesystem.ts"

const { fsync, fsyncSync } = fs

/** Counts the syncs from now on. */
const countSyncs = (): (() => number) => {
  let count = 0
  fs.fsyncSync = (descriptor) => {
    count++
    fsyncSync(descriptor)
  }
  const counted = (descriptor: number, done: fs.NoParamCallback) => {
    count++
    fsync(descriptor, done)
  }
  fs.fsync = counted as typeof fsync
  syncBuiltinESMExports()
  return () => count
}

afterEach(() => {
  fs.fsyncSync = fsyncSync
  fs.fsync = fsync
  syncBuiltinESMExports()
})

it("syncs each commit to the disk, and a checkpoint with its files", async () => {
  const folder = await mkdtemp(join(tmpdir(), "svc-durable-"))
  try {
    const path = join(folder, "data")
    await (await makeDatabase(path)).close()
    const database = await openDurable(path)
    await database.exec("create table kept (value int)")
    const syncs = countSyncs()
    for (let value = 0; value < 20; value++) await database.query("insert into kept values ($1)", [value])
    expect(syncs()).toBeGreaterThanOrEqual(20)
    const before = syncs()
    await database.query("select * from kept")
    expect(syncs()).toBe(before)
    await database.exec("checkpoint")
    expect(syncs()).toBeGreaterThan(before + 5)
    await database.close()
    const closed = syncs()
    await syncFolder(path)
    expect(syncs()).toBeGreaterThan(closed + 500)
    const again = await openDurable(path)
    expect((await again.query("select count(*)::int as count from kept")).rows).toEqual([{ count: 20 }])
    await again.close()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

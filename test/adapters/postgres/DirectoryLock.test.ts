import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { lockDirectory } from "../../../adapters/postgres/engine/DirectoryLock.ts"

let directory = ""
const processes: Array<() => Promise<void>> = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-lock-"))
})

afterEach(async () => {
  for (const kill of processes.splice(0)) await kill()
  await rm(directory, { recursive: true, force: true })
})

/** Starts a process that locks the directory. Returns its first line of output. */
const takeBy = (runtime: string): Promise<{ readonly said: string; readonly kill: () => Promise<void> }> =>
  new Promise((resolve, reject) => {
    const child = spawn(join("node_modules/.bin", runtime), ["test/support/holdDirectory.ts", directory], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const ended = new Promise<void>((done) => child.once("exit", () => done()))
    const kill = () => {
      child.kill("SIGKILL")
      return ended
    }
    processes.push(kill)
    child.once("error", reject)
    child.stdout.once("data", (line: Buffer) => resolve({ said: line.toString().trim(), kill }))
  })

describe("a data directory", () => {
  for (const holder of ["node", "bun"]) {
    for (const other of ["node", "bun"]) {
      it(`held by ${holder} cannot be opened by ${other}, and is free once the holder was killed`, async () => {
        const first = await takeBy(holder)
        expect(first.said).toBe("taken")
        const second = await takeBy(other)
        expect(second.said).toBe(`The data directory ${directory} is in use by another process`)
        await first.kill()
        expect((await takeBy(other)).said).toBe("taken")
      })
    }
  }

  it("cannot be opened twice in one process, and is free after the scope closes", async () => {
    const twice = Effect.scoped(
      Effect.andThen(lockDirectory(directory), Effect.exit(Effect.scoped(lockDirectory(directory))))
    )
    const exit = await Effect.runPromise(twice)
    expect(Exit.isFailure(exit)).toBe(true)
    await Effect.runPromise(Effect.scoped(lockDirectory(directory)))
  })
})

/**
 * Tests the embedded database in a directory: it runs in a separate thread from the one that handles calls, and ends with its
 * scope.
 *
 * @module
 */
import { PGlite } from "@electric-sql/pglite"
import { it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { spawnSync } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { inspect } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, vi } from "vitest"
import { engine, limitLog, vacuumTables } from "../../../adapters/postgres/engine/Embedded.ts"
import { type PgliteSession, quietSessionOf, sessionOf } from "../../../adapters/postgres/engine/Pglite.ts"
import { connect } from "../../../adapters/postgres/engine/PgliteStream.ts"
import { freshFolder } from "../../support/serverProcess.ts"
import { smallDisk } from "../../support/smallDisk.ts"

const folder = Effect.acquireRelease(Effect.promise(freshFolder), ({ remove }) => Effect.promise(remove))

it.live(
  "lets other work run during a long statement",
  () =>
    Effect.gen(function* () {
      const { path } = yield* folder
      const ticks = yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`select 1`
        let count = 0
        const timer = setInterval(() => count++, 1)
        yield* sql`select count(md5(n::text)) from generate_series(1, 200000) as n`
        clearInterval(timer)
        return count
      }).pipe(Effect.provide(engine(path)))
      expect(ticks).toBeGreaterThan(5)
    }).pipe(Effect.scoped),
  60_000
)

it.live(
  "keeps what was committed when its scope closes, and can be opened again",
  () =>
    Effect.gen(function* () {
      const { path } = yield* folder
      const large = "x".repeat(1_000_000)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`create table kept (text text)`
        yield* sql`insert into kept values (${large})`
      }).pipe(Effect.provide(engine(path)))
      const rows = yield* Effect.flatMap(
        SqlClient,
        (sql) => sql<{ text: string }>`select text from kept`
      ).pipe(Effect.provide(engine(path)))
      expect(rows).toEqual([{ text: large }])
    }).pipe(Effect.scoped),
  60_000
)

it("gives each reply at once, of statements that were sent together", async () => {
  const message = (type: string, text: string): Buffer => {
    const bytes = Buffer.alloc(5 + text.length)
    bytes.write(type)
    bytes.writeUInt32BE(4 + text.length, 1)
    bytes.write(text, 5)
    return bytes
  }
  const startup = Buffer.from([0, 0, 0, 8, 0, 3, 0, 0])
  const [short, long] = ["short", "long"].map((text) =>
    Buffer.concat([message("P", text), message("B", ""), message("S", "")])
  )
  const asked: Array<Uint8Array> = []
  const answers: Array<(bytes: Uint8Array) => void> = []
  const session: PgliteSession = {
    reset: () => Promise.resolve(),
    send: (bytes) => {
      asked.push(bytes)
      return new Promise((resolve) => answers.push(resolve))
    },
    close: () => Promise.resolve()
  }
  const stream = connect(session)
  const read: Array<string> = []
  stream.on("data", (bytes: Buffer) => read.push(bytes.toString()))
  stream.write(startup)
  stream.write(Buffer.concat([short!, long!, message("Q", "select 1"), message("P", "no end")]))
  await vi.waitFor(() => expect(asked).toEqual([startup]))
  answers[0]!(Buffer.from("begun"))
  await vi.waitFor(() =>
    expect(asked.slice(1)).toEqual([short, long, message("Q", "select 1"), message("P", "no end")])
  )
  answers[1]!(Buffer.from("first"))
  await vi.waitFor(() => expect(read).toEqual(["begun", "first"]))
  answers[2]!(Buffer.from("second"))
  await vi.waitFor(() => expect(read).toEqual(["begun", "first", "second"]))
})

it.live(
  "vacuums a table at a time, with other statements between, and keeps the write-ahead log short",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`create table kept (value int, text text)`
      yield* sql`insert into kept select n, repeat(md5(n::text), 50) from generate_series(1, 2000) as n`
      yield* sql`update kept set value = 0`
      const dead = Effect.andThen(
        sql`do 'begin perform pg_stat_force_next_flush(); end'`,
        sql<{ dead: string }>`select n_dead_tup::int as dead from pg_stat_user_tables`
      )
      expect(yield* dead).toEqual([{ dead: 2_000 }])
      const vacuum = yield* Effect.forkChild(vacuumTables)
      let between = 0
      while (vacuum.pollUnsafe() === undefined) {
        yield* sql`select 1`
        between++
      }
      yield* Fiber.join(vacuum)
      expect(between).toBeGreaterThan(10)
      expect(yield* dead).toEqual([{ dead: 0 }])

      const start = sql<{ redo_lsn: string }>`select redo_lsn::text from pg_control_checkpoint()`
      const first = yield* start
      yield* limitLog(2 ** 30)
      expect(yield* start).toEqual(first)
      yield* limitLog(1_000_000)
      const second = yield* start
      expect(second).not.toEqual(first)
      yield* limitLog(1_000_000)
      expect(yield* start).toEqual(second)
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(folder, ({ path }) => engine(path)))), Effect.scoped),
  60_000
)

it.skipIf(process.platform !== "linux")(
  "makes a database with at most twice the memory of one that is open",
  async () => {
    const { path, remove } = await freshFolder()
    const program = join(path, "make.mjs")
    const module = new URL("../../../adapters/postgres/engine/Pglite.ts", import.meta.url)
    await writeFile(
      program,
      `import { readFileSync } from "node:fs"
      import { openThread } from ${JSON.stringify(module)}
      const database = await openThread(${JSON.stringify(join(path, "data"))})
      await database.close()
      console.log(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1])`
    )
    const made = spawnSync(process.execPath, [program], { encoding: "utf8" })
    await remove()
    expect(made.stderr).toBe("")
    // PGlite's own way of creating it takes 610,000 KB.
    expect(Number(made.stdout)).toBeLessThan(400_000)
  },
  60_000
)

it("opens one database in a thread that was started early, which keeps no process alive", async () => {
  const { path, remove } = await freshFolder()
  const program = join(path, "open.mjs")
  const module = new URL("../../../adapters/postgres/engine/Pglite.ts", import.meta.url)
  await writeFile(
    program,
    `import { openThread, startEarly } from ${JSON.stringify(module)}
    const directory = ${JSON.stringify(join(path, "data"))}
    startEarly(process.argv[3] === "open" ? directory : null)
    for (let left = Number(process.argv[2]); left > 0; left--) {
      const database = await openThread(directory)
      await database.close()
      console.log("opened")
    }`
  )
  // The second database is created and then opened by the early thread, and by its own thread.
  const cases = [
    [0, "compile"],
    [1, "compile"],
    [2, "compile"],
    [0, "open"],
    [2, "open"]
  ] as const
  const runs = cases.map(([opens, early]) =>
    spawnSync(process.execPath, [program, String(opens), early], { encoding: "utf8", timeout: 60_000 })
  )
  await remove()
  expect(runs.map(({ status, stderr, stdout }) => [status, stdout, stderr])).toEqual(
    cases.map(([opens]) => [0, "opened\n".repeat(opens), ""])
  )
}, 60_000)

it.live.each([
  ["of a server", sessionOf],
  ["in memory", quietSessionOf]
] as const)(
  "keeps no reply of a database %s once it is delivered",
  ([, open]) =>
    Effect.promise(async () => {
      setFlagsFromString("--expose-gc")
      const collect = runInNewContext("gc") as () => void
      const session = open(await PGlite.create())
      const text = Buffer.from("select repeat('x', 200) from generate_series(1, 20)\0")
      const query = Buffer.alloc(5 + text.length)
      query.write("Q")
      query.writeInt32BE(4 + text.length, 1)
      text.copy(query, 5)
      const heldAfter = async (count: number) => {
        let last = new Uint8Array()
        for (let index = 0; index < count; index++) last = Buffer.from(await session.send(query))
        expect(Buffer.from(last).toString("latin1").split("x".repeat(200))).toHaveLength(21)
        collect()
        return process.memoryUsage().heapUsed
      }
      const before = await heldAfter(50)
      // The replies have 4.6 MB; as objects, they would take 7 MB.
      expect((await heldAfter(1_000)) - before).toBeLessThan(2_000_000)
      await session.close()
    }),
  120_000
)

it.live(
  "is opened again after a disk without room for its log, with what was committed",
  ({ skip }) =>
    Effect.gen(function* () {
      const disk = smallDisk(160)
      if (typeof disk === "string") return skip(disk)
      yield* Effect.addFinalizer(() => Effect.sync(disk.remove))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient
        const keep = (value: number) => Effect.exit(sql`insert into kept values (${value})`)
        yield* sql`create table kept (value int)`
        expect(Exit.isSuccess(yield* keep(1))).toBe(true)
        disk.fill()
        const log = Effect.exit(sql`select pg_logical_emit_message(true, '', repeat('x', 1000000))::text`)
        for (let megabyte = 0; Exit.isSuccess(yield* log); megabyte++) expect(megabyte).toBeLessThan(100)
        const refused = yield* keep(2)
        expect(inspect(refused, { depth: 20 })).toContain("No space left on device")
        // Opening it needs no room, or is retried.
        yield* Effect.sleep("1100 millis")
        yield* keep(2)
        disk.free()
        while (Exit.isFailure(yield* keep(3))) yield* Effect.sleep("100 millis")
        const rows = yield* sql<{ readonly value: number }>`select value from kept order by 1`
        expect(rows.map(({ value }) => value).filter((value) => value !== 2)).toEqual([1, 3])
      }).pipe(Effect.provide(engine(join(disk.folder, "data"))))
    }).pipe(Effect.scoped),
  60_000
)

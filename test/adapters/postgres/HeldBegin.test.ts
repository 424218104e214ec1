import { Cause, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { createServer, connect, type AddressInfo } from "node:net"
import { Duplex } from "node:stream"
import { describe, expect, it } from "vitest"
import { holdBegin } from "../../../adapters/postgres/connection/HeldBegin.ts"
import { engine } from "../../../adapters/postgres/engine/Server.ts"
import { layer as transactionLayer } from "../../../adapters/postgres/Transaction.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { emptyDatabase } from "../../support/postgres.ts"

const message = (type: string, body = ""): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + body.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body, "latin1")])
}

const parse = message("P", "\0BEGIN\0\0\0")
const bind = message("B", "\0\0\0\0\0\0\0\0")
const execute = message("E", "\0\0\0\0\0")
const begin = Buffer.concat([parse, bind, message("D", "P\0"), execute, message("S")])
const statement = Buffer.concat([message("B", "\0s1\0\0\0\0\0\0\0"), execute, message("S")])
const beginReplies = [message("1"), message("2"), message("C", "BEGIN\0")]
const statementReplies = [message("2"), message("C", "SELECT 1\0"), message("Z", "T")]

/** A connection that holds BEGIN back, with what was sent on it, and what its driver received after the reply to BEGIN. */
const connection = async () => {
  const sent: Array<Buffer> = []
  const stream = holdBegin(
    new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        sent.push(chunk)
        done()
      }
    })
  )
  const received: Array<Buffer> = []
  stream.on("data", (chunk: Buffer) => received.push(chunk))
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))
  stream.write(begin)
  await turn()
  const reply = Buffer.concat(received.splice(0))
  stream.write(statement)
  return {
    stream,
    sent,
    reply,
    receive: async (chunks: ReadonlyArray<Buffer>) => {
      for (const chunk of chunks) stream.push(chunk)
      await turn()
      return Buffer.concat(received.splice(0))
    }
  }
}

/** Splits bytes at positions. */
const cut = (bytes: Buffer, places: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const at = [0, ...places.map((place) => place % bytes.length).toSorted((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

describe("a connection that holds BEGIN", () => {
  it("replies at once, and sends it with the next statement as one request", async () => {
    const { reply, sent } = await connection()
    expect(sent).toEqual([Buffer.concat([parse, bind, execute, statement])])
    expect(reply).toEqual(
      Buffer.concat([message("1"), message("2"), message("n"), message("C", "BEGIN\0"), message("Z", "T")])
    )
  })

  it("passes on all but the replies to BEGIN, however they are cut", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.array(fc.tuple(fc.nat(3), fc.constantFrom("N", "A", "S")), { maxLength: 3 }),
        async (places, others) => {
          const first = [...beginReplies]
          const passed: Array<Buffer> = []
          for (const [at, type] of others.toSorted(([one], [other]) => other - one)) {
            const other = message(type, `${type}${at}\0`)
            first.splice(at, 0, other)
            passed.unshift(other)
          }
          const { receive } = await connection()
          const bytes = Buffer.concat([...first, ...statementReplies])
          expect(await receive(cut(bytes, places))).toEqual(Buffer.concat([...passed, ...statementReplies]))
        }
      ),
      { numRuns: 200 }
    ))

  it("passes on the error of BEGIN as that of the statement, which the server skips", async () => {
    const failure = [message("E", "SFATAL\0\0"), message("Z", "I")]
    for (const replies of [failure, [message("1"), ...failure], [message("1"), message("2"), ...failure]]) {
      const { receive } = await connection()
      expect(await receive(replies)).toEqual(Buffer.concat(failure))
      expect(await receive(statementReplies)).toEqual(Buffer.concat(statementReplies))
    }
  })
})

describe("a transaction on a server", () => {
  /** Runs an effect through a proxy that records what the server is sent, packet by packet. */
  const watched = async <A, E>(
    use: (packets: ReadonlyArray<Buffer>) => Effect.Effect<A, E, Transaction | SqlClient>
  ): Promise<Exit.Exit<A, E>> => {
    const packets: Array<Buffer> = []
    const target = new URL(await emptyDatabase())
    const { hostname, port } = target
    const proxy = createServer((client) => {
      const server = connect(Number(port), hostname)
      client.on("data", (chunk: Buffer) => {
        packets.push(chunk)
        server.write(chunk)
      })
      server.pipe(client)
      client.on("close", () => server.destroy())
      client.on("error", () => server.destroy())
      server.on("error", () => client.destroy())
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    target.port = String((proxy.address() as AddressInfo).port)
    const services = transactionLayer(false).pipe(Layer.provideMerge(engine(Redacted.make(target.href))))
    const exit = await Effect.runPromise(
      Effect.exit(Effect.provide(use(packets), services as Layer.Layer<Transaction | SqlClient>))
    )
    proxy.close()
    return exit
  }

  it("begins with its first statement, commits, and rolls back what fails", async () => {
    const exit = await watched((packets) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { run } = yield* Transaction
        yield* sql`create table held (n int primary key)`
        const insert = (n: number) => sql`insert into held values (${n})`
        yield* run(insert(1))
        yield* run(insert(2))
        yield* run(Effect.andThen(insert(3), Effect.fail("refused"))).pipe(Effect.ignore)
        yield* run(insert(1)).pipe(Effect.ignore)
        yield* run(Effect.void)
        // A connection interrupted in its first statement is used again by others.
        const slow = yield* Effect.forkChild(run(sql`insert into held select 4 from pg_sleep(60)`))
        yield* Effect.sleep("100 millis")
        yield* Fiber.interrupt(slow)
        yield* run(insert(5))
        const begun = packets.filter((packet) => packet.includes("BEGIN"))
        expect(begun).toHaveLength(7)
        for (const packet of begun) expect(packet.length).toBeGreaterThan(begin.length)
        return yield* sql<{ n: number }>`select n from held order by n`
      })
    )
    if (Exit.isFailure(exit)) throw new Error(Cause.pretty(exit.cause))
    expect(exit.value.map(({ n }) => n)).toEqual([1, 2, 5])
  })
})

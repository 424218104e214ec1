import { type Answer, encode } from "dns-packet"
import * as fc from "fast-check"
import { execFile } from "node:child_process"
import { createSocket } from "node:dgram"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { encodeTxtQuery, queryTxt, readTxtReply } from "../../../adapters/dns/TxtQuery.ts"
import { type DnsServer, startDnsServer } from "../../support/dnsServer.ts"

const name = "svc1r-0123456789._domainkey.example.com"
const limits = { rounds: 2, serverMillis: 600, allMillis: 3000 }
const query = encodeTxtQuery(4711, name, true)

const replyOf = (answers: ReadonlyArray<Answer>, flags = 0, id = 4711, asked = name): Buffer =>
  encode({ type: "response", id, flags, questions: [{ name: asked, type: "TXT" }], answers: [...answers] })

const textOf = (...strings: ReadonlyArray<string>): Answer => ({
  name,
  type: "TXT",
  ttl: 1,
  data: [...strings]
})

describe("readTxtReply", () => {
  it("joins the strings of each record, beside records of other types", () => {
    const string = fc.string({ unit: "grapheme", maxLength: 60 }).filter((text) => text.isWellFormed())
    fc.assert(
      fc.property(
        fc.array(fc.array(string, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 }),
        (records) => {
          const alias: Answer = { name, type: "CNAME", ttl: 1, data: "elsewhere.example" }
          const reply = replyOf([alias, ...records.map((strings) => textOf(...strings))])
          expect(readTxtReply(reply, query)).toEqual({
            _tag: "Records",
            records: records.map((strings) => strings.join(""))
          })
        }
      )
    )
  })

  it("rejects the reply to another query", () => {
    const tagOf = (reply: Buffer) => readTxtReply(reply, query)._tag
    expect(tagOf(replyOf([textOf("a")]))).toBe("Records")
    expect(tagOf(replyOf([textOf("a")], 0, 4711, name.toUpperCase()))).toBe("Records")
    expect(tagOf(replyOf([textOf("a")], 0, 4712))).toBe("Malformed")
    expect(tagOf(replyOf([textOf("a")], 0, 4711, "example.com"))).toBe("Malformed")
    expect(tagOf(query)).toBe("Malformed")
    expect(tagOf(replyOf([textOf("a")], 0x0200))).toBe("Truncated")
    expect(readTxtReply(replyOf([], 3), query)).toEqual({ _tag: "Failed", code: "ENOTFOUND" })
    expect(readTxtReply(replyOf([]), query)).toEqual({ _tag: "Failed", code: "ENODATA" })
    expect(readTxtReply(replyOf([], 2), query)).toEqual({ _tag: "Failed", code: "ESERVFAIL" })
    expect(readTxtReply(replyOf([], 14), query)).toEqual({ _tag: "Failed", code: "ESERVFAIL" })
  })

  it("accepts any bytes", () => {
    const whole = replyOf([textOf("v=DKIM1; p=abc", "def"), textOf("x".repeat(255), "y")])
    for (let length = 0; length < whole.length; length++) {
      expect(readTxtReply(whole.subarray(0, length), query)._tag).toBe("Malformed")
    }
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 })), { maxLength: 8 }),
        (changes) => {
          const changed = Buffer.from(whole)
          for (const [at, byte] of changes) changed[at] = byte
          expect(readTxtReply(changed, query)._tag).toMatch(/^(Records|Failed|Truncated|Malformed)$/)
        }
      ),
      { numRuns: 2000 }
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const reply = Buffer.concat([whole.subarray(0, query.length - 11), bytes])
        expect(readTxtReply(Buffer.from(bytes), query)._tag).toBe("Malformed")
        expect(readTxtReply(reply, query)._tag).toMatch(/^(Records|Failed|Truncated|Malformed)$/)
      }),
      { numRuns: 2000 }
    )
  })
})

describe("a hostile reply", () => {
  it("of thousands of names behind long chains of pointers is read in bounded time", () => {
    const head = replyOf([])
    const chain = Buffer.alloc(2 * 8000)
    const first = head.length + 11
    for (let at = 0; at < 8000; at++) {
      chain.writeUInt16BE(0xc000 | (at === 0 ? 12 : first + 2 * (at - 1)), 2 * at)
    }
    const fields = (type: number, length: number) => {
      const bytes = Buffer.alloc(10)
      bytes.writeUInt16BE(type, 0)
      bytes.writeUInt16BE(1, 2)
      bytes.writeUInt16BE(length, 8)
      return bytes
    }
    const last = Buffer.alloc(2)
    last.writeUInt16BE(0xc000 | (first + 2 * 7999), 0)
    const names = Array.from({ length: 3500 }, () => Buffer.concat([last, fields(16, 0)]))
    const reply = Buffer.concat([head, Buffer.from([0]), fields(99, chain.length), chain, ...names])
    for (const count of [400, 3501]) {
      reply.writeUInt16BE(count, 6)
      const start = process.cpuUsage()
      expect(readTxtReply(reply, query)._tag).toMatch(/^(Records|Failed|Malformed)$/)
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000)
    }
  })

  it("whose authority and additional records are malformed is read by its answers", () => {
    const reply = Buffer.concat([replyOf([textOf("a")]), Buffer.from([0, 0, 41, 255])])
    reply.writeUInt16BE(9, 8)
    reply.writeUInt16BE(9, 10)
    expect(readTxtReply(reply, query)).toEqual({ _tag: "Records", records: ["a"] })
  })
})

describe("queryTxt", () => {
  let server: DnsServer
  const texts = ["v=DKIM1; k=rsa; p=".padEnd(412, "A"), "short", "ü".repeat(100)]
  beforeAll(async () => {
    server = await startDnsServer({
      [name]: { TXT: texts },
      "alias.example": { CNAME: name },
      "bare.example": { A: ["192.0.2.1"] }
    })
  })
  afterAll(() => server.stop())

  const ask = (asked: string, servers = [server.address]) => queryTxt(servers, asked, limits)
  const codeOf = (asked: string, servers?: Array<string>) =>
    ask(asked, servers).then(
      () => null,
      (error: { readonly code: string }) => error.code
    )

  it("keeps records whole, also over TCP and behind an alias", async () => {
    expect(await ask(name)).toEqual(texts)
    expect(await ask("alias.example")).toEqual(texts)
    server.fail(name, "truncated")
    expect(await ask(name)).toEqual(texts)
    expect(server.questions()).toContain(`tcp TXT ${name}`)
    server.fail(name, null)
  })

  it("rejects with the code of a missing name and of a failure", async () => {
    expect(await codeOf("none.example")).toBe("ENOTFOUND")
    expect(await codeOf("bare.example")).toBe("ENODATA")
    for (const [failure, code] of [
      ["servfail", "ESERVFAIL"],
      ["refused", "EREFUSED"],
      ["timeout", "ETIMEOUT"]
    ] as const) {
      server.fail(name, failure)
      expect(await codeOf(name)).toBe(code)
    }
    server.fail(name, null)
  })

  it("continues with the next server, and stops at its time limit", async () => {
    const silent = createSocket("udp4")
    await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve))
    const address = `127.0.0.1:${silent.address().port}`
    expect(await ask(name, [address, server.address])).toEqual(texts)
    expect(await ask(name, ["127.0.0.1:1", server.address])).toEqual(texts)
    const start = performance.now()
    expect(
      await codeOf(
        name,
        Array.from({ length: 50 }, () => address)
      )
    ).toBe("ETIMEOUT")
    expect(performance.now() - start).toBeLessThan(10_000)
    await new Promise<void>((resolve) => silent.close(() => resolve()))
  })

  it("returns the same on Bun", async () => {
    const root = join(import.meta.dirname, "../../..")
    server.fail("alias.example", "truncated")
    const script = `
      import { queryTxt } from "./adapters/dns/TxtQuery.ts"
      const ask = (name) => queryTxt([${JSON.stringify(server.address)}], name, ${JSON.stringify(limits)})
        .catch((error) => error.code)
      console.log(JSON.stringify([await ask("${name}"), await ask("alias.example"), await ask("none.example")]))`
    const bun = join(root, "node_modules/.bin/bun")
    const { stdout } = await promisify(execFile)(bun, ["--eval", script], { cwd: root })
    server.fail("alias.example", null)
    expect(JSON.parse(stdout)).toEqual([texts, texts, "ENOTFOUND"])
  })
})

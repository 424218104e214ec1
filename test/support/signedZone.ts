/**
 * A test's own DNS root, signed with its own keys (RFC 4034, algorithm 13), and Unbound as the validating resolver.
 *
 * @module
 */
import { type Answer, decode, encode } from "dns-packet"
import * as dnsPacket from "dns-packet"
import { spawn } from "node:child_process"
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { createSocket } from "node:dgram"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { secureDnsContractZone } from "../contract/index.ts"
import { freePort } from "./freePort.ts"

const unbound = "/usr/sbin/unbound"

/** Why Unbound cannot run here; null if it can. */
export const withoutUnbound = (): string | null => (existsSync(unbound) ? null : "Unbound is not installed.")

const types = { A: 1, NS: 2, CNAME: 5, SOA: 6, MX: 15, AAAA: 28, NSEC: 47, DNSKEY: 48, TLSA: 52 } as const
type SignedType = keyof typeof types

/** The records of a name, in the format of dns-packet. */
export type SignedRecords = Partial<Record<SignedType, ReadonlyArray<unknown>>>

/** The state of a name's signatures. `new` is made with the next key of a key rollover; `stripped` means that there are none. */
export type Signing = "good" | "new" | "wrong" | "stripped"

const ttl = 60
const algorithm = 13

const wireName = (name: string): Buffer =>
  Buffer.concat([
    ...name
      .split(".")
      .filter((label) => label !== "")
      .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")])),
    Buffer.from([0])
  ])

interface Key {
  readonly privateKey: KeyObject
  readonly tag: number
  readonly data: { readonly flags: number; readonly algorithm: number; readonly key: Buffer }
}

/** An encoder that the package's types omit: it encodes the data of a record type, preceded by its length. */
const { record } = dnsPacket as unknown as {
  readonly record: (type: string) => { readonly encode: (data: unknown) => Buffer }
}

const rdataOf = (type: SignedType, data: unknown): Buffer => record(type).encode(data)

const makeKey = (flags: number): Key => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  // The point of the key without the byte that marks it as uncompressed (RFC 6605, 4).
  const key = publicKey.export({ type: "spki", format: "der" }).subarray(-64)
  const data = { flags, algorithm, key }
  const rdata = rdataOf("DNSKEY", data).subarray(2)
  let sum = 0
  for (const [index, byte] of rdata.entries()) sum += index % 2 === 0 ? byte << 8 : byte
  return { privateKey, tag: (sum + ((sum >> 16) & 0xffff)) & 0xffff, data }
}

/** A running resolver over a signed root. */
export interface ValidatingResolver {
  /** In the format of `SVC_DNS_SERVERS`. */
  readonly address: string
  readonly stop: () => Promise<void>
}

/**
 * Starts Unbound over a root with those names. Names under `insecure` are provably unsigned.
 *
 * @param signing the state of names' signatures; `good` by default
 */
export const startValidatingResolver = async (
  names: Readonly<Record<string, SignedRecords>>,
  signing: Readonly<Record<string, Signing>>,
  insecure: string
): Promise<ValidatingResolver> => {
  const trusted = makeKey(257)
  const [present, next] = [makeKey(256), makeKey(256)]
  const zone = new Map<string, SignedRecords>([
    ...Object.entries(names),
    [
      "",
      {
        SOA: [{ mname: "ns.", rname: "root.", serial: 1, refresh: 60, retry: 60, expire: 60, minimum: ttl }],
        NS: ["ns"],
        DNSKEY: [trusted.data, present.data, next.data]
      }
    ],
    ["ns", { A: ["127.0.0.1"] }]
  ])
  const now = Math.floor(Date.now() / 1000)

  const signed = (name: string, type: SignedType, values: ReadonlyArray<unknown>): ReadonlyArray<Answer> => {
    const answers = values.map((data) => ({ name: name || ".", type, ttl, class: "IN", data }) as Answer)
    const how = signing[name] ?? "good"
    if (name === insecure || name.endsWith(`.${insecure}`) || how === "stripped") return answers
    const key = type === "DNSKEY" ? trusted : how === "new" ? next : present
    const labels = name === "" ? 0 : name.split(".").length
    const head = Buffer.alloc(18)
    head.writeUInt16BE(types[type], 0)
    head.writeUInt8(algorithm, 2)
    head.writeUInt8(labels, 3)
    head.writeUInt32BE(ttl, 4)
    head.writeUInt32BE(now + 86_400, 8)
    head.writeUInt32BE(now - 86_400, 12)
    head.writeUInt16BE(key.tag, 16)
    const owner = Buffer.alloc(8)
    owner.writeUInt16BE(types[type], 0)
    owner.writeUInt16BE(1, 2)
    owner.writeUInt32BE(ttl, 4)
    const rdata = values
      .map((data) => rdataOf(type, data))
      .toSorted((one, other) => Buffer.compare(one.subarray(2), other.subarray(2)))
    const content = Buffer.concat([
      head,
      wireName(""),
      ...rdata.map((data) => Buffer.concat([wireName(name), owner, data]))
    ])
    const signature = sign("sha256", content, { key: key.privateKey, dsaEncoding: "ieee-p1363" })
    if (how === "wrong") signature[0]! ^= 1
    return [
      ...answers,
      {
        name: name || ".",
        type: "RRSIG",
        ttl,
        class: "IN",
        data: {
          typeCovered: type,
          algorithm,
          labels,
          originalTTL: ttl,
          expiration: now + 86_400,
          inception: now - 86_400,
          keyTag: key.tag,
          signersName: ".",
          signature
        }
      } as unknown as Answer
    ]
  }

  const answersOf = (name: string, type: SignedType): ReadonlyArray<Answer> => {
    const of = zone.get(name) ?? {}
    const [alias] = of.CNAME ?? []
    if (typeof alias === "string" && type !== "CNAME")
      return [...signed(name, "CNAME", [alias]), ...answersOf(alias, type)]
    const values = of[type] ?? []
    return values.length === 0 ? [] : signed(name, type, values)
  }

  /** Proves that a name has no records of a type, without revealing other names (RFC 4470). */
  const denial = (name: string): ReadonlyArray<Answer> => [
    ...signed("", "SOA", zone.get("")!.SOA!),
    ...signed(name, "NSEC", [
      {
        nextDomain: `\u0000.${name}`,
        rrtypes: ["RRSIG", "NSEC", ...Object.keys(zone.get(name) ?? {})]
      }
    ])
  ]

  const server = createSocket("udp4")
  server.on("message", (message, from) => {
    const query = decode(message)
    const [question] = query.questions ?? []
    if (question === undefined) return
    const name = question.name.toLowerCase().replace(/\.$/, "")
    const answers = answersOf(name, question.type as SignedType)
    const last = answers.findLast(({ type }) => type === "CNAME")
    const end = last === undefined ? name : String((last as { readonly data: unknown }).data)
    const isMissing = !answers.some(({ type }) => type === question.type)
    server.send(
      encode({
        type: "response",
        id: query.id ?? 0,
        flags: 0x0400,
        questions: [question],
        answers: [...answers],
        authorities: isMissing ? [...denial(end)] : [],
        additionals: [
          {
            type: "OPT",
            name: ".",
            udpPayloadSize: 4096,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0x8000,
            flag_do: true,
            options: []
          }
        ]
      }),
      from.port,
      from.address
    )
  })
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", () => resolve()))

  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), "svc-unbound-"))
  const file = join(folder, "unbound.conf")
  await writeFile(
    file,
    `server:
  interface: 127.0.0.1@${port}
  do-daemonize: no
  username: ""
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  do-not-query-localhost: no
  qname-minimisation: no
  local-zone: "test." nodefault
  num-threads: 1
  module-config: "validator iterator"
  trust-anchor: ". DNSKEY 257 3 13 ${trusted.data.key.toString("base64")}"
  domain-insecure: "${insecure}"
remote-control:
  control-enable: no
stub-zone:
  name: "."
  stub-addr: 127.0.0.1@${server.address().port}
`
  )
  const run = spawn(unbound, ["-c", file], { stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  const ended = new Promise<void>((resolve) => run.once("close", () => resolve()))
  await new Promise<void>((resolve, reject) => {
    run.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("start of service")) resolve()
    })
    run.once("close", () => reject(new Error(`Unbound ended: ${said}`)))
  })
  return {
    address: `127.0.0.1:${port}`,
    stop: async () => {
      run.kill()
      await ended
      server.close()
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Starts Unbound over the zone of the `SecureDns` contract. */
export const startContractResolver = (): Promise<ValidatingResolver> =>
  startValidatingResolver(
    Object.fromEntries(
      Object.entries(secureDnsContractZone).map(([name, of]): [string, SignedRecords] => [
        name,
        {
          ...("mx" in of ? { MX: [{ preference: 10, exchange: of.mx }] } : {}),
          ...("address" in of ? { A: [of.address] } : {}),
          ...("alias" in of ? { CNAME: [of.alias] } : {}),
          ...("tlsa" in of
            ? {
                TLSA: of.tlsa.map(({ data, matching, selector, usage }) => ({
                  usage,
                  selector,
                  matchingType: matching,
                  certificate: Buffer.from(data, "hex")
                }))
              }
            : {})
        }
      ])
    ),
    { "bogus.test": "wrong", "stripped.test": "stripped" },
    "insecure.test"
  )

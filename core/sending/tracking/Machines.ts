/**
 * Classifies the user agent and the address of a visitor by a list of programs. Each lookup takes a few microseconds: user
 * agents are cut and compared with fixed texts, and addresses are looked up by prefix.
 *
 * @module
 */
import { Result } from "effect"
import type { AgentClass, VisitKind } from "../../model/Visit.ts"
import { type IpAddress, formatIp, parseIp, parseRange } from "../../shared/Network.ts"
import {
  type AgentEntry,
  machineList,
  type MachineList,
  type NetworkEntry,
  type NetworkPurpose,
  networkPurposes
} from "./machineList.ts"

/** The maximum number of characters that are read of a user agent. */
export const maxUserAgent = 1000
/** The maximum number of entries in an operator's own file. Every visit is compared with each user agent. */
export const maxOwnAgents = 100
export const maxOwnNetworks = 10_000
const maxText = 200
const minText = 3

/** The classification of visitors by a list. */
export interface Machines {
  readonly classify: (userAgent: string | null, at: number) => AgentClass
  /** Whether the list has the address or network with that purpose, for that kind of visit. */
  readonly isIn: (purpose: NetworkPurpose, kind: VisitKind, network: string) => boolean
}

/** Matches `bot`, but not Cubot, a telephone maker. */
const bot = /(?<!cu)bot\b/
const chromium = /\bchrome\/(\d{1,4})/
const browsers = ["chrome/", "firefox/", "safari/", "edg/", "opr/", "crios/", "fxios/", "trident/"]

/** A Chromium release, with the average time until the next one (chromiumdash.appspot.com/schedule). */
const release = { major: 143, at: Date.UTC(2025, 11, 2), every: 31 * 86_400_000 }
/** A browser this many major versions behind the latest counts as old. */
const oldAfter = 5

const majorOf = (agent: string): number | null => {
  const [, major] = chromium.exec(agent) ?? []
  return major === undefined ? null : Number(major)
}

const isOld = (agent: string, at: number): boolean => {
  const major = majorOf(agent)
  return major !== null && major <= release.major + Math.floor((at - release.at) / release.every) - oldAfter
}

/**
 * Whether the user agent is a browser on Chromium 80 or later, which sends `Sec-Fetch-Mode` over https (W3C Fetch Metadata).
 */
export const sendsFetchMode = (userAgent: string | null): boolean =>
  (majorOf((userAgent ?? "").slice(0, maxUserAgent).toLowerCase()) ?? 0) >= 80

const toBits = (address: IpAddress): bigint =>
  address.reduce((bits, group) => (bits << 16n) | BigInt(group), 0n)

/** Groups ranges by the length of their prefix. */
const makeRanges = (entries: ReadonlyArray<NetworkEntry>): ((address: IpAddress) => boolean) => {
  const byLength = new Map<bigint, Set<bigint>>()
  for (const { network } of entries) {
    const range = parseRange(network)
    if (range === null) continue
    const rest = BigInt(128 - range.bits)
    const prefixes = byLength.get(rest) ?? new Set()
    byLength.set(rest, prefixes.add(toBits(range.address) >> rest))
  }
  return (address) => {
    const bits = toBits(address)
    for (const [rest, prefixes] of byLength) if (prefixes.has(bits >> rest)) return true
    return false
  }
}

/** Prepares the list, with the operator's own entries. */
export const makeMachines = (own: MachineList = { userAgents: [], networks: [] }): Machines => {
  const userAgents = [...machineList.userAgents, ...own.userAgents]
  const textsOf = (isStart: boolean) =>
    userAgents.filter((entry) => entry.isStart === isStart).map(({ text }) => text.toLowerCase())
  const [starts, parts] = [textsOf(true), textsOf(false)]
  const all = [...machineList.networks, ...own.networks]
  const ranges = new Map(
    networkPurposes.flatMap((purpose) =>
      (["Open", "Click"] as const).map((kind) => [
        `${purpose} ${kind}`,
        makeRanges(all.filter((entry) => entry.purpose === purpose && entry.on.includes(kind)))
      ])
    )
  )
  return {
    classify: (userAgent, at) => {
      const given = (userAgent ?? "").slice(0, maxUserAgent)
      const agent = given.toLowerCase()
      if (agent.trim() === "") return "None"
      if (given === "Mozilla/5.0") return "AppleProxy"
      if (agent.includes("googleimageproxy")) return "GoogleProxy"
      if (agent.includes("yahoomailproxy")) return "YahooProxy"
      if (starts.some((text) => agent.startsWith(text)) || parts.some((text) => agent.includes(text)))
        return "Machine"
      if (bot.test(agent)) return "Machine"
      if (!browsers.some((name) => agent.includes(name))) return "Other"
      return isOld(agent, at) ? "OldBrowser" : "Browser"
    },
    isIn: (purpose, kind, network) => {
      const address = parseIp(network.split("/", 1)[0]!)
      return address !== null && ranges.get(`${purpose} ${kind}`)!(address)
    }
  }
}

/** The /24 network of an IPv4 address, or the /48 of an IPv6 address; null for an invalid address. */
export const networkOf = (address: string): string | null => {
  const parsed = parseIp(address)
  if (parsed === null) return null
  const text = formatIp(parsed)
  if (!text.includes(":")) return `${text.slice(0, text.lastIndexOf("."))}.0/24`
  return `${formatIp([...parsed.slice(0, 3), 0, 0, 0, 0, 0])}/48`
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown, most: number): ReadonlyArray<unknown> | null =>
  value === undefined ? [] : Array.isArray(value) && value.length <= most ? value : null

const readAgent = (value: unknown): AgentEntry | null => {
  if (!isRecord(value)) return null
  const { isStart = false, source = "", text } = value
  return typeof text === "string" &&
    text.trim().length >= minText &&
    text.length <= maxText &&
    typeof isStart === "boolean" &&
    typeof source === "string"
    ? { text, isStart, source }
    : null
}

const readNetwork = (value: unknown): NetworkEntry | null => {
  if (!isRecord(value)) return null
  const { network, on = ["Open", "Click"], purpose, source = "" } = value
  return typeof network === "string" &&
    parseRange(network) !== null &&
    networkPurposes.some((known) => known === purpose) &&
    Array.isArray(on) &&
    on.length > 0 &&
    on.every((kind) => kind === "Open" || kind === "Click") &&
    typeof source === "string"
    ? { network, purpose: purpose as NetworkPurpose, on: on as ReadonlyArray<VisitKind>, source }
    : null
}

/** Parses an operator's own file. Fails with a message about the first invalid part. */
export const parseMachineFile = (text: string): Result.Result<MachineList, string> => {
  const parsed = Result.try(() => JSON.parse(text) as unknown)
  if (Result.isFailure(parsed)) return Result.fail("it must be JSON")
  const file = parsed.success
  if (!isRecord(file)) return Result.fail("it must be a JSON object")
  const unknown = Object.keys(file).find((name) => name !== "userAgents" && name !== "networks")
  if (unknown !== undefined) return Result.fail("it may hold userAgents and networks only")
  const agents = listOf(file["userAgents"], maxOwnAgents)
  if (agents === null) return Result.fail(`userAgents must be a list of at most ${maxOwnAgents} entries`)
  const ranges = listOf(file["networks"], maxOwnNetworks)
  if (ranges === null) return Result.fail(`networks must be a list of at most ${maxOwnNetworks} entries`)
  const userAgents: Array<AgentEntry> = []
  for (const [index, value] of agents.entries()) {
    const entry = readAgent(value)
    if (entry === null)
      return Result.fail(
        `userAgents[${index}] must have a text of ${minText} to ${maxText} characters, and may have isStart (true or false) and source`
      )
    userAgents.push(entry)
  }
  const networks: Array<NetworkEntry> = []
  for (const [index, value] of ranges.entries()) {
    const entry = readNetwork(value)
    if (entry === null)
      return Result.fail(
        `networks[${index}] must have a network (an address or CIDR range) and a purpose (${networkPurposes.join(", ")}), and may have on (a list of Open and Click) and source`
      )
    networks.push(entry)
  }
  return Result.succeed({ userAgents, networks })
}

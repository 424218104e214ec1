/**
 * What follows an accepted message in a simulated internet: reports of its server, and visits by people and programs.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Embedded } from "../../runtimes/embedded/index.ts"
import type { Random } from "../contract/fixtures.ts"
import { isUnknown, type Server } from "./servers.ts"

/** A message that a server has accepted. */
export interface Accepted {
  readonly server: Server
  readonly recipient: string
  readonly returnPath: string
  readonly raw: string
}

const minute = 60_000

const fixtureOf = (name: string, recipient: string): string =>
  readFileSync(join(import.meta.dirname, `../fixtures/reports/${name}.eml`), "utf8").replaceAll(
    "jane@example.net",
    recipient
  )

/** Reports about unknown addresses, some in unusual formats. */
const unknownReports = [
  "postfix-user-unknown",
  "qmail-remote",
  "exim-text-unknown",
  "domino-text",
  "status-only"
]
/** Reports that suppress no one. */
const otherReports = ["postfix-delayed", "vacation", "out-of-office-quoting-a-failure", "arf-not-spam"]

/** Whether an address complains, and whether a later report says that its server rejected the message by policy. */
export const complains = (recipient: string): boolean => /^p\d*5@/.test(recipient)
export const isRefusedLater = (recipient: string): boolean => /^p\d*1@/.test(recipient)

/** Whether a person reads the mail of an address; otherwise a program does. */
export const isPerson = (recipient: string): boolean => /^p\d*[02468]@/.test(recipient)

const person = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
  "accept-language": "en",
  "x-forwarded-for": "203.0.113.9"
}
/** A program that identifies itself like a browser and follows every link at once. */
const scanner = { ...person, "x-forwarded-for": "198.51.100.7" }

const decoded = (raw: string): string =>
  raw
    .replaceAll(/=\r?\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))

/** The links of a tracked message, and its pixel. */
const urlsOf = (raw: string, baseUrl: string) => {
  const html = decoded(raw)
  const within = (pattern: RegExp) =>
    [...html.matchAll(pattern)].map(([, url]) => url!).filter((url) => url.startsWith(baseUrl))
  return { links: within(/href="([^"]+)"/g), pixels: within(/(?:url\('|<img src=")([^'"]+)/g) }
}

/** Something that will happen, and when, in milliseconds of the clock. */
interface Event {
  readonly at: number
  readonly run: (service: Embedded) => Promise<unknown>
}

/** Plans what follows messages. */
export class Visitors {
  readonly #random: Random
  #events: Array<Event> = []
  /** The reports that the service did not accept. */
  readonly refused: Array<string> = []

  constructor(random: Random) {
    this.#random = random
  }

  #plan(at: number, run: Event["run"]): void {
    this.#events.push({ at, run })
  }

  #report(at: number, returnPath: string, raw: string): void {
    this.#plan(at, async (service) => {
      if (!(await service.report(returnPath, raw))) this.refused.push(returnPath)
    })
  }

  /** Records that a message was accepted at a time. */
  accepted({ raw, recipient, returnPath, server }: Accepted, now: number): void {
    const { below, pick } = this.#random
    const later = () => now + (20 + below(600)) * minute
    if (server.kind === "reporter") {
      const report = (name: string) => this.#report(later(), returnPath, fixtureOf(name, recipient))
      if (isUnknown(recipient)) {
        // Twice, and the second time late.
        const name = pick(unknownReports)
        report(name)
        report(name)
      } else if (isRefusedLater(recipient)) report("postfix-blocklist")
      else if (complains(recipient)) report("arf-abuse")
      else report(pick(otherReports))
      // A message that is not a report.
      if (below(4) === 0)
        this.#report(later(), returnPath, "Content-Type: multipart/report\r\n\r\n".repeat(50))
    }
    if (server.kind === "reader") {
      const at = later()
      if (isPerson(recipient)) {
        this.#visit(at, raw, ({ pixels }) => pixels.slice(0, 1), person)
        this.#visit(at + minute, raw, ({ links }) => links.slice(0, 1), person)
      } else this.#visit(at, raw, ({ links, pixels }) => [...pixels, ...links], scanner)
    }
  }

  #visit(
    at: number,
    raw: string,
    choose: (urls: ReturnType<typeof urlsOf>) => ReadonlyArray<string>,
    headers: Readonly<Record<string, string>>
  ): void {
    this.#plan(at, async (service) => {
      for (const url of choose(urlsOf(raw, service.baseUrl)))
        await service.fetch(new Request(url, { headers, redirect: "manual" }))
    })
  }

  /** When the next event is due; null if there is none. */
  next(): number | null {
    return this.#events.length === 0 ? null : Math.min(...this.#events.map(({ at }) => at))
  }

  /** Executes the events that are due. */
  async run(service: Embedded): Promise<void> {
    const now = service.now()
    const due = this.#events.filter(({ at }) => at <= now).toSorted((one, other) => one.at - other.at)
    this.#events = this.#events.filter(({ at }) => at > now)
    for (const event of due) await event.run(service)
  }
}

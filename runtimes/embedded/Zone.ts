/**
 * A DNS zone in memory, with the records of domains that a test published.
 *
 * @module
 */
import { Effect } from "effect"
import type { Dns, MxRecord } from "../../core/ports/Dns.ts"

/** A record as the management API returns it. */
export interface ShownRecord {
  readonly type: string
  readonly name: string
  readonly value: string
}

interface Records {
  readonly txt: ReadonlyArray<string>
  readonly mx: ReadonlyArray<MxRecord>
}

/** The exchanger and preference in a value such as `10 mail.example.com`. */
const exchangerOf = (value: string): MxRecord => {
  const [, preference = "10", exchange = value] = /^(\d+) +([^ ].*)$/.exec(value) ?? []
  return { preference: Number(preference), exchange }
}

/** Makes a zone. Names that were not published are looked up in `others`. */
export const makeZone = (others: Dns["Service"]) => {
  const published = new Map<string, Records>()
  const recordsOf = (name: string) => published.get(name.toLowerCase())
  const dns: Dns["Service"] = {
    ...others,
    txt: (name) => {
      const found = recordsOf(name)?.txt ?? []
      return found.length > 0 ? Effect.succeed(found) : others.txt(name)
    },
    mx: (name) => {
      const found = recordsOf(name)?.mx ?? []
      return found.length > 0 ? Effect.succeed(found) : others.mx(name)
    }
  }
  return {
    dns,
    /** Publishes the records of a domain. They replace those that their names had. */
    publish: (records: ReadonlyArray<ShownRecord>): void => {
      for (const [name, ofName] of Map.groupBy(records, (record) => record.name.toLowerCase())) {
        const values = (type: string) =>
          ofName.filter((record) => record.type === type).map(({ value }) => value)
        published.set(name, { txt: values("TXT"), mx: values("MX").map(exchangerOf) })
      }
    }
  }
}

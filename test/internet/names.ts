/**
 * The name servers of a simulated internet, with the records of sending domains and of its mail servers.
 *
 * @module
 */
import { Effect } from "effect"
import { Dns, DnsMissing, DnsUnavailable } from "../../core/ports/Dns.ts"
import type { Domain } from "../support/liveDomain.ts"
import { type Server, serverFor } from "./servers.ts"

/** The number of names of a server with many names. */
const names = 500

/** Makes the name servers. `at` is the time since the beginning of the simulation, in milliseconds. */
export const makeNames = (servers: ReadonlyMap<string, Server>, at: () => number) => {
  const records: Array<Domain["records"][number]> = []
  const valuesOf = (type: string, name: string) =>
    records.filter((record) => record.type === type && record.name === name).map(({ value }) => value)
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  const found = <Value>(name: string, values: ReadonlyArray<Value>) =>
    values.length > 0 ? Effect.succeed(values) : missing(name)
  const preferred = (exchanges: ReadonlyArray<string>) =>
    Effect.succeed(exchanges.map((exchange) => ({ preference: 10, exchange })))

  const exchangersOf = (server: Server, name: string): ReturnType<Dns["Service"]["mx"]> => {
    switch (server.kind) {
      case "noName":
        return server.isTroubled(at())
          ? Effect.fail(new DnsUnavailable({ name, reason: "servfail" }))
          : preferred([`mx.${name}`])
      case "nullMx":
        return preferred([""])
      case "loop":
        return preferred(["svc.test"])
      case "manyNames":
        return preferred(Array.from({ length: names }, (_, index) => `mx${index}.${name}`))
      default:
        return preferred([`mx.${name}`])
    }
  }
  const policyOf = (name: string) => {
    const server = servers.get(name.replace("_mta-sts.", ""))
    return name.startsWith("_mta-sts.") && server?.kind === "sts" ? ["v=STSv1; id=1;"] : []
  }
  const serverOf = (host: string) =>
    serverFor(servers, host) ?? serverFor(servers, host.replace(/^mx\d*\./, ""))

  return {
    publish: (domain: Domain) => records.push(...domain.records),
    dns: Dns.of({
      txt: (name) => Effect.suspend(() => found(name, [...valuesOf("TXT", name), ...policyOf(name)])),
      mx: (name) =>
        Effect.suspend(() => {
          const server = serverFor(servers, name)
          return server === undefined
            ? found(
                name,
                valuesOf("MX", name).map((value) => ({ preference: 10, exchange: value.split(" ").at(-1)! }))
              )
            : exchangersOf(server, name)
        }),
      addresses: (name) =>
        Effect.suspend(() => {
          const server = serverOf(name)
          return server === undefined ? missing(name) : Effect.succeed([server.site])
        })
    })
  }
}

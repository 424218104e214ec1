/**
 * Implements the Dns port with the resolver that Node and Bun share (c-ares), except for TXT records, which Bun returns wrongly.
 *
 * @module
 */
import { Cache, Effect, Exit, Layer } from "effect"
import { Resolver } from "node:dns/promises"
import { isIP } from "node:net"
import { Dns, DnsMissing, DnsUnavailable, type MxRecord } from "../../core/ports/Dns.ts"
import { queryTxt } from "./TxtQuery.ts"

/** The name servers to use. */
export interface Options {
  /** `address`, `address:port` or `[address]:port`; empty for the machine's own name servers. */
  readonly servers: ReadonlyArray<string>
}

/** The time limit for one server, in milliseconds. It is doubled in the second round. */
const serverMillis = 2000

const rounds = 2

/** The time limit of a look-up, in milliseconds, for any number of servers. */
const lookUpMillis = 9500

/** How long a result is cached. The time is short, so that a corrected zone is soon seen; name servers cache too. */
const cachedFor = "30 seconds"

const maxCached = 10_000

/** The codes for a name without such a record. Resolvers differ in which of the two they use. */
const missingCodes: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"])

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "failed"

/** Converts a code: `ESERVFAIL` becomes `servfail`. */
const reasonOf = (code: string): string =>
  code === "ETIMEOUT" ? "timeout" : code.toLowerCase().replace(/^e/, "")

const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, "")

/** Whether a query can contain a name: it is not empty, and its labels and length are within RFC 1035, 2.3.4. */
const isQueryable = (name: string): boolean =>
  name.length <= 253 &&
  /^[\x21-\x7e]+$/.test(name) &&
  name.split(".").every((label) => label !== "" && label.length <= 63)

type LookUp<A> = Effect.Effect<A, DnsMissing | DnsUnavailable>

const lookUp = <A>(name: string, ask: () => Promise<A>): LookUp<A> =>
  Effect.callback<A, DnsMissing | DnsUnavailable>((resume) => {
    const end = (result: LookUp<A>) => {
      clearTimeout(timer)
      resume(result)
    }
    const timer = setTimeout(
      () => end(Effect.fail(new DnsUnavailable({ name, reason: "timeout" }))),
      lookUpMillis
    )
    ask().then(
      (value) => end(Effect.succeed(value)),
      (cause: unknown) => {
        const code = codeOf(cause)
        const missing = missingCodes.has(code)
        end(
          Effect.fail(
            missing ? new DnsMissing({ name }) : new DnsUnavailable({ name, reason: reasonOf(code) })
          )
        )
      }
    )
    return Effect.sync(() => clearTimeout(timer))
  })

const orMissing = <A>(name: string, found: LookUp<ReadonlyArray<A>>): LookUp<ReadonlyArray<A>> =>
  Effect.flatMap(found, (records) =>
    records.length === 0 ? Effect.fail(new DnsMissing({ name })) : Effect.succeed(records)
  )

/** Looks up names at the given servers. Results are cached for 30 seconds, except missing names and failures. */
export const layer = ({ servers }: Options): Layer.Layer<Dns> =>
  Layer.effect(
    Dns,
    Effect.gen(function* () {
      const resolver = new Resolver({ timeout: serverMillis, tries: rounds })
      if (servers.length > 0) resolver.setServers(servers)

      const cached = <A>(ask: (name: string) => LookUp<A>) =>
        Effect.map(
          Cache.makeWith(
            (name: string) => (isQueryable(name) ? ask(name) : Effect.fail(new DnsMissing({ name }))),
            {
              capacity: maxCached,
              timeToLive: (exit) => (Exit.isSuccess(exit) ? cachedFor : 0)
            }
          ),
          (cache) => (name: string) => Cache.get(cache, canonical(name))
        )

      const txt = yield* cached((name) =>
        orMissing(
          name,
          lookUp(name, () =>
            queryTxt(resolver.getServers(), name, { rounds, serverMillis, allMillis: lookUpMillis })
          )
        )
      )

      const mx = yield* cached((name) =>
        orMissing(
          name,
          lookUp(name, async () =>
            (await resolver.resolveMx(name))
              .map(({ exchange, priority }): MxRecord => ({
                preference: priority,
                exchange: canonical(exchange)
              }))
              .toSorted((a, b) => a.preference - b.preference)
          )
        )
      )

      const addresses = yield* cached((name) =>
        Effect.gen(function* () {
          const families = yield* Effect.all(
            [lookUp(name, () => resolver.resolve4(name)), lookUp(name, () => resolver.resolve6(name))].map(
              Effect.exit
            ),
            { concurrency: "unbounded" }
          )
          const found = families.flatMap((family) => (Exit.isSuccess(family) ? family.value : []))
          if (found.length > 0) return found
          // If no address of one family was found, that proves nothing while the look-up of the other family failed.
          for (const family of families) {
            const error = Exit.findErrorOption(family)
            if (error._tag === "Some" && error.value._tag === "DnsUnavailable") return yield* error.value
          }
          return yield* new DnsMissing({ name })
        })
      )

      const names = yield* cached((address) =>
        isIP(address) === 0
          ? Effect.fail(new DnsMissing({ name: address }))
          : orMissing(
              address,
              lookUp(address, async () => (await resolver.reverse(address)).map(canonical))
            )
      )

      return Dns.of({ txt, mx, addresses, names })
    })
  )

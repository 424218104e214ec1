/**
 * Implements the SecureDns port by querying resolvers that validate. An answer counts as proven if the resolver says so, which
 * is reliable only if the path to the resolver is trusted.
 *
 * @module
 */
import { Cache, Effect, Exit, Layer } from "effect"
import { DnsUnavailable } from "../../core/ports/Dns.ts"
import { type SecureAnswer, SecureDns } from "../../core/ports/SecureDns.ts"
import { isIP } from "node:net"
import { type Answers, querySecurely, TxtQueryFailed } from "./TxtQuery.ts"

/** The resolvers to use. */
export interface SecureOptions {
  /** `address`, `address:port` or `[address]:port`. */
  readonly servers: ReadonlyArray<string>
  /**
   * Whether the resolvers validate. `auto` tests each of them: all must be on this machine, report the root's SOA as authentic,
   * and refuse `bogusName`.
   */
  readonly validates: "auto" | boolean
  /** A name with invalid signatures. */
  readonly bogusName?: string
}

const limits = { rounds: 2, serverMillis: 2_000, allMillis: 9_500 }
const cachedFor = "30 seconds"
const maxCached = 10_000
/** How long the results of the test are kept: that the resolvers validate, and that they do not. */
const provenFor = "1 hour"
const unprovenFor = "1 minute"

const isLoopback = (server: string): boolean => {
  const [, host = server] =
    /^\[?([^\]]+?)\]?(?::\d+)?$/.exec(isIP(server) === 6 ? `[${server}]` : server) ?? []
  return host === "::1" || (isIP(host) === 4 && host.startsWith("127."))
}

const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, "")

const answerOf = (name: string, type: string, { answers, isAuthentic }: Answers): SecureAnswer => {
  const aliases = new Map(
    answers.flatMap((answer) =>
      answer.type === "CNAME" ? [[canonical(answer.name), canonical(answer.data)] as const] : []
    )
  )
  let last = canonical(name)
  for (let hops = 0; hops < aliases.size && aliases.has(last); hops++) last = aliases.get(last)!
  return {
    isAuthentic,
    alias: last === canonical(name) ? null : last,
    exists: answers.some((answer) => answer.type === type),
    tlsa: answers.flatMap((answer) => {
      if (answer.type !== "TLSA") return []
      const { certificate, matchingType, selector, usage } = answer.data
      return [{ usage, selector, matching: matchingType, data: Buffer.from(certificate).toString("hex") }]
    })
  }
}

/** Looks up names at resolvers that validate. If they do not, `validates` is false and no query is made. */
export const layer = ({
  bogusName = "dnssec-failed.org",
  servers,
  validates
}: SecureOptions): Layer.Layer<SecureDns> =>
  Layer.effect(
    SecureDns,
    Effect.gen(function* () {
      const ask = (
        at: ReadonlyArray<string>,
        name: string,
        type: "MX" | "A" | "AAAA" | "CNAME" | "TLSA" | "SOA"
      ) =>
        Effect.tryPromise({
          try: () => querySecurely(at, name, type, limits),
          catch: (error) =>
            new DnsUnavailable({
              name,
              reason: error instanceof TxtQueryFailed ? error.code.toLowerCase().replace(/^e/, "") : "failed"
            })
        })

      const asks = yield* Cache.makeWith(
        (key: string) => {
          const [type, name] = key.split(" ") as ["MX" | "A" | "AAAA" | "CNAME" | "TLSA", string]
          return Effect.map(ask(servers, name, type), (answers) => answerOf(name, type, answers))
        },
        { capacity: maxCached, timeToLive: (exit) => (Exit.isSuccess(exit) ? cachedFor : 0) }
      )

      const proves = (server: string) =>
        Effect.gen(function* () {
          const root = yield* ask([server], ".", "SOA")
          if (!root.isAuthentic) return false
          const bogus = yield* Effect.result(ask([server], bogusName, "A"))
          return bogus._tag === "Failure" && bogus.failure.reason === "servfail"
        }).pipe(Effect.catch(() => Effect.succeed(false)))

      const allProve = Effect.gen(function* () {
        if (servers.length === 0 || !servers.every(isLoopback)) return false
        return (yield* Effect.forEach(servers, proves, { concurrency: "unbounded" })).every((proof) => proof)
      })

      const proof = yield* Cache.makeWith((): typeof allProve => allProve, {
        capacity: 1,
        timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value ? provenFor : unprovenFor)
      })

      return SecureDns.of({
        validates: validates === "auto" ? Cache.get(proof, undefined) : Effect.succeed(validates),
        query: (name, type) => Cache.get(asks, `${type} ${canonical(name)}`)
      })
    })
  )

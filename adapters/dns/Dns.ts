/**
 * The Dns port by the resolver that Node and Bun share (c-ares), but for TXT records, which Bun's tears apart.
 *
 * @module
 */
import { Cache, Effect, Exit, Layer } from "effect"
import { Resolver } from "node:dns/promises"
import { Dns, DnsMissing, DnsUnavailable, type MxRecord } from "../../core/ports/Dns.ts"
import { queryTxt } from "./TxtQuery.ts"

/** How a resolver is made. */
export interface Options {
  /** `address`, `address:port` or `[address]:port`; empty for the machine's own. */
  readonly servers: ReadonlyArray<string>
}

/** How long one server is waited for, milliseconds; the second round waits twice as long. */
const serverMillis = 2000

const rounds = 2

/** A look-up ends after this at the latest, milliseconds, however many servers there are. */
const lookUpMillis = 9500

/** How long an answer is taken as it is. Short: a zone that was put right shall be seen, and the servers cache too. */
const keptFor = "30 seconds"

const maxKept = 10_000

/** What a name server says of a name that has no such record; resolvers differ in which of the two they say. */
const missingCodes: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"])

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "failed"

/** `ESERVFAIL` as `servfail`. */
const reasonOf = (code: string): string =>
  code === "ETIMEOUT" ? "timeout" : code.toLowerCase().replace(/^e/, "")

const canonical = (name: string): string => name.toLowerCase().replace(/\.$/, "")

/** A name that cannot be asked for: empty, or with a label or a length that no message can carry (RFC 1035, 2.3.4). */
const isAskable = (name: string): boolean =>
  name.length <= 253 &&
  /^[\x21-\x7e]+$/.test(name) &&
  name.split(".").every((label) => label !== "" && label.length <= 63)

type Answer<A> = Effect.Effect<A, DnsMissing | DnsUnavailable>

const lookUp = <A>(name: string, ask: () => Promise<A>): Answer<A> =>
  Effect.callback<A, DnsMissing | DnsUnavailable>((resume) => {
    const give = (answer: Answer<A>) => {
      clearTimeout(timer)
      resume(answer)
    }
    const timer = setTimeout(
      () => give(Effect.fail(new DnsUnavailable({ name, reason: "timeout" }))),
      lookUpMillis
    )
    ask().then(
      (value) => give(Effect.succeed(value)),
      (cause: unknown) => {
        const code = codeOf(cause)
        const missing = missingCodes.has(code)
        give(
          Effect.fail(
            missing ? new DnsMissing({ name }) : new DnsUnavailable({ name, reason: reasonOf(code) })
          )
        )
      }
    )
    return Effect.sync(() => clearTimeout(timer))
  })

const orMissing = <A>(name: string, answer: Answer<ReadonlyArray<A>>): Answer<ReadonlyArray<A>> =>
  Effect.flatMap(answer, (found) =>
    found.length === 0 ? Effect.fail(new DnsMissing({ name })) : Effect.succeed(found)
  )

/** Looks names up at the given servers. Answers are kept for 30 seconds; that a name is missing is not kept at all. */
export const layer = ({ servers }: Options): Layer.Layer<Dns> =>
  Layer.effect(
    Dns,
    Effect.gen(function* () {
      const resolver = new Resolver({ timeout: serverMillis, tries: rounds })
      if (servers.length > 0) resolver.setServers(servers)

      const kept = <A>(ask: (name: string) => Answer<A>) =>
        Effect.map(
          Cache.makeWith(
            (name: string) => (isAskable(name) ? ask(name) : Effect.fail(new DnsMissing({ name }))),
            {
              capacity: maxKept,
              timeToLive: (exit) => (Exit.isSuccess(exit) ? keptFor : 0)
            }
          ),
          (cache) => (name: string) => Cache.get(cache, canonical(name))
        )

      const txt = yield* kept((name) =>
        orMissing(
          name,
          lookUp(name, () =>
            queryTxt(resolver.getServers(), name, { rounds, serverMillis, allMillis: lookUpMillis })
          )
        )
      )

      const mx = yield* kept((name) =>
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

      const addresses = yield* kept((name) =>
        Effect.gen(function* () {
          const families = yield* Effect.all(
            [lookUp(name, () => resolver.resolve4(name)), lookUp(name, () => resolver.resolve6(name))].map(
              Effect.exit
            ),
            { concurrency: "unbounded" }
          )
          const found = families.flatMap((family) => (Exit.isSuccess(family) ? family.value : []))
          if (found.length > 0) return found
          // One family that is missing says nothing while the other could not be asked for.
          for (const family of families) {
            const error = Exit.findErrorOption(family)
            if (error._tag === "Some" && error.value._tag === "DnsUnavailable") return yield* error.value
          }
          return yield* new DnsMissing({ name })
        })
      )

      return Dns.of({ txt, mx, addresses })
    })
  )

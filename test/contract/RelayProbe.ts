/**
 * The contract of `core/ports/RelayProbe`: the steps of a check, and how it reports what failed.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type ProbedRelay, RelayProbe } from "../../core/ports/RelayProbe.ts"

/** A relay on 127.0.0.1. */
export interface ProbedServer {
  readonly port: number
  readonly messages: () => ReadonlyArray<unknown>
  readonly stop: () => Promise<void>
}

/** The environment of the suite. */
export interface RelayProbeEnvironment {
  /** The probe with a guard that permits every address, and the one with the rules of production. */
  readonly open: Layer.Layer<RelayProbe>
  readonly guarded: Layer.Layer<RelayProbe>
  /** Starts a relay that requires the given login. Unless `plain`, it offers STARTTLS with its own certificate. */
  readonly start: (
    login: { readonly user: string; readonly pass: string },
    tls: "plain" | "startTls" | "implicit"
  ) => Promise<ProbedServer>
}

const login = { user: "user", pass: "right-password" }

/**
 * Registers the tests of the port `RelayProbe`.
 *
 * @param name the adapter's name
 */
export const relayProbeContract = (name: string, { guarded, open, start }: RelayProbeEnvironment): void => {
  const relay = (port: number, values: Partial<ProbedRelay> = {}): ProbedRelay => ({
    host: "127.0.0.1",
    port,
    tls: "Offered",
    verify: false,
    credentials: login,
    pool: 1,
    isGuarded: false,
    ...values
  })
  const check = (given: ProbedRelay, by = open) =>
    Effect.provide(
      Effect.flatMap(RelayProbe, (probe) => probe.check(given)),
      by
    )
  const server = (tls: "plain" | "startTls" | "implicit") =>
    Effect.acquireRelease(
      Effect.promise(() => start(login, tls)),
      (one) => Effect.promise(() => one.stop())
    )
  const shown = (steps: ReadonlyArray<{ readonly step: string; readonly ok: boolean }>) =>
    steps.map(({ ok, step }) => `${step} ${ok}`)

  describe(`RelayProbe: ${name}`, () => {
    it.live("connects, encrypts and authenticates, and sends nothing", () =>
      Effect.gen(function* () {
        const plain = yield* server("plain")
        expect(shown(yield* check(relay(plain.port)))).toEqual(["Connect true", "Authenticate true"])
        expect(shown(yield* check(relay(plain.port, { isGuarded: true })))).toEqual([
          "Connect true",
          "Authenticate true"
        ])
        const upgraded = yield* server("startTls")
        expect(shown(yield* check(relay(upgraded.port, { tls: "Required" })))).toEqual([
          "Connect true",
          "Tls true",
          "Authenticate true"
        ])
        const implicit = yield* server("implicit")
        const steps = yield* check(relay(implicit.port, { tls: "Implicit" }))
        expect(shown(steps)).toEqual(["Connect true", "Tls true", "Authenticate true"])
        for (const { ms } of steps) expect(ms).toBeGreaterThanOrEqual(0)
        expect([...plain.messages(), ...upgraded.messages(), ...implicit.messages()]).toEqual([])
      })
    )

    it.live("tells the step that failed, with the words of the server and without the password", () =>
      Effect.gen(function* () {
        const plain = yield* server("plain")
        const rejected = yield* check(
          relay(plain.port, { credentials: { user: "user", pass: "wrong-password" } })
        )
        expect(shown(rejected)).toEqual(["Connect true", "Authenticate false"])
        expect(rejected[1]!.words).toMatch(/^535/)
        expect(JSON.stringify(rejected)).not.toContain("password")
        expect(shown(yield* check(relay(plain.port, { tls: "Required" })))).toEqual([
          "Connect true",
          "Tls false"
        ])
        const upgraded = yield* server("startTls")
        expect(shown(yield* check(relay(upgraded.port, { tls: "Required", verify: true })))).toEqual([
          "Connect true",
          "Tls false"
        ])
        yield* Effect.promise(() => plain.stop())
        expect(shown(yield* check(relay(plain.port)))).toEqual(["Connect false"])
      })
    )

    it.live("connects to no address that is not public, where a tenant chose it", () =>
      Effect.gen(function* () {
        const plain = yield* server("plain")
        expect(yield* check(relay(plain.port, { isGuarded: true }), guarded)).toMatchObject([
          { step: "Connect", ok: false, words: "address_refused" }
        ])
        expect(shown(yield* check(relay(plain.port), guarded))).toEqual(["Connect true", "Authenticate true"])
      })
    )
  })
}

/**
 * The contract of `core/ports/AddressGuard`: the hosts to which the service may connect.
 *
 * @module
 */
import { describe, expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AddressGuard } from "../../core/ports/AddressGuard.ts"

/** The environment of the suite. */
export interface AddressGuardEnvironment {
  /** The guard with the rules of production: public addresses. */
  readonly guarded: Layer.Layer<AddressGuard>
  /** The guard without rules, which permits every address. */
  readonly open: Layer.Layer<AddressGuard>
  /** Names with an address that is not public, alone or together with public ones. */
  readonly privateNames: ReadonlyArray<string>
  /** A name with only public addresses, and these addresses. */
  readonly publicName: { readonly name: string; readonly addresses: ReadonlyArray<string> }
  /** A name that does not exist. */
  readonly unknownName: string
}

/**
 * Registers the tests of the port `AddressGuard`.
 *
 * @param name the adapter's name
 */
export const addressGuardContract = (
  name: string,
  { guarded, open, privateNames, publicName, unknownName }: AddressGuardEnvironment
): void => {
  describe(`AddressGuard: ${name}`, () => {
    layer(guarded, { excludeTestServices: true })("with the rules of production", (test) => {
      test.effect("permits hosts all of whose addresses are public", () =>
        Effect.gen(function* () {
          const guard = yield* AddressGuard
          expect(guard.isOpen).toBe(false)
          expect(guard.accepts(publicName.name)).toBe(true)
          expect([...(yield* guard.addresses(publicName.name))].toSorted()).toEqual(
            publicName.addresses.toSorted()
          )
          expect(guard.accepts("1.1.1.1")).toBe(true)
          expect(yield* guard.addresses("1.1.1.1")).toEqual(["1.1.1.1"])
          for (const host of [
            "127.0.0.1",
            "10.0.0.1",
            "169.254.169.254",
            "::1",
            "::ffff:127.0.0.1",
            "fd00::1"
          ]) {
            expect([host, guard.accepts(host)]).toEqual([host, false])
            expect(yield* Effect.flip(guard.addresses(host))).toMatchObject({ reason: "address_refused" })
          }
          for (const host of ["localhost", "mail", "mail.internal", "mail.local"]) {
            expect([host, guard.accepts(host)]).toEqual([host, false])
          }
          for (const host of privateNames) {
            expect(yield* Effect.flip(guard.addresses(host))).toMatchObject({ reason: "address_refused" })
          }
          expect(yield* Effect.flip(guard.addresses(unknownName))).toMatchObject({ reason: "name_unknown" })
        })
      )
    })

    layer(open, { excludeTestServices: true })("while every address is permitted", (test) => {
      test.effect("permits addresses of this machine", () =>
        Effect.gen(function* () {
          const guard = yield* AddressGuard
          expect(guard.isOpen).toBe(true)
          expect(guard.accepts("localhost")).toBe(true)
          expect(yield* guard.addresses("127.0.0.1")).toEqual(["127.0.0.1"])
          expect(yield* guard.addresses("localhost")).not.toEqual([])
          for (const host of privateNames) expect(yield* guard.addresses(host)).not.toEqual([])
        })
      )
    })
  })
}

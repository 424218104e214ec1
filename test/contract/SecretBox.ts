/**
 * The contract of `core/ports/SecretBox`: a sealed secret can be opened only unchanged, for its purpose, and with the secret key
 * of its installation.
 *
 * @module
 */
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { SecretBox } from "../../core/ports/SecretBox.ts"

/** The environment of the suite. */
export interface SecretBoxEnvironment {
  readonly box: Layer.Layer<SecretBox>
  /** The same adapter, with the secret key of another installation. */
  readonly otherBox: Layer.Layer<SecretBox>
}

/**
 * Registers the tests of the port `SecretBox`.
 *
 * @param name the adapter's name
 */
export const secretBoxContract = (name: string, { box, otherBox }: SecretBoxEnvironment): void =>
  layer(box, { excludeTestServices: true })(`SecretBox: ${name}`, (it) => {
    const opened = (secrets: SecretBox["Service"], sealed: string, purpose: string) =>
      Effect.match(secrets.open(sealed, purpose), {
        onSuccess: (text) => text,
        onFailure: (error) => error._tag
      })

    it.effect("opens what was sealed for the same purpose only, and never seals alike", () =>
      Effect.gen(function* () {
        const secrets = yield* SecretBox
        const property = fc.asyncProperty(
          fc.string({ unit: "grapheme" }),
          fc.string(),
          fc.string(),
          (text, purpose, otherPurpose) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const sealed = yield* secrets.seal(text, purpose)
                expect(yield* opened(secrets, sealed, purpose)).toBe(text)
                if (otherPurpose !== purpose)
                  expect(yield* opened(secrets, sealed, otherPurpose)).toBe("CannotOpen")
                expect(yield* secrets.seal(text, purpose)).not.toBe(sealed)
                if (text.length > 8) expect(sealed).not.toContain(text)
              })
            )
        )
        yield* Effect.promise(() => fc.assert(property))
      })
    )

    it.effect("opens nothing that was sealed with another secret key", () =>
      Effect.gen(function* () {
        const secrets = yield* SecretBox
        const other = yield* Effect.provide(SecretBox, otherBox, { local: true })
        expect(yield* opened(other, yield* secrets.seal("secret", "p"), "p")).toBe("CannotOpen")
        expect(yield* opened(secrets, yield* other.seal("secret", "p"), "p")).toBe("CannotOpen")
      })
    )

    it.effect("seals nothing again that its own key has sealed, and nothing that another has", () =>
      Effect.gen(function* () {
        const secrets = yield* SecretBox
        const other = yield* Effect.provide(SecretBox, otherBox, { local: true })
        expect(yield* secrets.reseal(yield* secrets.seal("secret", "p"), "p")).toBeNull()
        const foreign = yield* other.seal("secret", "p")
        expect((yield* Effect.flip(secrets.reseal(foreign, "p")))._tag).toBe("CannotOpen")
      })
    )

    it.effect("opens nothing that was cut off or made up, and never another text", () =>
      Effect.gen(function* () {
        const secrets = yield* SecretBox
        const sealed = yield* secrets.seal("a secret", "p")
        for (let index = 0; index < sealed.length; index++) {
          expect(yield* opened(secrets, sealed.slice(0, index), "p")).toBe("CannotOpen")
          const changed = `${sealed.slice(0, index)}${sealed[index] === "A" ? "B" : "A"}${sealed.slice(index + 1)}`
          // Some bits of an encoding's last character may carry no information.
          expect(["CannotOpen", "a secret"]).toContain(yield* opened(secrets, changed, "p"))
        }
        const property = fc.asyncProperty(fc.string(), async (text) => {
          expect(await Effect.runPromise(opened(secrets, text, "p"))).toBe("CannotOpen")
        })
        yield* Effect.promise(() => fc.assert(property))
      })
    )
  })

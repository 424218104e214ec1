import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as LocalSecretBox from "../../../adapters/crypto/SecretBox.ts"
import { randomSecretKey, secretKeyOf, secretKeyOfDirectory } from "../../../adapters/crypto/SecretKey.ts"
import { SecretBox } from "../../../core/ports/SecretBox.ts"

const box = Effect.runSync(Effect.provide(SecretBox, LocalSecretBox.layer(randomSecretKey())))
const seal = (text: string, purpose = "p") => Effect.runSync(box.seal(text, purpose))
const opened = (sealed: string, purpose = "p") =>
  Effect.runSync(
    Effect.match(box.open(sealed, purpose), { onSuccess: (text) => text, onFailure: (error) => error._tag })
  )

describe("SecretBox", () => {
  it("opens nothing that was changed in any character, cut off, or made up", () => {
    const sealed = seal("a secret")
    for (let index = 0; index < sealed.length; index++) {
      const turned = sealed[index] === "A" ? "B" : "A"
      const changed = sealed.slice(0, index) + turned + sealed.slice(index + 1)
      const decoded = (text: string) => Buffer.from(text.slice(3), "base64url").toString("hex")
      // Some bits of the last base64 character may be unused.
      if (index >= 3 && decoded(changed) === decoded(sealed)) continue
      expect(opened(changed)).toBe("CannotOpen")
      expect(opened(sealed.slice(0, index))).toBe("CannotOpen")
    }
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String().map((text) => `v1.${text}`)
        ),
        (text) => {
          expect(opened(text)).toBe("CannotOpen")
        }
      )
    )
  })
})

describe("the secret key", () => {
  it("is decoded from hex or base64, and derived from any other string", async () => {
    const bytes = Buffer.from(randomSecretKey())
    for (const text of [
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
      bytes.toString("base64"),
      bytes.toString("base64url")
    ]) {
      expect(Buffer.from(await secretKeyOf(text))).toEqual(bytes)
    }
    const phrase = "a phrase of well over thirty-two characters"
    const derived = Buffer.from(await secretKeyOf(phrase))
    expect(derived).toHaveLength(32)
    expect(Buffer.from(await secretKeyOf(phrase))).toEqual(derived)
    expect(Buffer.from(await secretKeyOf(`${phrase}.`))).not.toEqual(derived)
  })

  it("of a directory is created once, also by concurrent starts, and readable by its owner only", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svc-secret-"))
    try {
      const directory = join(folder, "data")
      const read = () => Effect.runPromise(secretKeyOfDirectory(directory))
      const keys = await Promise.all(Array.from({ length: 20 }, read))
      expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1)
      expect(await read()).toEqual(keys[0])
      expect(await readdir(directory)).toEqual(["secret.key"])
      const path = join(directory, "secret.key")
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      expect((await readFile(path, "utf8")).trim()).toBe(Buffer.from(keys[0]!).toString("hex"))
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it("of a directory that cannot be created, or whose file has none, is an error that names the file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svc-secret-"))
    try {
      const path = join(folder, "secret.key")
      await writeFile(path, "not a key\n")
      const error = await Effect.runPromise(Effect.flip(secretKeyOfDirectory(folder)))
      expect(error.message).toBe(
        `The secret key file ${path} does not contain a key of 64 hexadecimal digits`
      )
      expect((await readFile(path, "utf8")).trim()).toBe("not a key")
      const inFile = await Effect.runPromise(Effect.flip(secretKeyOfDirectory(path)))
      expect(inFile.message).toContain(join(path, "secret.key"))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

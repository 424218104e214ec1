/**
 * Tests key pairs made on Bun.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { it } from "vitest"
import type { KeyPair } from "../../../core/ports/KeyMaker.ts"
import { expectKeyPair } from "../../contract/KeyMaker.ts"

it("KeyMaker makes the same kinds of keys on Bun", async () => {
  const root = join(import.meta.dirname, "../../..")
  const script = `
    import { Effect } from "effect"
    import { layer } from "./adapters/crypto/KeyMaker.ts"
    import { KeyMaker } from "./core/ports/KeyMaker.ts"
    const make = (algorithm) => Effect.runPromise(Effect.provide(
      Effect.flatMap(KeyMaker, (maker) => maker.make(algorithm)), layer))
    console.log(JSON.stringify([await make("rsa"), await make("ed25519")]))`
  const bun = join(root, "node_modules/.bin/bun")
  const { stdout } = await promisify(execFile)(bun, ["--eval", script], { cwd: root })
  const [rsa, ed25519] = JSON.parse(stdout) as [KeyPair, KeyPair]
  expectKeyPair("rsa", rsa)
  expectKeyPair("ed25519", ed25519)
})

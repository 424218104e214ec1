/**
 * Objects in files: who may read them, and what an interrupted or impossible write leaves.
 *
 * @module
 */
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Files from "../../../adapters/objects/Files.ts"
import { keyOf } from "../../../adapters/objects/ObjectKeys.ts"
import { ObjectStorage } from "../../../core/ports/ObjectStorage.ts"
import { expectFailure, newId } from "../../contract/fixtures.ts"
import { objectStorageContract } from "../../contract/index.ts"
import { draftObject } from "../../contract/ObjectStorage.ts"

const root = mkdtempSync(join(tmpdir(), "svc-objects-"))

layer(Files.layer(join(root, "kept")), { excludeTestServices: true })("files", (it) => {
  objectStorageContract(it)

  describe("a file of an object", () => {
    it.effect("is readable by its user alone, and whole", () =>
      Effect.gen(function* () {
        const storage = yield* ObjectStorage
        const { bytes, name } = draftObject(newId())
        yield* storage.put([{ bytes, name }])
        const path = join(root, "kept", keyOf(name))
        expect(statSync(path).mode & 0o777).toBe(0o600)
        const folder = join(path, "..")
        expect([statSync(folder).mode & 0o777, statSync(join(folder, "..")).mode & 0o777]).toEqual([
          0o700, 0o700
        ])
        expect(readdirSync(folder)).toHaveLength(1)
      })
    )

    it.effect("that is not complete is no object, and is removed as one", () =>
      Effect.gen(function* () {
        const storage = yield* ObjectStorage
        const { bytes, name } = draftObject(newId())
        yield* storage.put([{ bytes, name }])
        const begun = { ...name, id: newId() }
        writeFileSync(join(root, "kept", `${keyOf(begun)}.partial`), "half")
        writeFileSync(join(root, "kept", name.accountId, name.hash.slice(0, 2), "notes.txt"), "not ours")
        expect(yield* storage.get([begun])).toEqual([null])
        expect(yield* storage.list(name.accountId, null, 10)).toEqual([name, begun])
        yield* storage.remove([begun])
        expect(yield* storage.list(name.accountId, null, 10)).toEqual([name])
      })
    )
  })
})

layer(Files.layer(join(root, "file")), { excludeTestServices: true })(
  "a directory that cannot be used",
  (it) => {
    it.effect("is unavailable", () =>
      Effect.gen(function* () {
        writeFileSync(join(root, "file"), "")
        const storage = yield* ObjectStorage
        yield* expectFailure(storage.put([draftObject(newId())]), "Unavailable")
      })
    )
  }
)

/**
 * Tests objects in files: their permissions, and what an interrupted or impossible write leaves.
 *
 * @module
 */
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Files from "../../../adapters/objects/Files.ts"
import { keyOf } from "../../../adapters/objects/ObjectKeys.ts"
import { ObjectStorage } from "../../../core/ports/ObjectStorage.ts"
import { expectFailure, newId } from "../../contract/fixtures.ts"
import { objectStorageContract } from "../../contract/index.ts"
import { draftObject } from "../../contract/ObjectStorage.ts"

const root = mkdtempSync(join(tmpdir(), "svc-objects-"))

const kept = join(root, "kept")

const marked = Effect.orDie(Files.markDirectory(kept, false)).pipe(Effect.as(Files.layer(kept)), Layer.unwrap)

layer(marked, { excludeTestServices: true })("files", (it) => {
  objectStorageContract(it)

  describe("a file of an object", () => {
    it.effect("is readable by its user alone, and whole", () =>
      Effect.gen(function* () {
        const storage = yield* ObjectStorage
        const { bytes, name } = draftObject(newId())
        yield* storage.put([{ bytes, name }])
        const path = join(kept, keyOf(name))
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
        writeFileSync(join(kept, `${keyOf(begun)}.partial`), "half")
        writeFileSync(join(kept, name.accountId, name.hash.slice(0, 2), "notes.txt"), "not ours")
        expect(yield* storage.get([begun])).toEqual([null])
        expect(yield* storage.list(name.accountId, null, 10)).toEqual([name, begun])
        yield* storage.remove([begun])
        expect(yield* storage.list(name.accountId, null, 10)).toEqual([name])
      })
    )
  })
})

const mounted = join(root, "mounted")

layer(Files.layer(mounted), { excludeTestServices: true })("a directory that is not mounted", (it) => {
  it.effect("is unavailable, and nothing is stored in its place", () =>
    Effect.gen(function* () {
      const storage = yield* ObjectStorage
      const object = draftObject(newId())
      yield* expectFailure(storage.put([object]), "Unavailable")
      yield* Files.markDirectory(mounted, false)
      yield* storage.put([object])
      const away = join(root, "away")
      renameSync(mounted, away)
      mkdirSync(mounted)
      yield* expectFailure(storage.put([object]), "Unavailable")
      yield* expectFailure(storage.get([object.name]), "Unavailable")
      yield* expectFailure(storage.remove([object.name]), "Unavailable")
      yield* expectFailure(storage.list(object.name.accountId, null, 10), "Unavailable")
      // A start does not treat it as a new directory either.
      yield* expectFailure(Files.markDirectory(mounted, true), "DirectoryUnmarked")
      expect(readdirSync(mounted)).toEqual([])
      rmdirSync(mounted)
      renameSync(away, mounted)
      yield* Files.markDirectory(mounted, true)
      expect(
        (yield* storage.get([object.name])).map((bytes) => Buffer.from(bytes!).equals(object.bytes))
      ).toEqual([true])
    })
  )

  it.effect("is marked where content is in it that was stored before marks were made", () =>
    Effect.gen(function* () {
      rmSync(join(mounted, ".svc-content"), { force: true })
      const object = draftObject(newId())
      mkdirSync(join(mounted, object.name.accountId), { recursive: true })
      yield* Files.markDirectory(mounted, true)
      yield* (yield* ObjectStorage).put([object])
    })
  )
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

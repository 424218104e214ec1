/**
 * Tests object storage outside a database that used to hold the objects.
 *
 * @module
 */
import { afterAll, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as LocalCrypto from "../../../adapters/crypto/Crypto.ts"
import * as Memory from "../../../adapters/memory/index.ts"
import * as BesideDatabase from "../../../adapters/objects/BesideDatabase.ts"
import * as Files from "../../../adapters/objects/Files.ts"
import * as Postgres from "../../../adapters/postgres/index.ts"
import { imageObject } from "../../../core/model/Image.ts"
import { Crypto } from "../../../core/ports/Crypto.ts"
import { ImageStore } from "../../../core/ports/ImageStore.ts"
import { ObjectStorage } from "../../../core/ports/ObjectStorage.ts"
import { checkContentPlace } from "../../../core/sending/contents/ContentPlace.ts"
import { expectFailure, newId } from "../../contract/fixtures.ts"
import { draftImage } from "../../contract/ImageStore.ts"
import { objectStorageContract } from "../../contract/index.ts"
import { draftObject } from "../../contract/ObjectStorage.ts"

const root = mkdtempSync(join(tmpdir(), "svc-beside-"))
afterAll(() => rmSync(root, { recursive: true }))

const files = Effect.orDie(Files.markDirectory(root, false)).pipe(Effect.as(Files.layer(root)), Layer.unwrap)

/** A database that survives the process, as at a start. */
const database = Layer.merge(Postgres.layerEmbedded(null), LocalCrypto.layer)

layer(database, { excludeTestServices: true })("at a start, what was stored", (it) => {
  it.effect("of images outside is missed where no place outside is configured", () =>
    Effect.gen(function* () {
      const images = yield* ImageStore
      const inDatabase = yield* ObjectStorage
      const put = Effect.fnUntraced(function* (storage: ObjectStorage["Service"]) {
        const accountId = newId()
        const image = draftImage(accountId, { id: newId(), hash: draftObject(accountId).name.hash })
        const name = imageObject(image, (yield* Crypto).sha256Hex)
        yield* storage.put([{ ...draftObject(accountId), name }])
        yield* images.insert(image)
        return image
      })
      expect(yield* checkContentPlace).toBe(false)
      yield* put(inDatabase)
      expect(yield* checkContentPlace).toBe(false)
      const beside = Context.get(yield* Layer.build(BesideDatabase.layer(files)), ObjectStorage)
      const { accountId, id } = yield* put(beside)
      yield* expectFailure(checkContentPlace, "ContentElsewhere")
      expect(yield* Effect.provideService(checkContentPlace, ObjectStorage, beside)).toBe(true)
      yield* images.remove(accountId, id)
      expect(yield* checkContentPlace).toBe(false)
    })
  )
})

/** The database on its own, as it was used before. */
class Before extends Context.Service<Before, ObjectStorage["Service"]>()("test/Before") {}

const inside = Layer.effect(Before, ObjectStorage).pipe(Layer.provideMerge(Memory.layer))

layer(Layer.provideMerge(BesideDatabase.layer(files), inside), { excludeTestServices: true })(
  "files beside a database",
  (it) => {
    objectStorageContract(it)

    it.effect("keep, list and remove what the database has of before", () =>
      Effect.gen(function* () {
        const [before, storage] = [yield* Before, yield* ObjectStorage]
        const accountId = newId()
        const [old, added, gone] = [draftObject(accountId), draftObject(accountId), draftObject(accountId)]
        yield* before.put([old, gone])
        yield* storage.put([added])
        expect(storage.place).toBe("Files")
        expect(yield* before.get([added.name])).toEqual([null])
        const missing = draftObject(accountId).name
        const found = yield* storage.get([old.name, missing, added.name, gone.name])
        expect(found.map((bytes) => bytes && Buffer.from(bytes))).toEqual(
          [old.bytes, null, added.bytes, gone.bytes].map((bytes) => bytes && Buffer.from(bytes))
        )
        const all = [old, added, gone]
          .map(({ name }) => name)
          .toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
        expect(yield* storage.list(accountId, null, 10)).toEqual(all)
        expect(yield* storage.list(accountId, null, 2)).toEqual(all.slice(0, 2))
        expect(yield* storage.list(accountId, all[1]!, 2)).toEqual(all.slice(2))
        yield* storage.remove([gone.name, added.name])
        expect(yield* storage.list(accountId, null, 10)).toEqual([old.name])
      })
    )
  }
)

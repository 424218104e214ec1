/**
 * Checks the object storage: whether content can be written, read and removed.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { isMarked } from "../../../adapters/objects/Files.ts"
import { S3Failed } from "../../../adapters/objects/S3.ts"
import type { ObjectName } from "../../../core/model/Content.ts"
import { ObjectStorage } from "../../../core/ports/ObjectStorage.ts"
import type { Configuration } from "../../config/config.ts"
import { objectStorageLayer } from "../../server/storage.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"

const check = "object storage"

/** An id that no account has. */
const noAccount = "00000000-0000-0000-0000-000000000000"

const tryOut = Effect.gen(function* () {
  const storage = yield* ObjectStorage
  const bytes = new Uint8Array(randomBytes(64))
  const hash = createHash("sha256").update(bytes).digest("hex")
  const name: ObjectName = { accountId: noAccount, hash, id: randomUUID() }
  yield* storage.put([{ name, bytes }])
  const [found] = yield* storage.get([name])
  yield* storage.remove([name])
  return found !== null && found !== undefined && Buffer.compare(found, bytes) === 0
})

const whyOf = (cause: unknown): string => {
  if (cause instanceof S3Failed) return cause.message
  if (!(cause instanceof Error)) return "it does not respond"
  const code = "code" in cause && typeof cause.code === "string" ? ` (${cause.code})` : ""
  return cause.name === "TimeoutError" ? "it does not respond in time" : `it cannot be used${code}`
}

/** A description of where content is stored. */
export const describePlace = (choice: Configuration["objectStorage"]): string =>
  choice._tag === "S3"
    ? `the bucket ${choice.bucket}`
    : choice._tag === "Files"
      ? choice.directory
      : "the database"

const unmarked =
  "This is normal before the first start. Otherwise, mount or restore the directory of SVC_OBJECT_STORAGE"

/** Writes an object, reads it and removes it. */
export const checkObjectStorage = ({ objectStorage }: Configuration): Effect.Effect<Finding> => {
  const layer = objectStorageLayer(objectStorage)
  if (layer === null) return Effect.succeed(ok(check, "not used, because content is stored in the database"))
  const place = describePlace(objectStorage)
  const fix =
    objectStorage._tag === "S3"
      ? "Check SVC_OBJECT_STORAGE and the credentials, which must allow listing the bucket and getting, putting and deleting objects"
      : "Check SVC_OBJECT_STORAGE, and that the service can write to the directory"
  const tried = tryOut.pipe(
    Effect.provide(Layer.fresh(layer)),
    Effect.map((same) =>
      same
        ? ok(check, `an object in ${place} was written, read and deleted`)
        : fail(check, `${place} did not return the object that was written`, fix)
    ),
    Effect.catch(({ cause }) => Effect.succeed(fail(check, `${place}: ${whyOf(cause)}`, fix)))
  )
  if (objectStorage._tag !== "Files") return tried
  return Effect.flatMap(
    Effect.promise(() => isMarked(objectStorage.directory).catch(() => false)),
    (marked) =>
      marked
        ? tried
        : Effect.succeed(warn(check, `${place} contains no content of the service yet`, unmarked))
  )
}

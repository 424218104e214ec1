/**
 * Keeps bytes that may be large: the content of emails. The database itself, a directory of files, or an S3 bucket.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ObjectName, StoredObject } from "../model/Content.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Where objects are kept. */
export type ObjectPlace = "Database" | "Files" | "S3"

/** The port of objects. */
export class ObjectStorage extends Context.Service<
  ObjectStorage,
  {
    /**
     * Where objects are. In the database they are rows of `ContentStore`, which `SubmissionStore.insert` writes in the
     * transaction of what names them; elsewhere they are stored by `put` before.
     */
    readonly place: ObjectPlace
    /**
     * Stores objects. When it returns all of them are durable; when it fails, some of them may be stored. An object that
     * exists stays as it is.
     */
    readonly put: (objects: ReadonlyArray<StoredObject>) => Effect.Effect<void, Unavailable>
    /**
     * The bytes of objects, in order; null where there is none. They are not compared with their hash: who reads them
     * does that.
     */
    readonly get: (
      names: ReadonlyArray<ObjectName>
    ) => Effect.Effect<ReadonlyArray<Uint8Array | null>, Unavailable>
    /** Removes objects; one that does not exist is ignored. Also removes what is left of an interrupted `put`. */
    readonly remove: (names: ReadonlyArray<ObjectName>) => Effect.Effect<void, Unavailable>
    /**
     * The names of an account's objects, by hash and then by id, after `after`, at most `limit`; what interrupted writes
     * left behind included. Fewer than `limit` are the last.
     */
    readonly list: (
      accountId: string,
      after: ObjectName | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ObjectName>, Unavailable>
  }
>()("svc/ports/ObjectStorage") {}

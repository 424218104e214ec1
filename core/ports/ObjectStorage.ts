/**
 * Stores bytes that may be large, such as the content of emails: in the database, in a directory of files, or in an S3 bucket.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ObjectName, StoredObject } from "../model/Content.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Where objects are stored. */
export type ObjectPlace = "Database" | "Files" | "S3"

/** The port of objects. */
export class ObjectStorage extends Context.Service<
  ObjectStorage,
  {
    /**
     * Where objects are stored. In the database they are rows of `ContentStore`, which `SubmissionStore.insert` writes in the
     * transaction of the records that name them. Elsewhere `put` stores them before that transaction.
     */
    readonly place: ObjectPlace
    /**
     * Stores objects. When it succeeds, all of them are durable; when it fails, some may be stored. An object that exists stays
     * unchanged.
     */
    readonly put: (objects: ReadonlyArray<StoredObject>) => Effect.Effect<void, Unavailable>
    /**
     * The bytes of objects, in order; null if there are none. They are not compared with their hash: the reader does that.
     */
    readonly get: (
      names: ReadonlyArray<ObjectName>
    ) => Effect.Effect<ReadonlyArray<Uint8Array | null>, Unavailable>
    /** Removes objects, and what an interrupted `put` left of them. An object that does not exist is ignored. */
    readonly remove: (names: ReadonlyArray<ObjectName>) => Effect.Effect<void, Unavailable>
    /**
     * The names of an account's objects after `after`, by hash and then by id, at most `limit`, including remains of interrupted
     * writes. Fewer than `limit` names mean that there are no more.
     */
    readonly list: (
      accountId: string,
      after: ObjectName | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ObjectName>, Unavailable>
  }
>()("svc/ports/ObjectStorage") {}

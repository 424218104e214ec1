/**
 * Stores the records of uploaded images. Their bytes are objects of `ObjectStorage`.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Image } from "../model/Image.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of images. */
export class ImageStore extends Context.Service<
  ImageStore,
  {
    /** Adds an image; `WriteConflict("images_hash")` if the account has one with equal bytes. */
    readonly insert: (image: Image) => Effect.Effect<void, WriteConflict | Unavailable>
    /** An account's image; null for an unknown id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Image | null, Unavailable>
    /** The newest image of all accounts, read at startup. Null if there is none, or if images do not outlive the process. */
    readonly newest: Effect.Effect<Image | null, Unavailable>
    /** The account's image with the hash of its bytes; null if there is none. */
    readonly ofHash: (accountId: string, hash: string) => Effect.Effect<Image | null, Unavailable>
    /** The account's image with a key; null if there is none. */
    readonly ofKey: (accountId: string, key: string) => Effect.Effect<Image | null, Unavailable>
    /** The given ids that belong to images of an account. */
    readonly recorded: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** The number of an account's images. */
    readonly count: (accountId: string) => Effect.Effect<number, Unavailable>
    /** Deletes an image. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /** An account's images, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Image>, Unavailable>
  }
>()("svc/ports/ImageStore") {}

/**
 * Stores what is known about uploaded images. Their bytes are objects of `ObjectStorage`.
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
    /** Adds an image; `WriteConflict("images_hash")` when the account has one of equal bytes. */
    readonly insert: (image: Image) => Effect.Effect<void, WriteConflict | Unavailable>
    /** An account's image; null for an unknown id. */
    readonly get: (accountId: string, id: string) => Effect.Effect<Image | null, Unavailable>
    /** The newest image of all accounts, for a start; null where there is none, or none outlives the process. */
    readonly newest: Effect.Effect<Image | null, Unavailable>
    /** The account's image with those bytes; null for none. */
    readonly ofHash: (accountId: string, hash: string) => Effect.Effect<Image | null, Unavailable>
    /** The account's image with a key; null for none. */
    readonly ofKey: (accountId: string, key: string) => Effect.Effect<Image | null, Unavailable>
    /** Which ids are those of images of an account. */
    readonly recorded: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** How many images an account has. */
    readonly count: (accountId: string) => Effect.Effect<number, Unavailable>
    /** Deletes an image. */
    readonly remove: (accountId: string, id: string) => Effect.Effect<void, Unavailable>
    /** An account's images, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Image>, Unavailable>
  }
>()("svc/ports/ImageStore") {}

/**
 * Images that people upload for their emails.
 *
 * @module
 */
import { hashUuid } from "../shared/Uuid.ts"
import type { ObjectName } from "./Content.ts"
import type { Editor } from "./Edited.ts"

/** The types of images that every email program shows. SVG is none: it can contain programs. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const

/** The type of an image. */
export type ImageType = (typeof imageTypes)[number]

/** What the bytes of an image say about it. */
export interface ImageFacts {
  readonly type: ImageType
  /** In pixels. */
  readonly width: number
  readonly height: number
}

/** An uploaded image. Its bytes never change. */
export interface Image extends ImageFacts {
  readonly id: string
  readonly accountId: string
  /** The secret part of its address: everybody who knows it sees the image. */
  readonly key: string
  /** The name of the file; null where none was given. */
  readonly name: string | null
  /** How many bytes it has. */
  readonly bytes: number
  /** SHA-256 of the bytes, lower-case hex. Equal bytes are one image of an account. */
  readonly hash: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly createdBy: Editor | null
}

/** The most bytes of an image. */
export const maxImageBytes = 5_000_000

/** The most pixels of a side, and of an image: programs that show one hold four bytes for each, however small its file. */
export const maxImageSide = 10_000
export const maxImagePixels = 25_000_000

/** The most images of an account. */
export const maxImages = 2_000

/** The most characters of the name of its file. */
export const maxImageName = 200

/**
 * Under which account the bytes of an account's images are stored: none that exists, so that neither the sweep of the content of
 * emails nor equal bytes of an email touch them.
 */
export const imageSpace = (accountId: string, sha256Hex: (text: string) => string): string =>
  hashUuid(sha256Hex(`images ${accountId}`))

/** The name of an image's bytes. */
export const imageObject = (
  { accountId, hash, id }: Pick<Image, "accountId" | "hash" | "id">,
  sha256Hex: (text: string) => string
): ObjectName => ({ accountId: imageSpace(accountId, sha256Hex), hash, id })

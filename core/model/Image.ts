/**
 * Images that people upload for their emails.
 *
 * @module
 */
import { hashUuid } from "../shared/Uuid.ts"
import type { ObjectName } from "./Content.ts"
import type { Editor } from "./Edited.ts"

/** The image types that every email program shows. SVG is not included, since it can contain scripts. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const

/** The type of an image. */
export type ImageType = (typeof imageTypes)[number]

/** The properties that an image's bytes show. */
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
  /** The secret part of its URL: anyone who has the URL can see the image. */
  readonly key: string
  /** The name of the uploaded file; null if none was given. */
  readonly name: string | null
  /** The size in bytes. */
  readonly bytes: number
  /** SHA-256 of the bytes, lower-case hex. Equal bytes are one image in an account. */
  readonly hash: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly createdBy: Editor | null
}

/** The most bytes of an image. */
export const maxImageBytes = 5_000_000

/** The most pixels per side, and in total. Programs that show an image hold four bytes per pixel, however small its file is. */
export const maxImageSide = 10_000
export const maxImagePixels = 25_000_000

/** The most images of an account. */
export const maxImages = 2_000

/** The most characters of the file name. */
export const maxImageName = 200

/**
 * The account id under which the bytes of an account's images are stored. No account has this id, so that neither the removal of
 * unused email content nor equal bytes in an email affect images.
 */
export const imageSpace = (accountId: string, sha256Hex: (text: string) => string): string =>
  hashUuid(sha256Hex(`images ${accountId}`))

/** The name of an image's stored bytes. */
export const imageObject = (
  { accountId, hash, id }: Pick<Image, "accountId" | "hash" | "id">,
  sha256Hex: (text: string) => string
): ObjectName => ({ accountId: imageSpace(accountId, sha256Hex), hash, id })

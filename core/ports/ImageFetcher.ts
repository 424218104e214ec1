/**
 * Fetches the images of emails from other servers, for people who view an email in the service.
 *
 * @module
 */
import { Context, type Effect } from "effect"

/** The image types that are shown. Unlike SVG, none of them can contain scripts. */
export const imageTypes = ["image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"] as const

/** An image type that is shown. */
export type ImageType = (typeof imageTypes)[number]

/** An image. */
export interface FetchedImage {
  /** Detected from the first bytes, whatever the server states. */
  readonly type: ImageType
  readonly bytes: Uint8Array
}

/** The port that fetches images. */
export class ImageFetcher extends Context.Service<
  ImageFetcher,
  {
    /**
     * The image at an http or https URL; null if there is none that may be shown. Connects only to public addresses, follows at
     * most 3 redirects, and stops after 10 seconds or 5 MB. Sends no cookies and no referrer.
     */
    readonly fetch: (url: string) => Effect.Effect<FetchedImage | null>
  }
>()("svc/ports/ImageFetcher") {}

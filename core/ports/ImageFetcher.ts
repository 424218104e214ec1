/**
 * Fetches images of emails from other servers, for people who look at the email in the service.
 *
 * @module
 */
import { Context, type Effect } from "effect"

/** The types of images that are shown. None of them can run anything, as SVG can. */
export const imageTypes = ["image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"] as const

/** The type of an image that is shown. */
export type ImageType = (typeof imageTypes)[number]

/** An image. */
export interface FetchedImage {
  /** By its first bytes, whatever its server says. */
  readonly type: ImageType
  readonly bytes: Uint8Array
}

/** The port that fetches images. */
export class ImageFetcher extends Context.Service<
  ImageFetcher,
  {
    /**
     * The image of an http or https URL; null where there is none that may be shown. Connects to public addresses alone,
     * follows at most 3 redirects, and gives up after 10 seconds and beyond 5 MB. Sends no cookies and no referrer.
     */
    readonly fetch: (url: string) => Effect.Effect<FetchedImage | null>
  }
>()("svc/ports/ImageFetcher") {}

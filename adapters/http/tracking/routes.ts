/**
 * Handles the open pixel and tracked links, which reply at once while the visit is recorded in the background. Also handles
 * uploaded images, and the images in emails that people view in the service.
 *
 * @module
 */
import { Effect } from "effect"
import { Images } from "../../../core/images/Images.ts"
import { EmailView } from "../../../core/sending/delivery/EmailView.ts"
import { Redirects } from "../../../core/sending/tracking/Redirects.ts"
import { Tracking } from "../../../core/sending/tracking/Tracking.ts"
import type { VisitRequest } from "../../../core/sending/tracking/VisitRules.ts"
import { destinationPage } from "../pages/hosted/pages.ts"
import { TrackingApi } from "../schema/TrackingApi.ts"
import { type HandlerReply } from "../edge/reply.ts"
import { bind, type Call } from "../edge/Route.ts"

/** A transparent GIF of one pixel. */
const pixel = Uint8Array.from(atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"), (character) =>
  character.charCodeAt(0)
)

const headers = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow"
}

/** The content of an image's URL never changes. */
const imageHeaders = {
  "cache-control": "public, max-age=31536000, immutable",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow"
}

const notFound: HandlerReply<never> = {
  _tag: "Reply",
  status: 404,
  headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
  body: "This link does not work.\n"
}

/** The target of the hidden link, which no person can see. */
const emptyPage: HandlerReply<never> = {
  _tag: "Reply",
  status: 200,
  headers: { ...headers, "content-type": "text/html; charset=utf-8" },
  body: "<!doctype html><title></title>\n"
}

const purposeHeaders = ["purpose", "sec-purpose", "x-purpose", "x-moz"]

const visitOf = ({ header, method, origin }: Pick<Call, "header" | "method" | "origin">): VisitRequest => ({
  method,
  userAgent: header("user-agent"),
  address: origin.address,
  purposes: purposeHeaders.flatMap((name) => header(name) ?? []),
  hasLanguage: header("accept-language") !== null,
  hasFetchMode: header("sec-fetch-mode") !== null
})

/** The open pixel and the tracked links. */
export const trackingRoutes = Effect.map(
  Effect.all([Tracking, Redirects, EmailView, Images]),
  ([tracking, redirects, view, images]) =>
    bind(TrackingApi.groups.tracking, {
      open: (call) =>
        Effect.map(tracking.open(call.params.token, visitOf(call)), (known) =>
          known
            ? {
                _tag: "Reply",
                status: 200,
                headers: { ...headers, "content-type": "image/gif" },
                body: pixel
              }
            : notFound
        ),
      uploaded: ({ header, params }) =>
        Effect.map(images.open(params.key), (found) => {
          if (found === null) return notFound
          const { content, image } = found
          const etag = `"${image.hash.slice(0, 32)}"`
          const isKnown = header("if-none-match")?.includes(etag) === true
          return {
            _tag: "Reply",
            status: isKnown ? 304 : 200,
            headers: { ...imageHeaders, etag, ...(isKnown ? {} : { "content-type": image.type }) },
            body: isKnown ? null : content
          }
        }),
      image: ({ params }) =>
        Effect.map(view.image(params.token), (image) =>
          image === null
            ? notFound
            : {
                _tag: "Reply",
                status: 200,
                headers: {
                  ...headers,
                  "content-type": image.type,
                  "content-security-policy": "default-src 'none'; sandbox",
                  // A sandboxed frame has an opaque origin, from which same-site images could not be loaded.
                  "cross-origin-resource-policy": "cross-origin"
                },
                body: image.bytes
              }
        ),
      click: (call) =>
        Effect.gen(function* () {
          const { token } = call.params
          const followed = yield* tracking.click(token, visitOf(call))
          if (followed === null) return notFound
          const { url } = followed
          if (url === null) return emptyPage
          return (yield* redirects.allows(token))
            ? { _tag: "Reply", status: 302, headers: { ...headers, location: url }, body: "" }
            : destinationPage(url)
        })
    })
)

/**
 * Replies with the content of emails, for frames that run no script and load nothing.
 *
 * @module
 */
import type { HandlerReply } from "./reply.ts"

/**
 * The content security policy of a frame. The sandbox gives the content an origin of its own, so the content cannot access
 * the page around it. Links open in another tab.
 *
 * @param images the URL, ending with a slash, from which the frame may load images; null for none
 */
export const policyWith = (images: string | null): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    images === null ? "img-src data:" : `img-src data: ${images}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-popups allow-popups-to-escape-sandbox"
  ].join("; ")

/** The policy of a frame that loads nothing. */
export const framePolicy = policyWith(null)

/**
 * Makes the document show the target of a link at its lower edge while the link is hovered, pressed or focused. It uses
 * styles only, because a frame runs no script. The page around the frame learns nothing of it.
 */
export const withTargets = (html: string): string =>
  `${html}<style>a[href]:is(:hover,:active,:focus-visible)::after{${[
    "all:initial",
    "content:attr(href)",
    "display:block",
    "position:fixed",
    "inset:auto 0 0",
    "z-index:2147483647",
    "padding:4px 8px",
    "border-top:1px solid #c4c4cc",
    "background:#f4f4f6",
    "color:#18181b",
    "font:12px/1.5 ui-monospace,monospace",
    "direction:ltr",
    "overflow-wrap:anywhere",
    "pointer-events:none"
  ]
    .map((rule) => `${rule}!important`)
    .join(";")}}</style>`

/** The reply with html for a frame. */
export const frameReply = (html: string, policy: string = framePolicy): HandlerReply<never> => ({
  _tag: "Reply",
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  },
  body: html
})

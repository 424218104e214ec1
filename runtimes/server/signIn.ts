/**
 * Warns about a base URL at which browsers cannot keep a session.
 *
 * @module
 */
import { isLoopbackUrl } from "../../core/shared/Network.ts"

/**
 * The warning about a base URL at which no user can sign in; null for any other. The session cookie is `Secure`, so browsers
 * keep it only with https, or at a loopback address.
 */
export const signInWarning = (baseUrl: string): string | null =>
  baseUrl.startsWith("http:") && !isLoopbackUrl(baseUrl)
    ? `No user can sign in at ${baseUrl}: set SVC_BASE_URL to an https address; http works at a loopback address alone`
    : null

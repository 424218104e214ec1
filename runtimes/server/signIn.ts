/**
 * Warns of a base URL at which browsers cannot keep a session.
 *
 * @module
 */
import { isLoopbackUrl } from "../../core/shared/Network.ts"

/**
 * The warning of a base URL at which no user can sign in: the cookie of a session is `Secure`, which browsers keep at https
 * alone, except at a loopback address. Null for any other.
 */
export const signInWarning = (baseUrl: string): string | null =>
  baseUrl.startsWith("http:") && !isLoopbackUrl(baseUrl)
    ? `No user can sign in at ${baseUrl}: set SVC_BASE_URL to an https address; http works at a loopback address alone`
    : null

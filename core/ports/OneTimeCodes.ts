/**
 * One-time codes by time (TOTP, RFC 6238): SHA-1, 6 digits, steps of 30 seconds.
 *
 * @module
 */
import { Context } from "effect"

/** A secret as an authenticator takes it. */
export interface CodeSecret {
  /** `otpauth://` URL. */
  readonly url: string
  /** The URL as a QR code, SVG. */
  readonly qr: string
}

/** The port of one-time codes. Synchronous: each takes microseconds. */
export class OneTimeCodes extends Context.Service<
  OneTimeCodes,
  {
    /** What to show of a secret in base32: `issuer` names the service, `label` the user. */
    readonly show: (secret: string, issuer: string, label: string) => CodeSecret
    /**
     * The time step for which a code is right at `now`, epoch milliseconds, or one step before or after; null where it is
     * wrong for all of them. Compares in constant time.
     */
    readonly stepOf: (secret: string, code: string, now: number) => number | null
  }
>()("svc/ports/OneTimeCodes") {}

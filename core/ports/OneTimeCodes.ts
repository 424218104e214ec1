/**
 * Time-based one-time codes (TOTP, RFC 6238): SHA-1, 6 digits, steps of 30 seconds.
 *
 * @module
 */
import { Context } from "effect"

/** A secret in the forms in which an authenticator app accepts it. */
export interface CodeSecret {
  /** The `otpauth://` URL. */
  readonly url: string
  /** The URL as a QR code, SVG. */
  readonly qr: string
}

/** The port of one-time codes. Synchronous, since each call takes microseconds. */
export class OneTimeCodes extends Context.Service<
  OneTimeCodes,
  {
    /** The forms of a base32 secret. `issuer` names the service, `label` the user. */
    readonly show: (secret: string, issuer: string, label: string) => CodeSecret
    /**
     * The time step for which a code is right: that of `now`, epoch milliseconds, or one step before or after. Null if the code
     * is wrong for all of them. Compares in constant time.
     */
    readonly stepOf: (secret: string, code: string, now: number) => number | null
  }
>()("svc/ports/OneTimeCodes") {}

/**
 * Implements the OneTimeCodes port with otpauth, and with uqr for the QR codes.
 *
 * @module
 */
import { Layer } from "effect"
import { Secret, TOTP } from "otpauth"
import { renderSVG } from "uqr"
import { OneTimeCodes } from "../../core/ports/OneTimeCodes.ts"

const digits = 6
const period = 30
/** By how many steps the clock of an authenticator may differ. */
const drift = 1

const codesOf = (secret: string, issuer = "", label = "") =>
  new TOTP({
    issuer,
    label,
    algorithm: "SHA1",
    digits,
    period,
    secret: Secret.fromBase32(secret)
  })

/** Time-based codes. */
export const layer = Layer.succeed(OneTimeCodes, {
  show: (secret, issuer, label) => {
    const url = codesOf(secret, issuer, label).toString()
    return { url, qr: renderSVG(url) }
  },
  stepOf: (secret, code, now) => {
    if (!/^\d{6}$/.test(code)) return null
    const delta = codesOf(secret).validate({ token: code, timestamp: now, window: drift })
    return delta === null ? null : Math.floor(now / 1000 / period) + delta
  }
})

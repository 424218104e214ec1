/**
 * Hashes personal data for log lines. Logs contain only the hash; an operator who knows an address finds its lines by hashing it
 * in the same way.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { Crypto } from "../ports/Crypto.ts"
import { toHex } from "../shared/Bytes.ts"
import { comparableAddress } from "../shared/EmailAddress.ts"
import { networkOf, parseIp } from "../shared/Network.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { InstallationKeys } from "./InstallationKeys.ts"

/** The length of a hash in hex digits: short enough to read, and long enough to distinguish millions of addresses. */
const hashLength = 12

/** The keyed hash of data that must not be logged. */
export class LogHash extends Context.Service<
  LogHash,
  {
    /**
     * The hash of a text: 12 hex digits. It is the same for every spelling of an address and ignores case and surrounding spaces.
     * It does not change when secrets are rotated. `Unavailable` before the first start has completed.
     */
    readonly of: (text: string) => Effect.Effect<string, Unavailable>
  }
>()("svc/accounts/LogHash") {
  static readonly layer = Layer.effect(
    LogHash,
    Effect.gen(function* () {
      const crypto = yield* Crypto
      const keys = yield* InstallationKeys
      return LogHash.of({
        of: (text) =>
          Effect.map(keys.get, ({ logs }) =>
            toHex(crypto.hmacSha256(logs, subjectOf(text))).slice(0, hashLength)
          )
      })
    })
  )
}

/** What is hashed for a text: an IP address is replaced by its network, for which limits count. */
const subjectOf = (given: string): string => {
  const text = given.trim().toLowerCase()
  if (parseIp(text) !== null) return networkOf(text)
  return text.includes("@") ? comparableAddress(given) : text
}

/**
 * Hashes the personal data that a log line is about. Logs hold the hash only; an operator who knows an address finds its
 * lines by hashing it the same way.
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

/** The length of a hash in hex digits: short enough to read, and long enough for millions of addresses to differ. */
const hashLength = 12

/** The keyed hash of what must not be logged. */
export class LogHash extends Context.Service<
  LogHash,
  {
    /**
     * The hash of a text: 12 hex digits, the same for every spelling of an address, and for every case and spaces around it. It stays the same when
     * secrets are rotated. `Unavailable` before the first start has completed.
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

/** What a text stands for in logs: an IP address for its network, which limits count. */
const subjectOf = (given: string): string => {
  const text = given.trim().toLowerCase()
  if (parseIp(text) !== null) return networkOf(text)
  return text.includes("@") ? comparableAddress(given) : text
}

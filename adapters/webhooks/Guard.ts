/**
 * Prevents requests to addresses that a caller names from reaching the service's own network (docs/contributing/decisions.md 7).
 *
 * @module
 */
import { Effect, Exit } from "effect"
import { lookup as systemLookup } from "node:dns/promises"
import type { Dns } from "../../core/ports/Dns.ts"
import { addressOfHost, isPrivateName, isPublic } from "./Addresses.ts"

/** A look-up found no address to which a connection is permitted; `reason` is the error of the attempt. */
export class LookupRejected extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Characters that the URL parser silently drops, and those that end a line in other contexts. */
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Whether a URL may be called, checked without looking up its name. */
export const accepts = (allowPrivate: boolean, text: string): boolean => {
  if (controls.test(text)) return false
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "" || url.hostname === "") return false
  if (url.protocol !== "https:" && !(allowPrivate && url.protocol === "http:")) return false
  return allowPrivate || acceptsHost(url.hostname)
}

/** Whether a host can be a public server, checked without looking up its name. */
export const acceptsHost = (host: string): boolean => {
  const address = addressOfHost(host)
  return address === null ? !isPrivateName(host) : isPublic(address)
}

/** Looks up the addresses of a name. Rejects with {@link LookupRejected}. */
export type LookUp = (name: string) => Promise<ReadonlyArray<string>>

/** Makes a look-up that requires all addresses of a name to be public. With `allowPrivate`, others and local names pass too. */
export const makeLookUp =
  (dns: Dns["Service"], allowPrivate: boolean): LookUp =>
  async (name) => {
    const exit = await Effect.runPromiseExit(dns.addresses(name))
    if (Exit.isFailure(exit)) {
      // The DNS does not contain the names of this machine and its neighbours.
      const local = allowPrivate ? await systemLookup(name, { all: true }).catch(() => []) : []
      if (local.length > 0) return local.map(({ address }) => address)
      const error = Exit.findErrorOption(exit)
      const isMissing = error._tag === "Some" && error.value._tag === "DnsMissing"
      throw new LookupRejected(isMissing ? "name_unknown" : "name_unavailable")
    }
    if (!allowPrivate && !exit.value.every(isPublic)) throw new LookupRejected("address_refused")
    return exit.value
  }

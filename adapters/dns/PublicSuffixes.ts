/**
 * The list of public suffixes by tldts, which contains it.
 *
 * @module
 */
import { Layer } from "effect"
import { getDomain } from "tldts"
import { PublicSuffixes } from "../../core/kernel/PublicSuffixes.ts"

/** With the suffixes that companies registered: the names below them are not of one organization. */
export const layer: Layer.Layer<never> = Layer.succeed(PublicSuffixes, {
  organizationalDomain: (name) =>
    getDomain(name, { allowPrivateDomains: true, validateHostname: false }) ?? name
})

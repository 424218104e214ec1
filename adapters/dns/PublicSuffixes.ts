/**
 * Provides the list of public suffixes that the package tldts contains.
 *
 * @module
 */
import { Layer } from "effect"
import { getDomain } from "tldts"
import { PublicSuffixes } from "../../core/kernel/PublicSuffixes.ts"

/** Includes suffixes that companies registered, because the names below them belong to different organizations. */
export const layer: Layer.Layer<never> = Layer.succeed(PublicSuffixes, {
  organizationalDomain: (name) =>
    getDomain(name, { allowPrivateDomains: true, validateHostname: false }) ?? name
})

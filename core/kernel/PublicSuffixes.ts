/**
 * Knows the public suffixes: the domains under which the public can register names (publicsuffix.org).
 *
 * @module
 */
import { Context } from "effect"

/** The list of public suffixes, as a function. */
export interface PublicSuffixesShape {
  /**
   * The organizational domain of a lower-case name (RFC 7489, 3.2): the public suffix and the label before it. For a name that
   * is itself a public suffix, the name.
   */
  readonly organizationalDomain: (name: string) => string
}

/** The list of public suffixes. Without one, every top-level domain counts as a suffix, and no other name does. */
export const PublicSuffixes = Context.Reference<PublicSuffixesShape>("svc/kernel/PublicSuffixes", {
  defaultValue: () => ({ organizationalDomain: (name) => name.split(".").slice(-2).join(".") })
})

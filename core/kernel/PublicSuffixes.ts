/**
 * Knows under which names the public can register names of its own (publicsuffix.org).
 *
 * @module
 */
import { Context } from "effect"

/** The list of public suffixes, as a function. */
export interface PublicSuffixesShape {
  /**
   * The organizational domain of a name in lower case (RFC 7489, 3.2): the public suffix and the label before it. A name that is a
   * public suffix itself is its own.
   */
  readonly organizationalDomain: (name: string) => string
}

/** The list of public suffixes. Without one, every top-level domain is a suffix, and no other name. */
export const PublicSuffixes = Context.Reference<PublicSuffixesShape>("svc/kernel/PublicSuffixes", {
  defaultValue: () => ({ organizationalDomain: (name) => name.split(".").slice(-2).join(".") })
})

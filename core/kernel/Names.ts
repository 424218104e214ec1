/**
 * The names that the documentation, the package and the command line have in common. A public registry has a package of
 * another project under the same name, so nothing tells people to download one by name.
 *
 * @module
 */

/** The name of the product, on its pages. */
export const productName = "svc"

/** The name of the package: what programs import from. */
export const packageName = "svc"

/** The name of the command. */
export const commandName = "svc"

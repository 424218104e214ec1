/**
 * The names that the documentation, the package and the command line share. A package of another project has the same name
 * in a public registry, so no text suggests installing this one by name.
 *
 * @module
 */

/** The name of the product, on its pages. */
export const productName = "svc"

/** The name of the package, from which programs import. */
export const packageName = "svc"

/** The name of the command. */
export const commandName = "svc"

/**
 * The addresses of the dashboard itself.
 *
 * @module
 */

/** The path below which the dashboard is served. */
export const basePath = "/app"

/** The URL for a path of the dashboard below `basePath`. Any other target is refused, because it could lead to another site. */
export const pathWithin = (to: string | undefined): string =>
  basePath + (to !== undefined && /^\/(?![/\\])/.test(to) ? to : "/")

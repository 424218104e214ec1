/**
 * Where one goes after signing in.
 *
 * @module
 */

/** Where the dashboard is served. */
export const basePath = "/app"

/** An address of the dashboard itself, for a path below `basePath`: one from outside could lead anywhere. */
export const pathWithin = (to: string | undefined): string =>
  basePath + (to !== undefined && /^\/(?![/\\])/.test(to) ? to : "/")

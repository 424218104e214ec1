/**
 * Where one goes after signing in.
 *
 * @module
 */

/** A path of the dashboard itself: an address from outside could lead anywhere. */
export const pathWithin = (to: string | undefined): string =>
  to !== undefined && /^\/(?![/\\])/.test(to) ? to : "/"

/**
 * The routes of emails.
 *
 * @module
 */
export const emailRoutes = [] as const

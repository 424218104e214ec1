/**
 * Path parameters that management endpoints share. A path with an id that is no UUID is common.not_found.
 *
 * @module
 */
import { id } from "../Fields.ts"

/** The path of an account. */
export const accountPath = { accountId: id }

/** The path of something in an account. */
export const resourcePath = { accountId: id, id }

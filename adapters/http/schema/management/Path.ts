/**
 * Defines the path parameters that management endpoints share. An id that is not a UUID is common.not_found.
 *
 * @module
 */
import { id } from "../Fields.ts"

/** The path of an account. */
export const accountPath = { accountId: id }

/** The path of a company. */
export const companyPath = { companyId: id }

/** The path of something in an account. */
export const resourcePath = { accountId: id, id }

/**
 * Users and their roles in companies (docs/contributing/people.md 1).
 *
 * @module
 */

/** The roles of a member of a company. */
export const memberRoles = ["Owner", "Admin", "Marketer", "Developer", "Support", "Viewer"] as const

/** The role of a member of a company. */
export type MemberRole = (typeof memberRoles)[number]

/**
 * Users, their roles in companies, their sessions and their set-up links (docs/contributing/people.md 1 and 2).
 *
 * @module
 */

/** The roles of a member of a company. */
export const memberRoles = ["Owner", "Admin", "Marketer", "Developer", "Support", "Viewer"] as const

/** The role of a member of a company. */
export type MemberRole = (typeof memberRoles)[number]

/** The states of a user. An invited user has not opened the set-up link yet; a disabled user cannot sign in. */
export const userStatuses = ["Invited", "Active", "Disabled"] as const

/** The state of a user. */
export type UserStatus = (typeof userStatuses)[number]

/** A person who signs in. */
export interface User {
  readonly id: string
  /** The normalized address; unique. */
  readonly email: string
  /** The name; null until the user has given one. */
  readonly name: string | null
  /** A language tag of BCP 47; null for none. */
  readonly language: string | null
  /** A time zone of the IANA database; null for none. */
  readonly timeZone: string | null
  readonly status: UserStatus
  /** Whether the user is an operator of the installation. */
  readonly isOperator: boolean
  /** The hash of the password, including its parameters; null until a password is set. */
  readonly passwordHash: string | null
  /** The secret of the one-time codes, sealed; null for none. */
  readonly totpSecret: string | null
  /** When the first code of the secret was accepted, epoch milliseconds; null while it is being set up. */
  readonly totpConfirmedAt: number | null
  /** The time step of the last accepted code. Neither it nor an earlier one is accepted again. */
  readonly totpStep: number | null
  /** SHA-256 of each unused recovery code, hex. */
  readonly recoveryCodes: ReadonlyArray<string>
  /** How many passkeys the user has. */
  readonly passkeys: number
  /** Epoch milliseconds, to the minute; null for never. */
  readonly lastSeenAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A user's role in a company. */
export interface Membership {
  readonly companyId: string
  readonly userId: string
  readonly role: MemberRole
  /** Whether the member may see the live account's data. */
  readonly liveAccess: boolean
  /** The name under which the person was added; null for none. */
  readonly invitedName: string | null
  /**
   * When the user accepted the membership, epoch milliseconds. Until then the user has no rights in the company, and the company
   * sees nothing else of the user.
   */
  readonly acceptedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A member of a company: the membership and the user. */
export interface Member {
  readonly membership: Membership
  readonly user: User
}

/** A signed-in browser. */
export interface Session {
  readonly id: string
  readonly userId: string
  /** SHA-256 of the cookie's value, hex. */
  readonly hash: string
  /** The hash before the last renewal, which calls in progress may still carry; null for none. */
  readonly formerHash: string | null
  /** Until when the former hash is accepted, epoch milliseconds. */
  readonly formerUntil: number | null
  /** Whether the session gets a new id at its next call, because someone else changed the user's rights. */
  readonly mustRenew: boolean
  /** Whether it was opened with two factors, or with one that counts as two. */
  readonly twoFactors: boolean
  /**
   * The only company that the session can access, if nothing but the company's identity provider vouches for it. Null for all.
   */
  readonly companyId: string | null
  /** How long the session may be idle, milliseconds. */
  readonly idleMillis: number
  /** When it ends in any case, epoch milliseconds. */
  readonly expiresAt: number
  /** When the user last gave a factor in this session, epoch milliseconds. */
  readonly confirmedAt: number
  /** Epoch milliseconds, to the minute. */
  readonly lastUsedAt: number
  /** The network and the browser of its last use. */
  readonly network: string
  readonly userAgent: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** What a set-up link is for. */
export type SetupKind = "Invitation" | "FirstStart" | "Reset"

/** A link with which a person sets a password, usable once. */
export interface SetupLink {
  /** SHA-256 of the token, hex. */
  readonly hash: string
  readonly kind: SetupKind
  /** The user who sets a password; null if using the link creates the user. */
  readonly userId: string | null
  /** The address of the user that the link creates; null if the person enters it. */
  readonly email: string | null
  /** The company that sent the invitation, or whose Owner the first operator becomes; null for none. */
  readonly companyId: string | null
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Epoch milliseconds; null until it is used. */
  readonly usedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Whether a user signs in with one-time codes in addition to the password. */
export const hasSecondFactor = (user: User): boolean =>
  user.totpSecret !== null && user.totpConfirmedAt !== null

/** The purpose with which SecretBox seals the secret of a user's one-time codes. */
export const totpPurpose = (userId: string): string => `totp ${userId}`

/**
 * Users, memberships and sessions for the contract suites of their stores.
 *
 * @module
 */
import type { Membership, Session, User } from "../../core/model/User.ts"
import { newEmail, newHash, newId, now } from "./fixtures.ts"

/** A user that is not stored. */
export const draftUser = (values: Partial<User> = {}): User => ({
  id: newId(),
  email: newEmail(),
  name: null,
  language: null,
  timeZone: null,
  status: "Active",
  isOperator: false,
  passwordHash: null,
  totpSecret: null,
  totpConfirmedAt: null,
  totpStep: null,
  recoveryCodes: [],
  passkeys: 0,
  lastSeenAt: null,
  createdAt: now,
  ...values
})

/** A membership that is not stored. */
export const draftMembership = (
  companyId: string,
  userId: string,
  values: Partial<Membership> = {}
): Membership => ({
  companyId,
  userId,
  role: "Owner",
  liveAccess: true,
  invitedName: null,
  acceptedAt: null,
  createdAt: now,
  ...values
})

/** A session that is not stored. */
export const draftSession = (userId: string, values: Partial<Session> = {}): Session => ({
  id: newId(),
  userId,
  hash: newHash(),
  formerHash: null,
  formerUntil: null,
  mustRenew: false,
  twoFactors: false,
  companyId: null,
  idleMillis: 3_600_000,
  expiresAt: now + 86_400_000,
  confirmedAt: now,
  lastUsedAt: now,
  network: "192.0.2.1",
  userAgent: null,
  createdAt: now,
  ...values
})

/**
 * Creates, lists and revokes the tokens of the installation, of companies and of users.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { displayOf, formatKey, keyBytes, type Prefix, prefixes } from "../accounts/KeyFormat.ts"
import { Atomically } from "../kernel/atomically.ts"
import { refuseOn } from "../kernel/Conflicts.ts"
import { Ids } from "../kernel/Ids.ts"
import { noAccount } from "../model/Account.ts"
import type { Actor } from "../model/Actor.ts"
import { companyRights, installationRights, type Right } from "../model/Right.ts"
import { maxActiveTokens, type Token, type TokenAccounts, type TokenOwner } from "../model/Token.ts"
import { Crypto } from "../ports/Crypto.ts"
import { TokenStore } from "../ports/TokenStore.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { checkText, formatDateTime, oneOf } from "../shared/Validate.ts"
import { type Caller, lastingRightsAt, type Target } from "./Caller.ts"

/** The fewest and the most characters of a token's name. */
export const tokenNameLengths = { min: 2, max: 100 }

/** The fewest and the most days until a token expires. */
export const tokenLifetimes = { min: 1, max: 365 }

const dayMillis = 86_400_000

/** A request to create a token. */
export interface NewToken {
  readonly name: string
  /** The rights; null for those of a personal token's user. */
  readonly rights: ReadonlyArray<string> | null
  /** 1 to 365, or null for never, which is not allowed for personal tokens. */
  readonly expiresInDays: number | null
  /** The accounts that a company token can access; Both by default. */
  readonly accounts?: TokenAccounts | undefined
}

/** A token that was just created. Its secret is available only now. */
export interface IssuedToken {
  readonly secret: string
  readonly token: Token
}

/** The creator of a token. */
export interface TokenCreator {
  readonly caller: Caller
  readonly actor: Actor
}

/** The use cases of tokens. */
export class Tokens extends Context.Service<
  Tokens,
  {
    /**
     * Creates a token of the installation, or of the company or user that `owner` names. validation.*; tokens.right_exceeds if
     * the creator lacks one of its rights, or has it only while access to a company is open; tokens.limit_reached if the owner
     * has 50 active tokens, or 20 for a user.
     */
    readonly create: (
      owner: TokenOwner,
      request: NewToken,
      creator: TokenCreator
    ) => Effect.Effect<IssuedToken, Problem | Unavailable>
    /** All tokens of an owner, newest first. */
    readonly list: (owner: TokenOwner, page: PageRequest) => Effect.Effect<Page<Token>, Unavailable>
    /** Revokes a token of an owner, effective on every node at once; common.not_found. */
    readonly revoke: (
      owner: TokenOwner,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/users/Tokens") {
  static readonly layer = Layer.effect(
    Tokens,
    Effect.gen(function* () {
      const store = yield* TokenStore
      const atomically = yield* Atomically
      const crypto = yield* Crypto
      const ids = yield* Ids
      const { record } = yield* AuditTrail

      return Tokens.of({
        create: Effect.fn("Tokens.create")(function* (owner, request, { actor, caller }) {
          const parsed = yield* Effect.fromResult(parseNewToken(owner, request))
          const { accounts, expiresInDays, name, rights } = parsed
          const has = (right: Right) => (target: Target) => lastingRightsAt(caller, target).has(right)
          const missing = rights?.find((right) =>
            owner.userId === null
              ? !targetsOf(owner, accounts).every(has(right))
              : !targetsOfUser(caller).some(has(right))
          )
          if (missing !== undefined) {
            return yield* Problem.of("tokens.right_exceeds", null, null, { right: missing })
          }
          const secret = formatKey(prefixOfOwner(owner), crypto.randomBytes(keyBytes))
          const createdAt = yield* Clock.currentTimeMillis
          const token: Token = {
            ...owner,
            id: yield* ids.next,
            name,
            hash: crypto.sha256Hex(secret),
            display: displayOf(secret),
            rights,
            accounts,
            expiresAt: expiresInDays === null ? null : createdAt + expiresInDays * dayMillis,
            lastUsedAt: null,
            lastUsedNetwork: null,
            revokedAt: null,
            createdAt
          }
          const max = maxActiveTokens(owner)
          const limitReached = () => Problem.of("tokens.limit_reached", null, { max })
          yield* atomically(
            Effect.andThen(
              refuseOn("tokens_active", limitReached)(store.insert(token, max)),
              record(actor, {
                accountId: noAccount,
                ...companyOf(owner),
                action: "token.created",
                target: token.id,
                before: null,
                after: summaryOf(token)
              })
            )
          )
          return { secret, token }
        }),
        list: store.list,
        revoke: Effect.fn("Tokens.revoke")(function* (owner, id, actor) {
          const now = yield* Clock.currentTimeMillis
          const token = yield* store.revoke(owner, id, now)
          if (token === null) return yield* Problem.of("common.not_found")
          if (token.revokedAt !== now) return
          yield* record(actor, {
            accountId: noAccount,
            ...companyOf(owner),
            action: "token.revoked",
            target: id,
            before: summaryOf(token),
            after: null
          })
        }, atomically)
      })
    })
  )
}

const prefixOfOwner = ({ companyId, userId }: TokenOwner): Prefix =>
  companyId !== null ? prefixes.team : userId === null ? prefixes.ops : prefixes.user

/** The company of an audit entry about a token. */
const companyOf = ({ companyId }: TokenOwner) => (companyId === null ? {} : { companyId })

/** The targets where a token has its rights, and where its creator must therefore have them. */
const targetsOf = ({ companyId }: TokenOwner, accounts: TokenAccounts | null): ReadonlyArray<Target> =>
  companyId === null
    ? [{}]
    : (["Live", "Sandbox"] as const)
        .filter((kind) => accounts === "Both" || accounts === kind)
        .map((accountKind) => ({ companyId, accountKind }))

/** The targets where a user may have rights. */
const targetsOfUser = (caller: Caller): ReadonlyArray<Target> =>
  caller._tag === "Session" || caller._tag === "PersonalToken"
    ? [
        {},
        ...caller.user.memberships.flatMap(({ companyId }) => [
          { companyId },
          { companyId, accountKind: "Live" as const },
          { companyId, accountKind: "Sandbox" as const }
        ])
      ]
    : []

const rightsOfOwner = ({ companyId, userId }: TokenOwner): ReadonlyArray<Right> =>
  userId !== null
    ? [...companyRights, ...installationRights]
    : companyId === null
      ? installationRights
      : companyRights

const parseNewToken = (owner: TokenOwner, { accounts = "Both", expiresInDays, ...request }: NewToken) => {
  const isPersonal = owner.userId !== null
  const known = rightsOfOwner(owner)
  const isRight = (right: string): right is Right => (known as ReadonlyArray<string>).includes(right)
  const issues = new Issues()
  const name = checkText(request.name, "name", tokenNameLengths.max, issues)
  if (name.length < tokenNameLengths.min)
    issues.add("validation.min_length", "name", { min: tokenNameLengths.min })
  if (request.rights === null ? !isPersonal : request.rights.length === 0) {
    issues.add("validation.required", "rights")
  }
  request.rights?.forEach((right, index) => {
    if (!isRight(right)) {
      issues.add("validation.format", `rights[${index}]`, null, { expected: oneOf(known) })
    }
  })
  const isLifetime =
    (expiresInDays === null && !isPersonal) ||
    (expiresInDays !== null &&
      Number.isInteger(expiresInDays) &&
      expiresInDays >= tokenLifetimes.min &&
      expiresInDays <= tokenLifetimes.max)
  if (!isLifetime) issues.add("validation.range", "expiresInDays", tokenLifetimes)
  return issues.result({
    name,
    rights: request.rights === null ? null : [...new Set(request.rights.filter(isRight))],
    expiresInDays,
    accounts: owner.companyId === null ? null : accounts
  })
}

/** The summary of a token for the audit log. */
const summaryOf = ({ accounts, display, expiresAt, name, rights }: Token) => ({
  name,
  display,
  rights,
  ...(accounts === null ? {} : { accounts }),
  expiresAt: expiresAt === null ? null : formatDateTime(expiresAt)
})

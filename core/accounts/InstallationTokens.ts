/**
 * The operator's use cases for installation tokens.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, type Result } from "effect"
import { Atomically } from "../kernel/atomically.ts"
import { refuseOn } from "../kernel/Conflicts.ts"
import { Ids } from "../kernel/Ids.ts"
import { noAccount } from "../model/Account.ts"
import {
  type InstallationRight,
  installationRights,
  type InstallationToken,
  maxActiveTokens
} from "../model/InstallationToken.ts"
import { Crypto } from "../ports/Crypto.ts"
import { InstallationTokenStore } from "../ports/InstallationTokenStore.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { checkText, formatDateTime, oneOf } from "../shared/Validate.ts"
import { AuditTrail } from "./AuditTrail.ts"
import { displayOf, formatKey, keyBytes, prefixes } from "./KeyFormat.ts"

const nameLengths = { min: 2, max: 100 }
const lifetimes = { min: 1, max: 365 }
const dayMillis = 86_400_000

/** A request for a token. */
export interface NewToken {
  readonly name: string
  readonly rights: ReadonlyArray<string>
  /** 1 to 365, or null for never. */
  readonly expiresInDays: number | null
}

/** A token just created. This is the only time its secret is known. */
export interface IssuedToken {
  readonly secret: string
  readonly token: InstallationToken
}

/** The operator's use cases for installation tokens. */
export class InstallationTokens extends Context.Service<
  InstallationTokens,
  {
    /** Creates a token. validation.*; tokens.limit_reached where 50 are active. */
    readonly create: (request: NewToken, actor: string) => Effect.Effect<IssuedToken, Problem | Unavailable>
    /** All tokens, newest first. */
    readonly list: (page: PageRequest) => Effect.Effect<Page<InstallationToken>, Unavailable>
    /** Revokes a token, on every node at once; common.not_found. */
    readonly revoke: (id: string, actor: string) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/accounts/InstallationTokens") {
  static readonly layer = Layer.effect(
    InstallationTokens,
    Effect.gen(function* () {
      const store = yield* InstallationTokenStore
      const atomically = yield* Atomically
      const crypto = yield* Crypto
      const ids = yield* Ids
      const { record } = yield* AuditTrail

      return InstallationTokens.of({
        create: Effect.fn("InstallationTokens.create")(function* (request, actor) {
          const { expiresInDays, name, rights } = yield* Effect.fromResult(parseNewToken(request))
          const secret = formatKey(prefixes.ops, crypto.randomBytes(keyBytes))
          const createdAt = yield* Clock.currentTimeMillis
          const token: InstallationToken = {
            id: yield* ids.next,
            name,
            hash: crypto.sha256Hex(secret),
            display: displayOf(secret),
            rights,
            expiresAt: expiresInDays === null ? null : createdAt + expiresInDays * dayMillis,
            lastUsedAt: null,
            lastUsedNetwork: null,
            revokedAt: null,
            createdAt
          }
          const limitReached = () => Problem.of("tokens.limit_reached", null, { max: maxActiveTokens })
          const added = refuseOn(
            "installation_tokens_active",
            limitReached
          )(store.insert(token, maxActiveTokens))
          yield* atomically(
            Effect.andThen(
              added,
              record(actor, {
                accountId: noAccount,
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
        revoke: Effect.fn("InstallationTokens.revoke")(function* (id, actor) {
          const now = yield* Clock.currentTimeMillis
          const token = yield* store.revoke(id, now)
          if (token === null) return yield* Problem.of("common.not_found")
          if (token.revokedAt !== now) return
          yield* record(actor, {
            accountId: noAccount,
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

const isRight = (text: string): text is InstallationRight =>
  (installationRights as ReadonlyArray<string>).includes(text)

const parseNewToken = ({ expiresInDays, ...request }: NewToken) => {
  const issues = new Issues()
  const name = checkText(request.name, "name", nameLengths.max, issues)
  if (name.length < nameLengths.min) issues.add("validation.min_length", "name", { min: nameLengths.min })
  if (request.rights.length === 0) issues.add("validation.required", "rights")
  request.rights.forEach((right, index) => {
    if (!isRight(right))
      issues.add("validation.format", `rights[${index}]`, null, { expected: oneOf(installationRights) })
  })
  const isLifetime =
    expiresInDays === null ||
    (Number.isInteger(expiresInDays) && expiresInDays >= lifetimes.min && expiresInDays <= lifetimes.max)
  if (!isLifetime) issues.add("validation.range", "expiresInDays", lifetimes)
  const rights = [...new Set(request.rights.filter(isRight))]
  return issues.result({ name, rights, expiresInDays }) satisfies Result.Result<NewToken, Problem>
}

/** For the audit log. */
const summaryOf = ({ display, expiresAt, name, rights }: InstallationToken) => ({
  name,
  display,
  rights,
  expiresAt: expiresAt === null ? null : formatDateTime(expiresAt)
})

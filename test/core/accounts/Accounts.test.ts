/**
 * Companies, accounts and settings (docs/contributing/decisions.md 1, docs/contributing/management-api.md
 * `PATCH A/settings`).
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { managementActor } from "../../../core/model/Actor.ts"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import { defaultSettings } from "../../../core/model/Account.ts"
import { Accounts, type SettingsPatch } from "../../../core/accounts/Accounts.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { Crypto } from "../../../core/ports/Crypto.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { auditOf } from "../../contract/fixtures.ts"

const unused = () => {
  throw new Error("Accounts need no hash")
}

const layer = Accounts.layer.pipe(
  Layer.provide(AuditTrail.layer),
  Layer.provide(Ids.layer),
  Layer.provide(
    Layer.succeed(Crypto, {
      randomBytes: (size) => new Uint8Array(randomBytes(size)),
      sha256Hex: unused,
      hmacSha256: unused,
      constantTimeEquals: unused
    })
  ),
  Layer.provideMerge(Layer.fresh(memory))
)

const firstPage = { page: 1, pageSize: 50 }

const issuesOf = (error: unknown) =>
  error instanceof Problem ? error.issues.map(({ code, field }) => `${code} ${field}`) : [error]

describe("Accounts", () => {
  it.effect("creates a company with a live and a sandbox account that have the default settings", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const company = yield* accounts.createCompany("  Acme ", managementActor)
      expect(company.name).toBe("Acme")
      const [live, sandbox] = yield* Effect.all([
        accounts.get(company.liveAccountId),
        accounts.get(company.sandboxAccountId)
      ])
      expect([live.mode, sandbox.mode]).toEqual(["Live", "Sandbox"])
      for (const account of [live, sandbox]) {
        expect(account.companyId).toBe(company.id)
        expect(account.settings).toEqual(defaultSettings)
      }
      expect((yield* accounts.companies(firstPage)).items).toEqual([company])
    }).pipe(Effect.provide(layer))
  )

  it("defaults to the settings of the specification", () => {
    expect(defaultSettings).toMatchObject({
      tracking: { opens: false, clicks: false },
      flowTracking: { opens: true, clicks: true },
      retentionDays: 30,
      recipientRetentionDays: 365,
      conversionWindowDays: 5,
      rateLimitPerMinute: 600
    })
  })

  it.effect("rejects a company without a valid name, and settings of an unknown account", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      for (const [name, expected] of [
        ["", "validation.required name"],
        [" \n ", "validation.required name"],
        ["x".repeat(101), "validation.max_length name"],
        ["a\0b", "validation.format name"]
      ] as const) {
        expect(issuesOf(yield* Effect.flip(accounts.createCompany(name, managementActor)))).toEqual([
          expected
        ])
      }
      const unknown = "01963f0e-7c00-7abc-8def-0123456789ab"
      expect(issuesOf(yield* Effect.flip(accounts.get(unknown)))).toEqual(["common.not_found null"])
      const change = accounts.changeSettings(unknown, { retentionDays: 7 }, managementActor)
      expect(issuesOf(yield* Effect.flip(change))).toEqual(["common.not_found null"])
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "changes only the given settings, and records each change with before and after in the audit log",
    () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const audit = yield* AuditLog
        const { liveAccountId, sandboxAccountId } = yield* accounts.createCompany("Acme", managementActor)
        const sender = { email: " Hello@Bücher.example ", name: "  Books " }
        const { settings: first } = yield* accounts.changeSettings(
          liveAccountId,
          { retentionDays: 7, autoCreateAttributes: undefined, defaultSender: sender },
          managementActor
        )
        expect(first).toEqual({
          ...defaultSettings,
          retentionDays: 7,
          defaultSender: { email: "hello@xn--bcher-kva.example", name: "Books" }
        })
        const { settings: second } = yield* accounts.changeSettings(
          liveAccountId,
          { contactLimit: 0, defaultSender: null, tracking: { opens: true, clicks: true } },
          managementActor
        )
        expect(second).toEqual({
          ...first,
          contactLimit: 0,
          defaultSender: null,
          tracking: { opens: true, clicks: true }
        })
        expect((yield* accounts.get(liveAccountId)).settings).toEqual(second)
        expect((yield* accounts.get(sandboxAccountId)).settings).toEqual(defaultSettings)
        const [last] = (yield* audit.list(auditOf(liveAccountId), {}, firstPage)).items
        expect(last).toMatchObject({
          actor: managementActor,
          action: "settings.changed",
          target: liveAccountId,
          before: { contactLimit: null, defaultSender: first.defaultSender },
          after: { contactLimit: 0, defaultSender: null }
        })
      }).pipe(Effect.provide(layer))
  )

  it.effect("rejects all settings out of range together, and changes nothing", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { liveAccountId } = yield* accounts.createCompany("Acme", managementActor)
      const refused: ReadonlyArray<readonly [SettingsPatch, ReadonlyArray<string>]> = [
        [{ contactLimit: -1 }, ["validation.range contactLimit"]],
        [{ dailySendLimit: 1.5 }, ["validation.range dailySendLimit"]],
        [{ retentionDays: 0 }, ["validation.range retentionDays"]],
        [{ recipientRetentionDays: Number.NaN }, ["validation.range recipientRetentionDays"]],
        [{ rateLimitPerMinute: 0 }, ["validation.range rateLimitPerMinute"]],
        [
          { rateLimitPerMinute: Number.POSITIVE_INFINITY, contactLimit: 2 ** 31 },
          ["validation.range contactLimit", "validation.range rateLimitPerMinute"]
        ],
        [{ defaultSender: { email: "hello", name: null } }, ["validation.email defaultSender.email"]],
        [
          { retentionDays: 7, defaultSender: { email: "a@b.c", name: "x".repeat(101) } },
          ["validation.max_length defaultSender.name"]
        ]
      ]
      for (const [patch, expected] of refused) {
        const error = yield* Effect.flip(accounts.changeSettings(liveAccountId, patch, managementActor))
        expect(issuesOf(error)).toEqual(expected)
      }
      expect((yield* accounts.get(liveAccountId)).settings).toEqual(defaultSettings)
    }).pipe(Effect.provide(layer))
  )
})

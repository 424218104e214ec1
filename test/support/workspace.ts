/**
 * Creates a company for each suite, so that suites on one service do not disturb each other.
 *
 * @module
 */
import { type Answer, call, type Sent } from "./client.ts"
import type { EntryPoint } from "./targets.ts"

/** Every permission. */
export const allPermissions = [
  "contacts:read",
  "contacts:write",
  "contacts:erase",
  "events:write",
  "emails:send",
  "emails:read",
  "items:read",
  "items:write",
  "orders:read"
] as const

/** A key as returned by the call that creates it. */
export interface IssuedKey {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly permissions: ReadonlyArray<string>
  readonly expiresAt: string | null
}

/** An account with a key that has every permission. */
export interface TestAccount {
  readonly accountId: string
  readonly key: string
  /** Calls a public route with the account's key; the path is relative to `/api/v1`. */
  readonly api: <Value = unknown>(method: string, path: string, json?: unknown) => Promise<Answer<Value>>
  /** Calls a management route of the account; the path is relative to `/manage/v1/accounts/{accountId}`. */
  readonly manage: <Value = unknown>(method: string, path: string, json?: unknown) => Promise<Answer<Value>>
  /** Creates another key. */
  readonly issueKey: (
    permissions?: ReadonlyArray<string>,
    expiresInDays?: number | null
  ) => Promise<IssuedKey>
}

export interface Workspace {
  readonly companyId: string
  readonly live: TestAccount
  /** An account that can send: it has the verified domain `mail.example` and the default sender `Suite <suite@mail.example>`. */
  readonly sandbox: TestAccount
}

/** Calls a management route; the path is relative to `/manage/v1`. */
export const manage = <Value = unknown>(target: EntryPoint, method: string, path: string, sent: Sent = {}) =>
  call<Value>(target, method, `/manage/v1${path}`, { token: target.managementToken, ...sent })

const openAccount = async (target: EntryPoint, accountId: string): Promise<TestAccount> => {
  const ofAccount = <Value = unknown>(method: string, path: string, json?: unknown) =>
    manage<Value>(target, method, `/accounts/${accountId}${path}`, json === undefined ? {} : { json })
  const issueKey = async (
    permissions: ReadonlyArray<string> = allPermissions,
    expiresInDays: number | null = null
  ) =>
    (await ofAccount<IssuedKey>("POST", "/api-keys", { name: "Suite key", permissions, expiresInDays })).value
  // Prevents suites from reaching the rate limit, except the one about it.
  await ofAccount("PATCH", "/settings", { rateLimitPerMinute: 100_000 })
  const { key } = await issueKey()
  return {
    accountId,
    key,
    api: (method, path, json) =>
      call(target, method, `/api/v1${path}`, { token: key, ...(json === undefined ? {} : { json }) }),
    manage: ofAccount,
    issueKey
  }
}

interface Company {
  readonly id: string
  readonly live: { readonly accountId: string }
  readonly sandbox: { readonly accountId: string }
}

/** Creates a company with its two accounts. */
export const openWorkspace = async (target: EntryPoint, name: string): Promise<Workspace> => {
  const company = (await manage<Company>(target, "POST", "/companies", { json: { name } })).value
  const live = await openAccount(target, company.live.accountId)
  const sandbox = await openAccount(target, company.sandbox.accountId)
  await sandbox.manage("POST", "/domains", { domain: "mail.example" })
  await sandbox.manage("PATCH", "/settings", {
    defaultSender: { email: "suite@mail.example", name: "Suite" }
  })
  return { companyId: company.id, live, sandbox }
}

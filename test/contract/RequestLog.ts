/**
 * The contract of `core/ports/RequestLog`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { RequestEntry } from "../../core/model/RequestEntry.ts"
import { type RequestFilter, RequestLog } from "../../core/ports/RequestLog.ts"
import { freshAccount, freshAccountId, newId, now, oddText, readPages, type StorageTest } from "./fixtures.ts"

const day = 86_400_000

const draft = (accountId: string, values: Partial<RequestEntry> = {}): RequestEntry => ({
  accountId,
  id: newId(),
  requestId: newId(),
  keyId: newId(),
  method: "GET",
  route: "/api/v1/contacts",
  status: 200,
  code: null,
  durationMillis: 3,
  warnings: [],
  requestBody: null,
  responseBody: null,
  at: now,
  ...values
})

/** Tests of the port `RequestLog`. */
export const requestLogContract = (it: StorageTest): void => {
  describe("RequestLog", () => {
    it.effect("lists an account's calls newest first, by each filter", () =>
      Effect.gen(function* () {
        const { append, list } = yield* RequestLog
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const plain = draft(accountId, { at: now - 1 })
        const refused = draft(accountId, {
          at: now - 2,
          method: "POST",
          status: 400,
          code: "validation.required",
          warnings: ["unknown_field", 'a,b"{}'],
          requestBody: oddText,
          responseBody: oddText
        })
        const unrouted = draft(accountId, { at: now - 3, route: null, status: 404, code: "common.not_found" })
        const newest = draft(accountId, { keyId: plain.keyId })
        yield* append([plain, refused, draft(other), unrouted])
        yield* append([newest])
        yield* append([])
        const all = [newest, plain, refused, unrouted]
        const found = (filter: RequestFilter) =>
          Effect.map(list(accountId, filter, { page: 1, pageSize: 50 }), ({ items }) => items)
        expect(yield* found({})).toEqual(all)
        expect((yield* readPages((page) => list(accountId, {}, page), 3)).flat()).toEqual(all)
        expect(yield* found({ keyId: [plain.keyId] })).toEqual([newest, plain])
        expect(yield* found({ method: ["POST", "PUT"] })).toEqual([refused])
        expect(yield* found({ route: ["/api/v1/contacts"] })).toEqual([newest, plain, refused])
        expect(yield* found({ status: [400, 404] })).toEqual([refused, unrouted])
        expect(yield* found({ code: ["common.not_found"], status: [404] })).toEqual([unrouted])
        expect(yield* found({ code: ["common.not_found"], status: [400] })).toEqual([])
        expect(yield* found({ q: refused.requestId })).toEqual([refused])
        expect(yield* found({ q: refused.requestId, method: ["GET"] })).toEqual([])
        expect(yield* found({ since: now - 2, until: now })).toEqual([plain, refused])
      })
    )

    it.effect("removes the bodies of an account, and keeps its entries", () =>
      Effect.gen(function* () {
        const { append, list, removeBodies } = yield* RequestLog
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const bodies = { requestBody: oddText, responseBody: oddText }
        const [full, half, plain] = [
          draft(accountId, { ...bodies, at: now }),
          draft(accountId, { requestBody: oddText, at: now - 1 }),
          draft(accountId, { at: now - 2 })
        ]
        const others = draft(other, bodies)
        yield* append([full, half, plain, others])
        yield* removeBodies(accountId)
        yield* removeBodies(accountId)
        const found = (of: string) =>
          Effect.map(list(of, {}, { page: 1, pageSize: 50 }), ({ items }) => items)
        const none = { requestBody: null, responseBody: null }
        expect(yield* found(accountId)).toEqual([full, half, plain].map((entry) => ({ ...entry, ...none })))
        expect(yield* found(other)).toEqual([others])
      })
    )

    it.effect("deletes what is older than each account keeps, at most so many entries", () =>
      Effect.gen(function* () {
        const { append, list, prune } = yield* RequestLog
        const kept = yield* freshAccount({ requestLogDays: 7 })
        const none = yield* freshAccount({ requestLogDays: 0 })
        const young = draft(kept.id, { at: now - 6 * day })
        yield* append([
          young,
          draft(kept.id, { at: now - 8 * day }),
          draft(kept.id, { at: now - 9 * day }),
          draft(none.id, { at: now - 1 })
        ])
        const found = (accountId: string) =>
          Effect.map(list(accountId, {}, { page: 1, pageSize: 50 }), ({ items }) => items)
        let gone = 0
        while ((yield* prune(now, 1)) > 0) gone++
        expect(gone).toBeGreaterThanOrEqual(3)
        expect(yield* found(kept.id)).toEqual([young])
        expect(yield* found(none.id)).toEqual([])
      })
    )
  })
}

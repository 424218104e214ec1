/**
 * Tests of what the request log stores of bodies.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { loggedBody, maxLoggedBody } from "../../../core/accounts/RequestRules.ts"

describe("loggedBody", () => {
  it.each([
    [`{"password":"a\\"b","x":"y"}`, `{"password":"***","x":"y"}`],
    [`{"nested": {"webhookSecret" : "whsec_abc"}}`, `{"nested": {"webhookSecret" : "***"}}`],
    [`{"text":"svc_live_abcDEF123 and svc_admin_xyz"}`, `{"text":"svc_live_*** and svc_admin_***"}`],
    [`{"token":"cut of`, `{"token":"***`],
    [`svc_test_cut`, `svc_test_***`],
    [`{"tokens":3,"name":"Ada"}`, `{"tokens":3,"name":"Ada"}`],
    ["a\0b\ud800", "ab\ufffd"]
  ])("masks secrets in %j", (body, expected) => {
    expect(loggedBody(body)).toBe(expected)
  })

  it("keeps the beginning of a long text in time that grows with its length", () => {
    const long = `"${"a".repeat(50)}" : "${'\\"'.repeat(10_000)}`.repeat(50)
    expect(loggedBody(long).length).toBeLessThanOrEqual(maxLoggedBody)
  })
})

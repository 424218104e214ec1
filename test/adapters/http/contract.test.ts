/**
 * Tests that the generated contract matches what is served.
 *
 * @module
 */
import * as OpenApi from "effect/http-api/OpenApi"
import { expect, it } from "vitest"
import { ManagementApi } from "../../../adapters/http/schema/ManagementApi.ts"
import { PublicApi } from "../../../adapters/http/schema/PublicApi.ts"
import { start } from "../../../runtimes/embedded/index.ts"

/** Routes for signing in. A call without a body is rejected for its body. */
const open: ReadonlySet<string> = new Set(
  [
    "/session/start",
    "/session/password",
    "/session/passkey",
    "/device/token",
    "/welcome",
    "/welcome/complete",
    "/welcome/passkey-options",
    "/password-resets"
  ].map((path) => `/manage/v1${path}`)
)

/** Routes that anyone may call without a body. */
const bodiless: ReadonlySet<string> = new Set(["/manage/v1/session/passkey/options", "/manage/v1/device"])

/** Signing in at a provider that does not exist. */
const unknown: ReadonlySet<string> = new Set(
  ["", "/callback"].map((path) => `/manage/v1/session/provider/{id}${path}`)
)

const methods = ["get", "post", "put", "patch", "delete"] as const

it("every operation of the generated contract is served, and requires a key except to sign in", async () => {
  const service = await start()
  const contracts = [OpenApi.fromApi(PublicApi), OpenApi.fromApi(ManagementApi)]
  const operations = contracts.flatMap(({ paths }) =>
    Object.entries(paths).flatMap(([path, item]) =>
      methods.filter((method) => item[method] !== undefined).map((method) => [method, path] as const)
    )
  )
  expect(operations.length).toBeGreaterThan(40)
  for (const [method, path] of operations) {
    const url = service.baseUrl + path.replaceAll(/\{\w+\}/g, "one")
    const { status } = await service.fetch(new Request(url, { method: method.toUpperCase() }))
    expect([method, path, status]).toEqual([
      method,
      path,
      bodiless.has(path) ? 200 : unknown.has(path) ? 404 : open.has(path) ? 400 : 401
    ])
  }
  await service.close()
})

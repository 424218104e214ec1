/**
 * The generated contract is what is served.
 *
 * @module
 */
import { OpenApi } from "effect/http-api"
import { expect, it } from "vitest"
import { ManagementApi } from "../../../adapters/http/schema/ManagementApi.ts"
import { PublicApi } from "../../../adapters/http/schema/PublicApi.ts"
import { start } from "../../../runtimes/embedded/index.ts"

const methods = ["get", "post", "put", "patch", "delete"] as const

it("every operation of the generated contract is served and requires a key", async () => {
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
    expect([method, path, status]).toEqual([method, path, 401])
  }
  await service.close()
})

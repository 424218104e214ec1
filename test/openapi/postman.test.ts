/**
 * Tests the served Postman collection: each request, in order, against a server with a new sandbox.
 *
 * @module
 */
import newman, { type NewmanRunSummary } from "newman"
import { describe, expect, it } from "vitest"
import { contractPaths } from "../../adapters/http/schema/ContractApi.ts"
import { makeOpenApi } from "../../adapters/http/schema/openapi/OpenApi.ts"
import { makePostmanCollection, type PostmanCollection } from "../../adapters/http/schema/openapi/Postman.ts"
import { methods } from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import { startProcess, type Target } from "../support/targets.ts"
import { manage } from "../support/workspace.ts"
import type { Runtime } from "../support/serverProcess.ts"

const run = (collection: PostmanCollection, variables: Readonly<Record<string, string>>) =>
  new Promise<NewmanRunSummary>((resolve, reject) => {
    newman.run(
      {
        collection: collection as never,
        envVar: Object.entries(variables).map(([key, value]) => ({ key, value })),
        reporters: [],
        timeoutRequest: 20_000
      },
      (error, summary) => (error === null ? resolve(summary) : reject(error))
    )
  })

/** A published flow with an API trigger, and its token. */
const openFlow = async (target: Target): Promise<{ flowId: string; flowToken: string }> => {
  const flows = `/accounts/${target.sandbox.accountId}/flows`
  const json = { name: "Welcome", trigger: { kind: "Api" }, steps: [{ id: "end", kind: "Exit" }] }
  const { id } = (await manage<{ id: string }>(target, "POST", flows, { json })).value
  const issued = await manage<{ token: string }>(target, "POST", `${flows}/${id}/trigger-token`)
  await manage(target, "POST", `${flows}/${id}/publish`)
  return { flowId: id, flowToken: issued.value.token }
}

const failuresOf = ({ run: { failures } }: NewmanRunSummary): ReadonlyArray<string> =>
  failures.map(({ error, source }) => `${source?.name}: ${error.message}`)

describe.each<Runtime>(["node", "bun"])("on %s", (runtime) => {
  it("every request passes its status test", async () => {
    const target = await startProcess(runtime, "memory")
    try {
      const response = await target.fetch(contractPaths.postman)
      const collection = (await response.json()) as PostmanCollection
      expect(collection.variable.find(({ key }) => key === "baseUrl")?.value).toBe(target.baseUrl)
      const summary = await run(collection, {
        apiKey: target.sandbox.apiKey,
        ...(await openFlow(target))
      })
      expect(failuresOf(summary)).toEqual([])
      const requests = collection.item.flatMap(({ item }) => item)
      expect(summary.run.stats.requests).toMatchObject({ total: requests.length, failed: 0 })
      expect(summary.run.stats.assertions).toMatchObject({ total: requests.length, failed: 0 })
      const rejected = await run(collection, { apiKey: "wrong" })
      expect(failuresOf(rejected).length).toBeGreaterThanOrEqual(requests.length)
    } finally {
      await target.stop()
    }
  })
})

it("has a request without a key for every operation", () => {
  const document = makeOpenApi("https://mail.example.org")
  const collection = makePostmanCollection(document)
  const operations = Object.values(document.paths).flatMap((item) =>
    methods.flatMap((method) => item[method]?.summary ?? [])
  )
  const names = collection.item.flatMap(({ item }) => item.map(({ name }) => name))
  expect(names.toSorted()).toEqual(operations.toSorted())
  const given = collection.variable.filter(({ key, value }) => key !== "baseUrl" && value !== "")
  expect(given).toEqual([])
  expect(JSON.stringify(collection)).not.toMatch(/svc_(live|test)_[A-Za-z0-9]/)
})

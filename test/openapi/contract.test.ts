/**
 * Tests that the contract check of the black-box suites detects responses that violate the published contract.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import { makeOpenApi } from "../../adapters/http/schema/openapi/OpenApi.ts"
import { type Method, methods, type Operation } from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import { type ContractExchange, makeContractCheck, makeWebhookCheck } from "../support/contract.ts"

const document = makeOpenApi("https://mail.example.org")
const check = makeContractCheck(document)

const common = {
  "x-request-id": "one",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-type": "application/json; charset=utf-8"
}
const rated = { ...common, "ratelimit-limit": "600", "ratelimit-remaining": "599", "ratelimit-reset": "60" }

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method]
    return operation === undefined ? [] : [{ method, path, operation }]
  })
)

/** The request and response of an operation's example. */
const exampleOf = (path: string, method: Method, operation: Operation): ContractExchange => {
  const { parameters = [], requestBody, responses } = operation
  const [status, response] = Object.entries(responses)[0]!
  const of = (place: string) => parameters.filter((one) => one.in === place && one.example !== undefined)
  const query = new URLSearchParams(
    of("query").map((one): [string, string] => [one.name, String(one.example)])
  )
  return {
    method: method.toUpperCase(),
    path: `${of("path").reduce((made, one) => made.replace(`{${one.name}}`, encodeURIComponent(String(one.example))), path)}?${query}`,
    sentHeaders: new Headers(of("header").map((one): [string, string] => [one.name, String(one.example)])),
    sentBody:
      requestBody === undefined ? null : JSON.stringify(requestBody.content["application/json"]!.example),
    status: Number(status),
    headers: new Headers(rated),
    json: structuredClone(response.content!["application/json"]!.example)
  }
}

const example = (method: Method, path: string): ContractExchange =>
  exampleOf(path, method, document.paths[path]![method]!)

const without = (headers: Readonly<Record<string, string>>, name: string) =>
  new Headers(Object.entries(headers).filter(([key]) => key !== name))

/** A response with a value changed. */
const responding = (exchange: ContractExchange, change: (value: Record<string, unknown>) => void) => {
  const json = structuredClone(exchange.json) as { value: Record<string, unknown> }
  change(json.value)
  return { ...exchange, json }
}

const errorResponse = (status: number, code: string): Pick<ContractExchange, "status" | "json"> => ({
  status,
  json: {
    isSuccess: false,
    value: null,
    status,
    errors: [{ code, message: "m", params: null }],
    fieldErrors: null
  }
})

it.each(operations)("keeps the contract: the example of $method $path", ({ method, operation, path }) => {
  expect(check(exampleOf(path, method, operation))).toEqual([])
})

describe("the contract check reports", () => {
  const contact = "/api/v1/contacts/{reference}"
  const read = example("get", contact)
  const write = example("post", "/api/v1/contacts")
  const batch = example("post", "/api/v1/contacts/batch")
  const orders = example("get", "/api/v1/commerce/orders")
  const broken: ReadonlyArray<readonly [string, ContractExchange, RegExp]> = [
    [
      "a field that is missing",
      responding(read, (value) => delete value["city"]),
      /required property 'city'/
    ],
    ["an undocumented field", responding(read, (value) => (value["age"] = 36)), /additional.*"age"/],
    [
      "a field of another type",
      responding(read, (value) => (value["orderCount"] = "0")),
      /orderCount.*integer/
    ],
    [
      "a status word that is none",
      responding(read, (value) => (value["consentStatus"] = "Keen")),
      /Keen|allowed/
    ],
    [
      "a timestamp without Z",
      responding(read, (value) => (value["addedAt"] = "2026-03-14")),
      /addedAt.*date-time/
    ],
    [
      "null where there is a text",
      responding(read, (value) => (value["fromOrders"] = null)),
      /fromOrders.*bool/
    ],
    ["an undocumented status", { ...read, status: 202 }, /status 202 is not documented/],
    [
      "another media type",
      { ...read, headers: new Headers({ ...rated, "content-type": "text/html" }) },
      /media type text\/html/
    ],
    ["an undocumented header", { ...read, headers: new Headers({ ...rated, "x-new": "1" }) }, /header x-new/],
    [
      "a header that is missing",
      { ...read, headers: without(rated, "ratelimit-reset") },
      /ratelimit-reset is missing/
    ],
    [
      "a header of another kind",
      { ...read, headers: new Headers({ ...rated, "ratelimit-limit": "many" }) },
      /header ratelimit-limit/
    ],
    [
      "429 without a time to wait",
      { ...read, ...errorResponse(429, "common.rate_limited") },
      /retry-after is missing/
    ],
    [
      "an undocumented code",
      { ...read, ...errorResponse(400, "catalog.items_limit") },
      /code catalog.items_limit/
    ],
    [
      "an undocumented code",
      { ...read, ...errorResponse(400, "catalog.items_limit") },
      /code catalog.items_limit/
    ],
    [
      "an undocumented code of an entry",
      responding(batch, (value) => {
        const [, second] = value["results"] as Array<{ errors: Array<{ code: string }> }>
        second!.errors[0]!.code = "catalog.items_limit"
      }),
      /catalog.items_limit of an entry/
    ],
    [
      "an accepted body that the contract rejects",
      { ...write, sentBody: '{"email":1}' },
      /request's body: \/email/
    ],
    ["a body taken that was not there", { ...write, sentBody: null }, /body is missing/],
    [
      "an accepted entry that the contract rejects",
      { ...batch, sentBody: '{"contacts":[{"email":1},{"email":2}]}' },
      /request's body: \/contacts\/0\/email/
    ],
    [
      "a parameter left out and not missed",
      { ...orders, path: "/api/v1/commerce/orders" },
      /parameter view is missing/
    ],
    [
      "a parameter taken that is none",
      { ...orders, path: "/api/v1/commerce/orders?view=Odd" },
      /parameter view/
    ],
    ["a response of an undocumented path", { ...read, path: "/api/v1/none" }, /no path is documented/],
    ["a response of an undocumented method", { ...read, method: "PUT" }, /method is not documented/]
  ]
  it.each(broken)("%s", (_name, exchange, fault) => {
    expect(check(exchange).join("\n")).toMatch(fault)
  })

  it("no fault for a rejected unknown path or method", () => {
    expect(check({ ...read, path: "/api/v1/none", ...errorResponse(404, "common.not_found") })).toEqual([])
    expect(check({ ...read, method: "PUT", ...errorResponse(405, "common.method_not_allowed") })).toEqual([])
  })

  it("no fault for a documented error", () => {
    expect(check({ ...read, ...errorResponse(404, "audience.contact_not_found") })).toEqual([])
    const headers = new Headers({ ...common, "www-authenticate": "Bearer" })
    expect(check({ ...read, headers, ...errorResponse(401, "auth.unauthorized") })).toEqual([])
    const shape = new Headers({ ...rated, "content-type": "application/problem+json; charset=utf-8" })
    const json = { statusCode: 400, message: "m", errors: { body: ["m"] } }
    expect(check({ ...write, status: 400, headers: shape, json, sentBody: "{" })).toEqual([])
  })
})

it("a webhook body that breaks the contract is reported", () => {
  const checkWebhook = makeWebhookCheck(document)
  const sent = document["x-webhooks"]["email.sent"]!.post!.requestBody!.content["application/json"]!
  const body = sent.example as { readonly type: string; readonly data: object }
  expect(checkWebhook(body)).toEqual([])
  expect(checkWebhook({ ...body, data: { ...body.data, url: "https://b.example/" } } as never)).not.toEqual(
    []
  )
  expect(checkWebhook({ ...body, type: "flow.step" })).toEqual([])
})
